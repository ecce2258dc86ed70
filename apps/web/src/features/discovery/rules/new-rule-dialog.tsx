// "Add Rule": the conditions and the effect of a rule, with a dry run.
import { Button, Select, Switch, Textarea, TextInput } from "@mantine/core";
import { IconTestPipe } from "@tabler/icons-react";
import { NewOnboardingRule, OnboardingSettings, type RuleAction } from "@strongroom/contract";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useMutation } from "#shared/api/use-mutation.ts";
import { counted } from "#shared/format/text.ts";
import { Form } from "#shared/ui/form.tsx";
import { FormDialog } from "#shared/ui/form-dialog.tsx";
import { FailureAlert } from "#shared/ui/failure-alert.tsx";
import { messageOf } from "#shared/api/call-error.ts";
import type { DialogProps } from "#shared/ui/modal.tsx";
import { SearchSelect, type Found } from "#shared/ui/search-select.tsx";
import classes from "../discovery.module.css";
import {
  platformList,
  ruleCreation,
  ruleDryRun,
  safesFound,
  safesToAddTo,
  type NewRule,
} from "../discovery.queries.ts";

interface RuleValues {
  name: string;
  safeId: Found | null;
  action: RuleAction;
  namePattern: string;
  dnPattern: string;
  privileged: "" | "true" | "false";
  intoSafeId: Found | null;
  platformId: string;
  autoRotate: boolean;
  reason: string;
}

const EMPTY: RuleValues = {
  name: "",
  safeId: null,
  action: "place",
  namePattern: "",
  dnPattern: "",
  privileged: "",
  intoSafeId: null,
  platformId: "",
  autoRotate: false,
  reason: "",
};

const ACTIONS: { value: RuleAction; label: string }[] = [
  { value: "place", label: "Choose a safe and a platform" },
  { value: "approve", label: "Approve after a scan" },
  { value: "reject", label: "Reject after a scan" },
];
const PRIVILEGES = [
  { value: "", label: "Privileged or not" },
  { value: "true", label: "Privileged accounts" },
  { value: "false", label: "Other accounts" },
];

function ruleOf({ safeId, intoSafeId, platformId, privileged, autoRotate, ...values }: RuleValues): NewRule {
  return {
    ...values,
    safeId: safeId?.value ?? "",
    privileged: privileged === "" ? null : privileged === "true",
    intoSafeId: intoSafeId?.value ?? null,
    platformId: platformId === "" ? null : platformId,
    onboardingSettings: { ...OnboardingSettings.parse({}), autoRotate },
  };
}

function errorsIn(values: RuleValues): Partial<Record<keyof RuleValues, string>> {
  const read = NewOnboardingRule.safeParse(ruleOf(values));
  if (read.success) return {};
  return Object.fromEntries(read.error.issues.map(({ path, message }) => [String(path[0]), message]));
}

export function NewRuleDialog(props: DialogProps) {
  const { mutateAsync: create } = useMutation(ruleCreation(useQueryClient()));
  const platforms = useQuery({ ...platformList, enabled: props.opened });
  const choices = platforms.data?.platforms.map(({ id, name }) => ({ value: id, label: name })) ?? [];
  return (
    <FormDialog<RuleValues, unknown>
      {...props}
      title="Add Rule"
      size="lg"
      initial={EMPTY}
      submitLabel="Add Rule"
      failureText="Failed to add the rule"
      save={(values) => create(ruleOf(values))}
      done="Rule added"
    >
      {(dialog) => (
        <Form {...dialog} check={errorsIn}>
          {(form) => (
            <>
              <TextInput label="Name" required maxLength={100} data-autofocus {...form.getInputProps("name")} />
              <SearchSelect
                label="Targets of the safe"
                required
                value={form.values.safeId}
                onChange={(found) => form.setFieldValue("safeId", found)}
                error={form.errors["safeId"]}
                search={safesFound}
                foundIn={safesToAddTo}
                nothingFound="No safe to which you may add accounts"
              />
              <Select label="Effect" data={ACTIONS} allowDeselect={false} {...form.getInputProps("action")} />
              <TextInput
                label="Account name"
                description="With * for any characters, such as svc-*"
                maxLength={128}
                {...form.getInputProps("namePattern")}
              />
              <TextInput
                label="Distinguished name"
                description="In a directory, such as *,ou=servers,dc=example,dc=com"
                maxLength={500}
                {...form.getInputProps("dnPattern")}
              />
              <Select label="Privilege" data={PRIVILEGES} allowDeselect={false} {...form.getInputProps("privileged")} />
              {form.values.action === "reject" ? (
                <Textarea label="Reason" required rows={2} maxLength={500} {...form.getInputProps("reason")} />
              ) : (
                <>
                  <SearchSelect
                    label="Into the safe"
                    clearable
                    value={form.values.intoSafeId}
                    onChange={(found) => form.setFieldValue("intoSafeId", found)}
                    error={form.errors["intoSafeId"]}
                    search={safesFound}
                    foundIn={safesToAddTo}
                    nothingFound="No safe to which you may add accounts"
                  />
                  <Select
                    label="Platform"
                    data={choices}
                    clearable
                    searchable
                    {...form.getInputProps("platformId")}
                    onChange={(value) => form.setFieldValue("platformId", value ?? "")}
                  />
                </>
              )}
              {form.values.action === "approve" && (
                <Switch
                  label="Rotate automatically"
                  description="The reconcile account sets a new password during the onboarding"
                  {...form.getInputProps("autoRotate", { type: "checkbox" })}
                />
              )}
              <DryRun rule={ruleOf(form.values)} isValid={Object.keys(errorsIn(form.values)).length === 0} />
            </>
          )}
        </Form>
      )}
    </FormDialog>
  );
}

function DryRun({ rule, isValid }: { rule: NewRule; isValid: boolean }) {
  const { mutate, data, error, isPending } = useMutation(ruleDryRun);
  return (
    <div>
      <Button
        variant="default"
        leftSection={<IconTestPipe size={16} aria-hidden />}
        disabled={!isValid}
        loading={isPending}
        onClick={() => mutate(rule)}
      >
        Dry Run
      </Button>
      {error !== null && <FailureAlert message={messageOf(error)} />}
      {data !== undefined && (
        <p className={classes.sentence} role="status">
          {`The rule matches ${counted(data.matched, "pending account")}`}
          {data.names.length === 0 ? "." : `: ${data.names.slice(0, 20).join(", ")}${data.matched > 20 ? ", …" : "."}`}
        </p>
      )}
    </div>
  );
}
