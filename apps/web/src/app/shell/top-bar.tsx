// The top bar: search, the signed-in user, and Profile, Notifications | Settings, Help, Sign Out (SHELL-18 to
// SHELL-28).
import { Burger, UnstyledButton } from "@mantine/core";
import { IconHelp, IconLogout, IconSettings, IconUserCircle, type Icon } from "@tabler/icons-react";
import { useState } from "react";
import { Link, NavLink } from "react-router";
import { capitalised } from "#shared/format/text.ts";
import { NotificationBell } from "#shared/notifications/notification-bell.tsx";
import { useIsPending } from "#shared/session/pending-account.ts";
import { useUser } from "#shared/session/session-store.ts";
import { signOut } from "#shared/session/sign-out.ts";
import { toast } from "#shared/ui/toast.ts";
import { VaultMark } from "#shared/ui/vault-mark.tsx";
import { paths } from "#shared/paths.ts";
import { SearchBox } from "./search-box.tsx";
import classes from "./top-bar.module.css";

/** SHELL-19: the name, else the email, else "User". */
export const displayName = (user: { name?: string; email?: string }): string => user.name || user.email || "User";

function StripLink({ to, label, icon: LinkIcon }: { to: string; label: string; icon: Icon }) {
  return (
    <NavLink to={to} className={classes.tab} title={label}>
      <LinkIcon size={17} stroke={1.7} aria-hidden />
      <span className={classes.tabLabel}>{label}</span>
    </NavLink>
  );
}

function SignOut() {
  const [isBusy, setIsBusy] = useState(false);
  const leave = async () => {
    setIsBusy(true);
    try {
      await signOut("person");
      toast.success("Signed out successfully");
    } catch {
      toast.error("Failed to sign out");
      setIsBusy(false);
    }
  };
  return (
    <UnstyledButton className={classes.tab} title="Sign Out" onClick={() => void leave()} disabled={isBusy}>
      <IconLogout size={17} stroke={1.7} aria-hidden />
      <span className={classes.tabLabel}>Sign Out</span>
    </UnstyledButton>
  );
}

export interface TopBarProps {
  isMenuOpen: boolean;
  onMenu: () => void;
}

export function TopBar({ isMenuOpen, onMenu }: TopBarProps) {
  const user = useUser();
  const isPending = useIsPending();
  return (
    <header className={classes.bar}>
      <div className={classes.menu}>
        <Burger
          opened={isMenuOpen}
          onClick={onMenu}
          size="sm"
          aria-label="Open navigation"
          aria-expanded={isMenuOpen}
        />
        <Link to={paths.dashboard} className={classes.mark} aria-label="Strongroom, Dashboard">
          <VaultMark size={26} />
        </Link>
      </div>
      {!isPending && <SearchBox />}
      <div className={classes.person}>
        <span className={classes.name} data-testid="display-name">
          {displayName(user)}
        </span>
        <span className={classes.role}>{capitalised(user.role)}</span>
      </div>
      <nav className={classes.strip} aria-label="User menu">
        <StripLink to={paths.profile} label="Profile" icon={IconUserCircle} />
        <NotificationBell className={classes.tab}>
          <span className={classes.tabLabel}>Notifications</span>
        </NotificationBell>
        <hr className={classes.separator} aria-orientation="vertical" />
        <StripLink to={paths.settings} label="Settings" icon={IconSettings} />
        <StripLink to={paths.help} label="Help" icon={IconHelp} />
        <SignOut />
      </nav>
    </header>
  );
}
