// The sidebar's entries in order (SHELL-14 to SHELL-17), by role. Screens that are not built yet are missing.
import type { Role } from "@strongroom/contract";
import {
  IconBuildingBank,
  IconClockBolt,
  IconHistory,
  IconKey,
  IconLayoutDashboard,
  IconLock,
  IconPlugConnected,
  IconRadar2,
  IconServerCog,
  IconSettingsCog,
  IconShieldCheck,
  IconShieldCog,
  IconTerminal2,
  IconUserShield,
  IconUsers,
  IconUsersGroup,
  type Icon,
} from "@tabler/icons-react";
import { paths } from "./paths.ts";

export interface NavigationEntry {
  label: string;
  path: string;
  icon: Icon;
  /** The roles that can use the page, as the server enforces; all roles by default. */
  roles?: readonly Role[];
  /** Pages below this one, shown while one of them is open. */
  pages?: readonly NavigationEntry[];
}

export interface NavigationGroup {
  label: string;
  icon: Icon;
  entries: readonly NavigationEntry[];
}

type Navigation = readonly (NavigationEntry | NavigationGroup)[];

const MANAGERS: readonly Role[] = ["admin", "manager"];

const navigation: Navigation = [
  { label: "Dashboard", path: paths.dashboard, icon: IconLayoutDashboard },
  {
    label: "Accounts",
    icon: IconUsersGroup,
    entries: [
      { label: "Accounts", path: paths.accounts, icon: IconUserShield },
      { label: "Validation Dashboard", path: paths.validationDashboard, icon: IconShieldCheck },
      { label: "Safes", path: paths.safes, icon: IconBuildingBank },
      { label: "Credential Vault", path: paths.vault, icon: IconKey },
      { label: "Discovery", path: paths.discovery, icon: IconRadar2 },
    ],
  },
  { label: "CPM Dashboard", path: paths.cpmDashboard, icon: IconShieldCog },
  { label: "JIT Access", path: paths.jitAccess, icon: IconClockBolt },
  { label: "Session Monitoring", path: paths.sessions, icon: IconTerminal2 },
  { label: "Access Control", path: paths.accessControl, icon: IconLock },
  { label: "Integrations", path: paths.integrations, icon: IconPlugConnected, roles: MANAGERS },
  { label: "Audit Logs", path: paths.auditLogs, icon: IconHistory, roles: MANAGERS },
  {
    label: "Admin Console",
    path: paths.admin,
    icon: IconSettingsCog,
    roles: MANAGERS,
    pages: [
      { label: "Groups", path: paths.adminGroups, icon: IconUsers, roles: MANAGERS },
      { label: "Platforms", path: paths.adminPlatforms, icon: IconServerCog, roles: MANAGERS },
    ],
  },
];

/** The entries that the role can use (OPEN-19). */
export function navigationFor(role: Role): Navigation {
  const isOpen = ({ roles }: NavigationEntry) => roles?.includes(role) !== false;
  return navigation.flatMap((item): Navigation => {
    if (!("entries" in item)) return isOpen(item) ? [item] : [];
    const entries = item.entries.filter(isOpen);
    return entries.length === 0 ? [] : [{ ...item, entries }];
  });
}

/** Pages that work while an account is waiting for activation. */
export const pendingNavigation: Navigation = [{ label: "Credential Vault", path: paths.vault, icon: IconKey }];

const PENDING_PAGES = [paths.vault, paths.profile, paths.notifications, paths.settings, paths.help];

export const isOpenWhilePending = (pathname: string): boolean =>
  PENDING_PAGES.some((path) => pathname === path || pathname.startsWith(`${path}/`));
