// The form that creates and edits a group.
import { Select, Switch, TextInput, Textarea } from "@mantine/core";
import { GROUP_KINDS, type Group } from "@strongroom/contract";
import { ChangePreview } from "#shared/access-preview/change-preview.tsx";
import { fieldErrorsOf } from "#shared/api/field-errors.ts";
import { Form } from "#shared/ui/form.tsx";
import type { FormInDialog } from "#shared/ui/form-dialog.tsx";
import {
  BREAK_GLASS_HINT,
  KIND_HINTS,
  KIND_LABELS,
  checkGroup,
  isField,
  type GroupFormValues,
} from "./group-form-values.ts";

export interface GroupFormProps extends FormInDialog<GroupFormValues> {
  /** Null for a new group. */
  group: Group | null;
}

const KINDS = GROUP_KINDS.map((value) => ({ value, label: KIND_LABELS[value] }));

export function GroupForm({ group, ...props }: GroupFormProps) {
  return (
    <Form {...props} check={checkGroup} objectionsIn={(error) => fieldErrorsOf(error, isField)}>
      {(form) => (
        <>
          <TextInput label="Name" required maxLength={100} data-autofocus {...form.getInputProps("name")} />
          <Textarea label="Description" rows={2} maxLength={500} {...form.getInputProps("description")} />
          <Select
            label="Kind"
            required
            data={KINDS}
            allowDeselect={false}
            inputWrapperOrder={["label", "input", "description", "error"]}
            description={KIND_HINTS[form.values.kind]}
            {...form.getInputProps("kind")}
          />
          {group !== null && form.values.kind !== group.kind && (
            <ChangePreview change={{ kind: "group-kind-changed", group_id: group.id, group_kind: form.values.kind }} />
          )}
          <Switch
            label="Allow emergency access"
            description={BREAK_GLASS_HINT}
            {...form.getInputProps("may_break_glass", { type: "checkbox" })}
          />
        </>
      )}
    </Form>
  );
}
