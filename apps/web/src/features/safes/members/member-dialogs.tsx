// "Add Member", "Edit Member" and "Remove Member".
import type { Safe, SafeMember } from "@strongroom/contract";
import { useQueryClient } from "@tanstack/react-query";
import { ChangePreview } from "#shared/access-preview/change-preview.tsx";
import { useMutation } from "#shared/api/use-mutation.ts";
import { useUser } from "#shared/session/session-store.ts";
import { DeleteDialog } from "#shared/ui/confirm-action-dialog.tsx";
import { Modal } from "#shared/ui/modal.tsx";
import { toast } from "#shared/ui/toast.ts";
import {
  EMPTY_MEMBER,
  checkMember,
  editPayloadOf,
  formOf,
  grantablePermissions,
  isRoleGrantable,
  newPayloadOf,
  withRole,
  type MemberFormValues,
} from "./member-form-values.ts";
import { MemberForm } from "./member-form.tsx";
import { addition, memberEdit, removal } from "../safes.queries.ts";

const isComplete = (values: MemberFormValues): boolean => Object.keys(checkMember(values, Date.now())).length === 0;

interface DialogProps {
  safe: Safe;
  opened: boolean;
  onClose: () => void;
}

function useGivable(safe: Safe, had?: SafeMember["permissions"]) {
  const isAdmin = useUser().role === "admin";
  return grantablePermissions({ isAdmin, permissions: safe.my_permissions }, had);
}

export function AddMemberDialog({ safe, opened, onClose }: DialogProps) {
  const { mutateAsync: add } = useMutation(addition(useQueryClient(), safe.id));
  const may = useGivable(safe);
  const initial = isRoleGrantable("user", may)
    ? EMPTY_MEMBER
    : withRole({ ...EMPTY_MEMBER, permissions: ["list"] }, "custom");
  return (
    <Modal opened={opened} onClose={onClose} title="Add Member" size="lg">
      <MemberForm
        initial={initial}
        isNew
        may={may}
        changeOf={(values) =>
          isComplete(values) ? { kind: "member-added", safe_id: safe.id, member: newPayloadOf(values) } : null
        }
        submitLabel="Add Member"
        failureText="Failed to add member"
        onCancel={onClose}
        onSubmit={async (values) => {
          const { name } = await add(newPayloadOf(values));
          toast.success(`${name} is now a member`);
          onClose();
        }}
      />
    </Modal>
  );
}

export function EditMemberDialog({ safe, member, opened, onClose }: DialogProps & { member: SafeMember }) {
  const { mutateAsync: save } = useMutation(memberEdit(useQueryClient(), safe.id, member.id));
  const may = useGivable(safe, member.permissions);
  return (
    <Modal opened={opened} onClose={onClose} title={`Edit ${member.name}`} size="lg">
      <MemberForm
        initial={formOf(member)}
        may={may}
        changeOf={(values) =>
          isComplete(values)
            ? { kind: "member-updated", safe_id: safe.id, member_id: member.id, member: editPayloadOf(values) }
            : null
        }
        submitLabel="Save Changes"
        failureText="Failed to update member"
        onCancel={onClose}
        onSubmit={async (values) => {
          const { name } = await save(editPayloadOf(values));
          toast.success(`${name} updated successfully`);
          onClose();
        }}
      />
    </Modal>
  );
}

export function RemoveMemberDialog({ safe, member, opened, onClose }: DialogProps & { member: SafeMember }) {
  return (
    <DeleteDialog
      opened={opened}
      title="Remove Member"
      confirmLabel="Remove"
      mutation={removal(useQueryClient(), safe.id, member.id)}
      done={`${member.name} is no longer a member`}
      failed="Failed to remove member"
      onClose={onClose}
    >
      <p>
        Remove <strong>{member.name}</strong> from <strong>{safe.name}</strong>? Permissions and active access from this
        membership end at once{member.group_id === null ? "" : " for all members of the group"}.
      </p>
      <ChangePreview change={{ kind: "member-removed", safe_id: safe.id, member_id: member.id }} />
    </DeleteDialog>
  );
}
