// Changes the status of one or several findings (FIND-03, FIND-15, FIND-18).
import { Select } from "@mantine/core";
import { FindingStatus, type SecurityFinding } from "@strongroom/contract";
import { useQueryClient } from "@tanstack/react-query";
import { useMutation } from "#shared/api/use-mutation.ts";
import { counted } from "#shared/format/text.ts";
import { Form } from "#shared/ui/form.tsx";
import { FormDialog } from "#shared/ui/form-dialog.tsx";
import type { DialogProps } from "#shared/ui/modal.tsx";
import { ReasonField } from "#shared/ui/reason-field.tsx";
import { toast } from "#shared/ui/toast.ts";
import { STATUS_BADGES } from "./finding-labels.ts";
import classes from "./findings.module.css";
import { statusChanges } from "./findings.queries.ts";

interface StatusFormValues {
  status: FindingStatus;
  reason: string;
}

/** OPEN-120: only scans make findings new. */
const CHOICES = FindingStatus.exclude(["new"]).options.map((value) => ({ value, label: STATUS_BADGES[value].label }));

export function StatusDialog({ findings, ...props }: DialogProps & { findings: readonly SecurityFinding[] }) {
  const { mutateAsync: change } = useMutation(
    statusChanges(
      useQueryClient(),
      findings.map(({ id }) => id),
    ),
  );
  const initial: StatusFormValues = { status: "investigating", reason: "" };
  async function save({ status, reason }: StatusFormValues) {
    const result = await change({ status, ...(reason.trim() === "" ? {} : { reason }) });
    const [first] = result.failed;
    if (first !== undefined) {
      toast.error(first.message, { title: `${counted(result.failed.length, "finding")} could not be changed` });
    }
    return result;
  }
  return (
    <FormDialog
      {...props}
      title="Change Status"
      initial={initial}
      submitLabel="Change Status"
      failureText="Failed to update finding status"
      save={save}
      done={null}
      onDone={({ changed, message }) => {
        if (changed > 0) toast.success(message);
      }}
    >
      {(dialog) => (
        <Form {...dialog}>
          {(form) => (
            <>
              <p className={classes.sentence}>{`Changes ${counted(findings.length, "finding")}.`}</p>
              <Select label="Status" data={CHOICES} allowDeselect={false} {...form.getInputProps("status")} />
              <ReasonField {...form.getInputProps("reason")} />
            </>
          )}
        </Form>
      )}
    </FormDialog>
  );
}
