// Assigns a finding to a user and sets its due date.
import { Button, TextInput } from "@mantine/core";
import { IconUser } from "@tabler/icons-react";
import type { ReplyOf, SecurityFinding, findPrincipals } from "@strongroom/contract";
import { useQueryClient } from "@tanstack/react-query";
import { useMutation } from "#shared/api/use-mutation.ts";
import { useUser } from "#shared/session/session-store.ts";
import { Form } from "#shared/ui/form.tsx";
import { FormDialog } from "#shared/ui/form-dialog.tsx";
import type { DialogProps } from "#shared/ui/modal.tsx";
import { SearchSelect, twoLetters, type Found } from "#shared/ui/search-select.tsx";
import { dateIn, endOfDate } from "./dates.ts";
import { assignment, peopleFound } from "./findings.queries.ts";

interface AssignFormValues {
  assignee: Found | null;
  /** `yyyy-mm-dd`, or empty. */
  due: string;
}

const toFound = (id: string, name: string, hint?: string): Found => ({
  value: id,
  label: name,
  hint,
  icon: <IconUser size={16} aria-hidden />,
});

const peopleIn = ({ principals }: ReplyOf<typeof findPrincipals>): Found[] =>
  principals.flatMap(({ user_id, name, hint }) =>
    user_id === null ? [] : [toFound(user_id, name, hint ?? undefined)],
  );

export function AssignDialog({ finding, ...props }: DialogProps & { finding: SecurityFinding }) {
  const { mutateAsync: assign } = useMutation(assignment(useQueryClient(), finding.id));
  const user = useUser();
  const { assignee, due_at } = finding;
  const initial: AssignFormValues = {
    assignee: assignee === null ? null : toFound(assignee.id, assignee.name),
    due: due_at === null ? "" : dateIn(due_at),
  };
  const save = (values: AssignFormValues) =>
    assign({
      ...(values.assignee?.value === initial.assignee?.value ? {} : { assigneeId: values.assignee?.value ?? null }),
      ...(values.due === initial.due ? {} : { dueAt: values.due === "" ? null : endOfDate(values.due) }),
    });
  return (
    <FormDialog
      {...props}
      title="Assign Finding"
      initial={initial}
      submitLabel="Save"
      failureText="Failed to assign the finding"
      save={save}
      done="Finding assigned successfully"
    >
      {(dialog) => (
        <Form<AssignFormValues> {...dialog}>
          {(form) => (
            <>
              <SearchSelect
                label="Assignee"
                placeholder="Search by name or email"
                clearable
                search={peopleFound}
                foundIn={peopleIn}
                missingIn={twoLetters}
                value={form.values.assignee}
                error={form.errors["assignee"] ?? form.errors["assigneeId"]}
                onChange={(next) => form.setFieldValue("assignee", next)}
              />
              <Button
                variant="default"
                disabled={form.values.assignee?.value === user.id}
                onClick={() => form.setFieldValue("assignee", toFound(user.id, user.name))}
              >
                Assign to Me
              </Button>
              <TextInput type="date" label="Due" {...form.getInputProps("due")} />
            </>
          )}
        </Form>
      )}
    </FormDialog>
  );
}
