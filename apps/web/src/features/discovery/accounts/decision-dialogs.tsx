// "Approve Discovered Accounts" and "Reject Discovered Accounts" (DISC-35 to DISC-46).
import { Select, Switch } from "@mantine/core";
import {
  OnboardingSettings,
  type DiscoveredAccount,
  type OnboardingSettings as Settings,
  type PlatformId,
  type ReplyOf,
  type SafeId,
  type approveDiscoveredAccounts,
  type rejectDiscoveredAccounts,
} from "@strongroom/contract";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useMutation } from "#shared/api/use-mutation.ts";
import { counted } from "#shared/format/text.ts";
import { Form } from "#shared/ui/form.tsx";
import { FormDialog } from "#shared/ui/form-dialog.tsx";
import type { DialogProps } from "#shared/ui/modal.tsx";
import { SearchSelect, type Found } from "#shared/ui/search-select.tsx";
import { ReasonField } from "#shared/ui/reason-field.tsx";
import { toast } from "#shared/ui/toast.ts";
import classes from "../discovery.module.css";
import { approval, platformList, rejection, safesFound, safesToAddTo } from "../discovery.queries.ts";
import { OnboardingPreview } from "../onboarding/onboarding-preview.tsx";

const POLICIES = [
  { value: "30days", label: "Every 30 days" },
  { value: "60days", label: "Every 60 days" },
  { value: "90days", label: "Every 90 days" },
  { value: "manual", label: "Manual" },
];

const DEFAULTS = OnboardingSettings.parse({});

interface DecisionDialogProps extends DialogProps {
  accounts: readonly DiscoveredAccount[];
}

type Approved = ReplyOf<typeof approveDiscoveredAccounts>;
type Decided = ReplyOf<typeof rejectDiscoveredAccounts>;

/** Reports partial success: the accounts that were decided, and the first reason for the others. */
function report({ decided, failed, message }: Decided, what: string): void {
  if (decided > 0) toast.success(message);
  const [first] = failed;
  if (first === undefined) return;
  const more = failed.length === 1 ? "" : ` And ${counted(failed.length - 1, "more account")}.`;
  toast.error(`${first.message}${more}`, { title: `Failed to ${what} ${counted(failed.length, "account")}` });
}

const idsOf = (accounts: readonly DiscoveredAccount[]) => accounts.map(({ id }) => id);

const which = (accounts: readonly DiscoveredAccount[]) => {
  const [only] = accounts;
  return accounts.length === 1 && only !== undefined
    ? `${only.account_name} on ${only.hostname_ip}`
    : counted(accounts.length, "account");
};

interface ApprovalValues extends Settings {
  /** Null: the safe of the account's target. */
  safe: Found | null;
  platformId: string;
}

const NO_PLACE = { safe: null, platformId: "" };

function orderOf(accounts: readonly DiscoveredAccount[], { safe, platformId, ...settings }: ApprovalValues) {
  const placement = {
    ...(safe === null ? {} : { safeId: safe.value as SafeId }),
    ...(platformId === "" ? {} : { platformId: platformId as PlatformId }),
  };
  const order = { accountIds: idsOf(accounts), onboardingSettings: settings };
  return Object.keys(placement).length === 0 ? order : { ...order, placement };
}

export function ApproveDialog({ accounts, ...props }: DecisionDialogProps) {
  const { mutateAsync: approve } = useMutation(approval(useQueryClient()));
  const platforms = useQuery({ ...platformList, enabled: props.opened });
  const choices = platforms.data?.platforms.map(({ id, name }) => ({ value: id, label: name })) ?? [];
  return (
    <FormDialog<ApprovalValues, Approved>
      {...props}
      title="Approve Discovered Accounts"
      size="lg"
      initial={{ ...DEFAULTS, ...NO_PLACE }}
      submitLabel="Approve"
      failureText="Failed to approve accounts"
      save={(values) => approve(orderOf(accounts, values))}
      done={null}
      onDone={(decided) => report(decided, "approve")}
    >
      {(dialog) => (
        <Form {...dialog}>
          {(form) => (
            <>
              <p className={classes.sentence}>
                Approve <strong>{which(accounts)}</strong>. Each account is put into a safe. Without a new password from
                the platform&apos;s reconcile account, it waits there until its password is stored.
              </p>
              <SearchSelect
                label="Safe"
                description="Empty: the safe of the account's target"
                clearable
                value={form.values.safe}
                onChange={(found) => form.setFieldValue("safe", found)}
                error={form.errors["safe"]}
                search={safesFound}
                foundIn={safesToAddTo}
                nothingFound="No safe to which you may add accounts"
              />
              <Select
                label="Platform"
                description="Empty: the platform of the target's credential, or a similar one with the chosen policy"
                data={choices}
                clearable
                searchable
                {...form.getInputProps("platformId")}
                onChange={(value) => form.setFieldValue("platformId", value ?? "")}
              />
              <Select
                label="Rotation policy"
                data={POLICIES}
                allowDeselect={false}
                {...form.getInputProps("rotationPolicy")}
              />
              <Switch label="Monitoring" {...form.getInputProps("monitoring", { type: "checkbox" })} />
              <Switch
                label="Rotate automatically"
                description="The reconcile account sets a new password now, so that only Strongroom knows it"
                {...form.getInputProps("autoRotate", { type: "checkbox" })}
              />
              <OnboardingPreview order={orderOf(accounts, form.values)} />
            </>
          )}
        </Form>
      )}
    </FormDialog>
  );
}

export function RejectDialog({ accounts, ...props }: DecisionDialogProps) {
  const { mutateAsync: reject } = useMutation(rejection(useQueryClient(), idsOf(accounts)));
  return (
    <FormDialog
      {...props}
      title="Reject Discovered Accounts"
      initial={{ reason: "" }}
      submitLabel="Reject"
      failureText="Failed to reject accounts"
      save={({ reason }: { reason: string }) => reject(reason)}
      done={null}
      onDone={(decided) => report(decided, "reject")}
    >
      {(dialog) => (
        <Form {...dialog} submit={{ color: "red" }} isDisabled={({ values }) => values.reason.trim() === ""}>
          {(form) => (
            <>
              <p className={classes.sentence}>
                Reject <strong>{which(accounts)}</strong>. A rejected account needs a new decision when it becomes
                privileged or comes back after it had disappeared.
              </p>
              <ReasonField required rows={3} {...form.getInputProps("reason")} />
            </>
          )}
        </Form>
      )}
    </FormDialog>
  );
}
