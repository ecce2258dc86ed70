// "Approve Discovered Accounts" and "Reject Discovered Accounts" (DISC-35 to DISC-46).
import { Select, Switch } from "@mantine/core";
import {
  OnboardingSettings,
  type DiscoveredAccount,
  type ReplyOf,
  type approveDiscoveredAccounts,
} from "@strongroom/contract";
import { useQueryClient } from "@tanstack/react-query";
import { useMutation } from "#shared/api/use-mutation.ts";
import { counted } from "#shared/format/text.ts";
import { Form } from "#shared/ui/form.tsx";
import { FormDialog } from "#shared/ui/form-dialog.tsx";
import type { DialogProps } from "#shared/ui/modal.tsx";
import { ReasonField } from "#shared/ui/reason-field.tsx";
import { toast } from "#shared/ui/toast.ts";
import classes from "../discovery.module.css";
import { approval, rejection } from "../discovery.queries.ts";

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

type Decided = ReplyOf<typeof approveDiscoveredAccounts>;

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

export function ApproveDialog({ accounts, ...props }: DecisionDialogProps) {
  const { mutateAsync: approve } = useMutation(approval(useQueryClient(), idsOf(accounts)));
  return (
    <FormDialog
      {...props}
      title="Approve Discovered Accounts"
      initial={DEFAULTS}
      submitLabel="Approve"
      failureText="Failed to approve accounts"
      save={approve}
      done={null}
      onDone={(decided) => report(decided, "approve")}
    >
      {(dialog) => (
        <Form {...dialog}>
          {(form) => (
            <>
              <p className={classes.sentence}>
                Approve <strong>{which(accounts)}</strong>. Approved accounts leave the list of open decisions. To
                manage a password, add the account to a safe.
              </p>
              <Select
                label="Rotation policy"
                data={POLICIES}
                allowDeselect={false}
                {...form.getInputProps("rotationPolicy")}
              />
              <Switch label="Monitoring" {...form.getInputProps("monitoring", { type: "checkbox" })} />
              <Switch label="Rotate automatically" {...form.getInputProps("autoRotate", { type: "checkbox" })} />
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
