// The actions an administrator can take on a user, with their confirmation texts and toasts.
import type { Role, User } from "@strongroom/contract";
import type { ProposedChange } from "#shared/access-preview/change-preview.tsx";
import type { ConfirmVariant } from "#shared/ui/confirm-dialog.tsx";
import { capitalised } from "#shared/format/text.ts";

export type UserAction = { user: User } & (
  | { kind: "role"; role: Role }
  | { kind: "status"; status: "active" | "disabled" }
  | { kind: "activate"; decision?: "approve" | "deny" }
  | { kind: "end-sessions" }
  | { kind: "delete" }
  | { kind: "unlock" }
  | { kind: "reset-factors" }
  | { kind: "role-request"; decision: "approve" | "deny" }
);

export interface ActionWords {
  title: string;
  /** The effect of the action. */
  sentence: string;
  confirmLabel: string;
  variant: ConfirmVariant;
  /** The success toast. */
  done: string;
}

/** The action's effect on access to safes; null without an effect or a preview. */
export function accessChangeOf(action: UserAction): ProposedChange | null {
  const { id, requested_role: requested } = action.user;
  if (action.kind === "role") return { kind: "role-changed", user_id: id, role: action.role };
  if (action.kind === "status" && action.status === "disabled") return { kind: "person-disabled", user_id: id };
  const isApproval = action.kind === "role-request" && action.decision === "approve";
  if (isApproval && requested !== null) {
    return { kind: "role-changed", user_id: id, role: requested };
  }
  return null;
}

const SESSIONS_END = "Their sessions end and they must sign in again.";

export function wordsOf(action: UserAction): ActionWords {
  const { user } = action;
  if (action.kind === "role") return roleChange(user, action.role);
  if (action.kind === "status") return action.status === "disabled" ? disabling(user) : enabling(user);
  if (action.kind === "activate") return activation(user, action.decision);
  if (action.kind === "end-sessions") return ending(user);
  if (action.kind === "delete") return deletion(user);
  if (action.kind === "unlock") return unlocking(user);
  if (action.kind === "reset-factors") return factorReset(user);
  return action.decision === "approve" ? approval(user) : denial(user);
}

const roleChange = ({ name, role: before }: User, role: Role): ActionWords => ({
  title: `Change ${name}'s Role to ${capitalised(role)}`,
  sentence: `${name} changes from ${capitalised(before)} to ${capitalised(role)}. ${SESSIONS_END}`,
  confirmLabel: "Change Role",
  variant: role === "admin" ? "danger" : "warning",
  done: `${name} is now ${capitalised(role)}`,
});

function activation(user: User, decision: "approve" | "deny" | undefined): ActionWords {
  const role = capitalised(decision === "approve" && user.requested_role !== null ? user.requested_role : user.role);
  return {
    title: `Activate ${user.name} as ${role}`,
    sentence: `${user.name} (${user.email}) gets all permissions of the role ${role}. The email address is not verified: make sure that you know who this is.`,
    confirmLabel: "Activate",
    variant: decision === "approve" ? "warning" : "success",
    done: `${user.name} is active as ${role}`,
  };
}

const ending = ({ name }: User): ActionWords => ({
  title: `End the Sessions of ${name}`,
  sentence: `${name} is signed out everywhere immediately and must sign in again. Their API tokens and SSH keys stop working too.`,
  confirmLabel: "End Sessions",
  variant: "warning",
  done: `The sessions of ${name} have ended`,
});

const disabling = ({ name }: User): ActionWords => ({
  title: `Disable ${name}`,
  sentence: `${name} is signed out everywhere immediately and cannot sign in until an administrator enables them again. Their credentials are kept.`,
  confirmLabel: "Disable",
  variant: "danger",
  done: `${name} is disabled`,
});

const deletion = ({ name, email }: User): ActionWords => ({
  title: `Delete ${name}`,
  sentence: `${name} (${email}) is signed out everywhere and the credentials in their vault are permanently deleted. They are removed from every safe and group, and their grants end. The audit trail is kept.`,
  confirmLabel: "Delete",
  variant: "danger",
  done: `${name} is deleted`,
});

const unlocking = ({ name }: User): ActionWords => ({
  title: `Unlock ${name}`,
  sentence: `${name} is temporarily locked after wrong passwords. Unlocking lets them try again immediately and resets the count.`,
  confirmLabel: "Unlock",
  variant: "info",
  done: `${name} can sign in again`,
});

const factorReset = ({ name }: User): ActionWords => ({
  title: `Reset the Second Factors of ${name}`,
  sentence: `Their authenticator apps, passkeys and recovery codes will be removed, their sessions ended, their API tokens and SSH keys revoked, and they will be notified. Make sure that the request really comes from ${name}.`,
  confirmLabel: "Reset Factors",
  variant: "danger",
  done: `Second factors of ${name} removed`,
});

const enabling = ({ name }: User): ActionWords => ({
  title: `Enable ${name}`,
  sentence: `${name} can sign in again, with the password and the role they had.`,
  confirmLabel: "Enable",
  variant: "success",
  done: `${name} is enabled`,
});

const askedFor = (user: User): string => capitalised(user.requested_role ?? user.role);

const approval = (user: User): ActionWords => ({
  title: `Approve ${askedFor(user)} for ${user.name}`,
  sentence: `${user.name} (${user.email}) becomes ${askedFor(user)}. ${SESSIONS_END}`,
  confirmLabel: "Approve",
  variant: "warning",
  done: `${user.name} is now ${askedFor(user)}`,
});

const denial = (user: User): ActionWords => ({
  title: `Deny ${askedFor(user)} for ${user.name}`,
  sentence: `${user.name} (${user.email}) stays ${capitalised(user.role)}. The request is closed.`,
  confirmLabel: "Deny",
  variant: "danger",
  done: `${user.name}'s request was denied`,
});
