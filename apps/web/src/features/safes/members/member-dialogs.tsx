// "Add Member", "Edit Member" and "Remove Member".
import type { Safe, SafeMember } from "@strongroom/contract";
import { useQueryClient } from "@tanstack/react-query";
import { ChangePreview } from "#shared/access-preview/change-preview.tsx";
import { useMutation } from "#shared/api/use-mutation.ts";
import { useUser } from "#shared/session/session-store.ts";
import { DeleteDialog } from "#shared/ui/confirm-action-dialog.tsx";
import { FormDialog } from "#shared/ui/form-dialog.tsx";
import type { DialogProps } from "#shared/ui/modal.tsx";
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

interface MemberDialogProps extends DialogProps {
  safe: Safe;
}

function useGivable(safe: Safe, had?: SafeMember["permissions"]) {
  const isAdmin = useUser().role === "admin";
  return grantablePermissions({ isAdmin, permissions: safe.my_permissions }, had);
}

export function AddMemberDialog({ safe, ...props }: MemberDialogProps) {
  const { mutateAsync: add } = useMutation(addition(useQueryClient(), safe.id));
  const may = useGivable(safe);
  const initial = isRoleGrantable("user", may)
    ? EMPTY_MEMBER
    : withRole({ ...EMPTY_MEMBER, permissions: ["list"] }, "custom");
  return (
    <FormDialog
      {...props}
      title="Add Member"
      size="lg"
      initial={initial}
      submitLabel="Add Member"
      failureText="Failed to add member"
      save={(values) => add(newPayloadOf(values))}
      done={({ name }) => `${name} is now a member`}
    >
      {(form) => (
        <MemberForm
          {...form}
          isNew
          may={may}
          changeOf={(values) =>
            isComplete(values) ? { kind: "member-added", safe_id: safe.id, member: newPayloadOf(values) } : null
          }
        />
      )}
    </FormDialog>
  );
}

export function EditMemberDialog({ safe, member, ...props }: MemberDialogProps & { member: SafeMember }) {
  const { mutateAsync: save } = useMutation(memberEdit(useQueryClient(), safe.id, member.id));
  const may = useGivable(safe, member.permissions);
  return (
    <FormDialog
      {...props}
      title={`Edit ${member.name}`}
      size="lg"
      initial={formOf(member)}
      failureText="Failed to update member"
      save={(values) => save(editPayloadOf(values))}
      done={({ name }) => `${name} updated successfully`}
    >
      {(form) => (
        <MemberForm
          {...form}
          may={may}
          changeOf={(values) =>
            isComplete(values)
              ? { kind: "member-updated", safe_id: safe.id, member_id: member.id, member: editPayloadOf(values) }
              : null
          }
        />
      )}
    </FormDialog>
  );
}

export function RemoveMemberDialog({ safe, member, opened, onClose }: MemberDialogProps & { member: SafeMember }) {
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
        membership end immediately{member.group_id === null ? "" : " for all members of the group"}.
      </p>
      <ChangePreview change={{ kind: "member-removed", safe_id: safe.id, member_id: member.id }} />
    </DeleteDialog>
  );
}
