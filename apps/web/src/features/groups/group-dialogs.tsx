// "Create Group", "Edit Group" and "Delete Group".
import type { Group } from "@strongroom/contract";
import { useQueryClient } from "@tanstack/react-query";
import { ChangePreview } from "#shared/access-preview/change-preview.tsx";
import { useMutation } from "#shared/api/use-mutation.ts";
import { counted } from "#shared/format/text.ts";
import { DeleteDialog } from "#shared/ui/confirm-action-dialog.tsx";
import { FormDialog } from "#shared/ui/form-dialog.tsx";
import type { DialogProps } from "#shared/ui/modal.tsx";
import { EMPTY_GROUP, formOf } from "./group-form-values.ts";
import { GroupForm } from "./group-form.tsx";
import { creation, deletion, edit } from "./groups.queries.ts";

export function CreateGroupDialog(props: DialogProps) {
  const { mutateAsync: create } = useMutation(creation(useQueryClient()));
  return (
    <FormDialog
      {...props}
      title="Create Group"
      initial={EMPTY_GROUP}
      submitLabel="Create Group"
      failureText="Failed to create group"
      save={create}
      done="Group created successfully"
    >
      {(form) => <GroupForm {...form} group={null} />}
    </FormDialog>
  );
}

export function EditGroupDialog({ group, ...props }: DialogProps & { group: Group }) {
  const { mutateAsync: save } = useMutation(edit(useQueryClient(), group.id));
  return (
    <FormDialog
      {...props}
      title="Edit Group"
      initial={formOf(group)}
      failureText="Failed to update group"
      save={save}
      done="Group updated successfully"
    >
      {(form) => <GroupForm {...form} group={group} />}
    </FormDialog>
  );
}

export function DeleteGroupDialog({ group, opened, onClose }: DialogProps & { group: Group }) {
  return (
    <DeleteDialog
      opened={opened}
      title="Delete Group"
      mutation={deletion(useQueryClient(), group.id)}
      done="Group deleted successfully"
      failed="Failed to delete group"
      onClose={onClose}
    >
      <p>
        Are you sure you want to delete <strong>{group.name}</strong>? {counted(group.member_count, "person", "people")}{" "}
        will immediately lose the access that the group gives them. This cannot be undone.
      </p>
      <ChangePreview change={{ kind: "group-deleted", group_id: group.id }} />
    </DeleteDialog>
  );
}
