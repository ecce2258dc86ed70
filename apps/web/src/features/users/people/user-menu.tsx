// The menu with an administrator's actions on one user.
import { ActionIcon, Menu } from "@mantine/core";
import {
  IconApi,
  IconDots,
  IconFileCertificate,
  IconKey,
  IconLockOpen,
  IconLogout,
  IconShieldOff,
  IconTrash,
  IconUserCheck,
  IconUserCog,
  IconUserOff,
  type Icon,
} from "@tabler/icons-react";
import { ROLES, type User } from "@strongroom/contract";
import type { ReactNode } from "react";
import { useEvidence } from "#shared/audit/use-evidence.ts";
import { capitalised } from "#shared/format/text.ts";
import type { RequestedReset } from "./admin-reset-dialog.tsx";
import type { UserAction } from "./user-actions.ts";

export interface UserMenuProps {
  user: User;
  onAsk: (action: UserAction) => void;
  /** Issues a link that sets the user's password: an invitation while one is open, else a reset link. */
  onIssue: (user: User) => void;
  /** The user is an administrator, so a reset has to be requested. */
  onRequestReset: (wish: RequestedReset) => void;
  /** Shows the user's API tokens. */
  onTokens: (user: User) => void;
}

export function UserMenu({ user, onAsk, onIssue, onRequestReset, onTokens }: UserMenuProps) {
  const isWaiting = user.status === "pending";
  const needsSecond = user.role === "admin" && user.invited_at === null;
  const evidence = useEvidence({ about: "user", id: user.id });
  return (
    // Not in a portal, so that the menu stays inside the page's landmarks; no focus placeholder, because it is not a
    // menu item.
    <Menu position="bottom-end" withinPortal={false} withInitialFocusPlaceholder={false}>
      <Menu.Target>
        <ActionIcon aria-label={`Actions for ${user.name}`}>
          <IconDots size={16} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {isWaiting && (
          <Item icon={IconUserCheck} onClick={() => onAsk({ kind: "activate", user })}>
            Activate
          </Item>
        )}
        {ROLES.filter((role) => role !== user.role && !isWaiting).map((role) => (
          <Item key={role} icon={IconUserCog} onClick={() => onAsk({ kind: "role", user, role })}>
            Make {capitalised(role)}
          </Item>
        ))}
        <Menu.Divider />
        <Item
          icon={IconKey}
          isDisabled={user.status === "disabled"}
          onClick={() => (needsSecond ? onRequestReset({ user, kind: "password" }) : onIssue(user))}
        >
          {needsSecond && "Request password reset"}
          {!needsSecond && (user.invited_at === null ? "Create reset link" : "Create invitation link")}
        </Item>
        <Item
          icon={IconLockOpen}
          isDisabled={user.slowed_down_until === null}
          onClick={() => onAsk({ kind: "unlock", user })}
        >
          Unlock
        </Item>
        <Item
          icon={IconShieldOff}
          onClick={() =>
            needsSecond ? onRequestReset({ user, kind: "factors" }) : onAsk({ kind: "reset-factors", user })
          }
        >
          {needsSecond ? "Request factor reset" : "Reset factors"}
        </Item>
        <Item
          icon={IconLogout}
          isDisabled={user.open_sessions === 0}
          onClick={() => onAsk({ kind: "end-sessions", user })}
        >
          End sessions
        </Item>
        <Item icon={IconApi} onClick={() => onTokens(user)}>
          API tokens
        </Item>
        <Item icon={IconFileCertificate} isDisabled={evidence.isPending} onClick={evidence.save}>
          Evidence
        </Item>
        <Menu.Divider />
        {user.status === "active" && (
          <Item icon={IconUserOff} isGrave onClick={() => onAsk({ kind: "status", user, status: "disabled" })}>
            Disable
          </Item>
        )}
        {user.status === "disabled" && (
          <Item icon={IconUserCheck} onClick={() => onAsk({ kind: "status", user, status: "active" })}>
            Enable
          </Item>
        )}
        <Item icon={IconTrash} isGrave onClick={() => onAsk({ kind: "delete", user })}>
          Delete
        </Item>
      </Menu.Dropdown>
    </Menu>
  );
}

interface ItemProps {
  icon: Icon;
  children: ReactNode;
  onClick: () => void;
  isDisabled?: boolean;
  isGrave?: boolean;
}

function Item({ icon: ItemIcon, children, onClick, isDisabled = false, isGrave = false }: ItemProps) {
  return (
    <Menu.Item
      {...(isGrave && { c: "var(--mantine-color-error)" })}
      leftSection={<ItemIcon size={16} aria-hidden />}
      disabled={isDisabled}
      onClick={onClick}
    >
      {children}
    </Menu.Item>
  );
}
