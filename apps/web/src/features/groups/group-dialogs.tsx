// "Create Group", "Edit Group" and "Delete Group".
import type { Group } from "@strongroom/contract";
import { useQueryClient } from "@tanstack/react-query";
import { ChangePreview } from "#shared/access-preview/change-preview.tsx";
import { useMutation } from "#shared/api/use-mutation.ts";
import { counted } from "#shared/format/text.ts";
import { DeleteDialog } from "#shared/ui/confirm-action-dialog.tsx";
import { Modal } from "#shared/ui/modal.tsx";
import { toast } from "#shared/ui/toast.ts";
import { EMPTY_GROUP, formOf } from "./group-form-values.ts";
import { GroupForm } from "./group-form.tsx";
import { creation, deletion, edit } from "./groups.queries.ts";

export interface DialogProps {
  opened: boolean;
  onClose: () => void;
}

export function CreateGroupDialog({ opened, onClose }: DialogProps) {
  const { mutateAsync: create } = useMutation(creation(useQueryClient()));
  return (
    <Modal opened={opened} onClose={onClose} title="Create Group">
      <GroupForm
        group={null}
        initial={EMPTY_GROUP}
        submitLabel="Create Group"
        failureText="Failed to create group"
        onCancel={onClose}
        onSubmit={async (values) => {
          await create(values);
          toast.success("Group created successfully");
          onClose();
        }}
      />
    </Modal>
  );
}

export function EditGroupDialog({ group, opened, onClose }: DialogProps & { group: Group }) {
  const { mutateAsync: save } = useMutation(edit(useQueryClient(), group.id));
  return (
    <Modal opened={opened} onClose={onClose} title="Edit Group">
      <GroupForm
        group={group}
        initial={formOf(group)}
        submitLabel="Save Changes"
        failureText="Failed to update group"
        onCancel={onClose}
        onSubmit={async (values) => {
          await save(values);
          toast.success("Group updated successfully");
          onClose();
        }}
      />
    </Modal>
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
