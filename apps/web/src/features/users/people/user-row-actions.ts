// The entries of the menu with an administrator's actions on one user.
import {
  IconApi,
  IconFileCertificate,
  IconKey,
  IconLockOpen,
  IconLogout,
  IconShieldOff,
  IconTrash,
  IconUserCheck,
  IconUserCog,
  IconUserOff,
} from "@tabler/icons-react";
import { ROLES, type User } from "@strongroom/contract";
import { capitalised } from "#shared/format/text.ts";
import type { RowAction } from "#shared/ui/row-menu.tsx";
import type { RequestedReset } from "./admin-reset-dialog.tsx";
import type { UserAction } from "./user-actions.ts";

export interface UserHandlers {
  onAsk: (action: UserAction) => void;
  /** Issues a link that sets the user's password: an invitation while one is open, else a reset link. */
  onIssue: (user: User) => void;
  /** The user is an administrator, so a reset has to be requested. */
  onRequestReset: (wish: RequestedReset) => void;
  /** Shows the user's API tokens. */
  onTokens: (user: User) => void;
}

export function actionsOn(user: User, handlers: UserHandlers, saveEvidence: () => void): RowAction[] {
  const { onAsk, onTokens } = handlers;
  const isWaiting = user.status === "pending";
  return [
    ...(isWaiting
      ? [{ label: "Activate", icon: IconUserCheck, onClick: () => onAsk({ kind: "activate", user }) }]
      : ROLES.filter((role) => role !== user.role).map((role) => ({
          label: `Make ${capitalised(role)}`,
          icon: IconUserCog,
          onClick: () => onAsk({ kind: "role", user, role }),
        }))),
    ...resetsOf(user, handlers),
    {
      label: "Unlock",
      icon: IconLockOpen,
      isDisabled: user.slowed_down_until === null,
      onClick: () => onAsk({ kind: "unlock", user }),
    },
    {
      label: "End Sessions",
      icon: IconLogout,
      isDisabled: user.open_sessions === 0,
      onClick: () => onAsk({ kind: "end-sessions", user }),
    },
    { label: "API Tokens", icon: IconApi, onClick: () => onTokens(user) },
    { label: "Evidence", icon: IconFileCertificate, onClick: saveEvidence },
    ...(user.status === "disabled"
      ? [{ label: "Enable", icon: IconUserCheck, onClick: () => onAsk({ kind: "status", user, status: "active" }) }]
      : []),
    ...(user.status === "active"
      ? [
          {
            label: "Disable",
            icon: IconUserOff,
            isDanger: true,
            onClick: () => onAsk({ kind: "status", user, status: "disabled" }),
          },
        ]
      : []),
    { label: "Delete", icon: IconTrash, isDanger: true, onClick: () => onAsk({ kind: "delete", user }) },
  ];
}

/** Resets of an administrator need a second administrator. */
function resetsOf(user: User, { onAsk, onIssue, onRequestReset }: UserHandlers): RowAction[] {
  const needsSecond = user.role === "admin" && user.invited_at === null;
  return [
    {
      label: needsSecond
        ? "Request Password Reset"
        : user.invited_at === null
          ? "Create Reset Link"
          : "Create Invitation Link",
      icon: IconKey,
      isDisabled: user.status === "disabled",
      onClick: () => (needsSecond ? onRequestReset({ user, kind: "password" }) : onIssue(user)),
    },
    {
      label: needsSecond ? "Request Factor Reset" : "Reset Factors",
      icon: IconShieldOff,
      onClick: () => (needsSecond ? onRequestReset({ user, kind: "factors" }) : onAsk({ kind: "reset-factors", user })),
    },
  ];
}
