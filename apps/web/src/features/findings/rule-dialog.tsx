// Treats findings like one as false positives until a review date.
import { TextInput } from "@mantine/core";
import type { FindingRule, SecurityFinding } from "@strongroom/contract";
import { useQueryClient } from "@tanstack/react-query";
import { useMutation } from "#shared/api/use-mutation.ts";
import { Form } from "#shared/ui/form.tsx";
import { FormDialog } from "#shared/ui/form-dialog.tsx";
import type { DialogProps } from "#shared/ui/modal.tsx";
import { RadioChoices } from "#shared/ui/radio-choices.tsx";
import { ReasonField } from "#shared/ui/reason-field.tsx";
import { dateAfter, endOfDate } from "./dates.ts";
import classes from "./findings.module.css";
import { ruleCreation } from "./findings.queries.ts";

interface RuleFormValues {
  kind: FindingRule["kind"];
  pattern: string;
  reason: string;
  reviewAt: string;
}

const KINDS = [
  { value: "path", label: "In files with this path" },
  { value: "secret", label: "With the same secret" },
  { value: "class", label: "Of the same class" },
] as const satisfies { value: FindingRule["kind"]; label: string }[];
const USUAL_DAYS = 90;

export function RuleDialog({ finding, ...props }: DialogProps & { finding: SecurityFinding }) {
  const { mutateAsync: create } = useMutation(ruleCreation(useQueryClient(), finding.id));
  const initial: RuleFormValues = {
    kind: "path",
    pattern: finding.finding_data.file_path,
    reason: "",
    reviewAt: dateAfter(USUAL_DAYS),
  };
  const save = ({ kind, pattern, reason, reviewAt }: RuleFormValues) =>
    create({ kind, ...(kind === "path" ? { pattern } : {}), reason, reviewAt: endOfDate(reviewAt) });
  const check = ({ reviewAt }: RuleFormValues) => (reviewAt === "" ? { reviewAt: "Review date is required" } : {});
  return (
    <FormDialog
      {...props}
      title="Add False-Positive Rule"
      initial={initial}
      submitLabel="Add Rule"
      failureText="Failed to add the rule"
      save={save}
      done="Rule added successfully"
    >
      {(dialog) => (
        <Form<RuleFormValues> {...dialog} check={check}>
          {(form) => (
            <>
              <p className={classes.sentence}>
                {`Matching findings of ${finding.target_name}, now and later, are false positives until the review date. Then they are new again.`}
              </p>
              <RadioChoices label="Which findings" choices={KINDS} {...form.getInputProps("kind")} />
              {form.values.kind === "path" && (
                <TextInput
                  label="Path"
                  description="* matches any text."
                  required
                  maxLength={500}
                  {...form.getInputProps("pattern")}
                />
              )}
              <ReasonField required {...form.getInputProps("reason")} />
              <TextInput type="date" label="Review date" required {...form.getInputProps("reviewAt")} />
            </>
          )}
        </Form>
      )}
    </FormDialog>
  );
}
