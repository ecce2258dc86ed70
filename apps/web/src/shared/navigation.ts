// The sidebar's entries in order (SHELL-14 to SHELL-17). Screens that are not built yet are missing.
import {
  IconBuildingBank,
  IconClockBolt,
  IconHistory,
  IconKey,
  IconLayoutDashboard,
  IconLock,
  IconPlugConnected,
  IconRadar2,
  IconSettingsCog,
  IconShieldCheck,
  IconShieldCog,
  IconTerminal2,
  IconUserShield,
  IconUsersGroup,
  type Icon,
} from "@tabler/icons-react";
import { paths } from "./paths.ts";

export interface NavigationEntry {
  label: string;
  path: string;
  icon: Icon;
}

export interface NavigationGroup {
  label: string;
  icon: Icon;
  entries: readonly NavigationEntry[];
}

export const navigation: readonly (NavigationEntry | NavigationGroup)[] = [
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
  { label: "Integrations", path: paths.integrations, icon: IconPlugConnected },
  { label: "Audit Logs", path: paths.auditLogs, icon: IconHistory },
  { label: "Admin Console", path: paths.admin, icon: IconSettingsCog },
];

/** Pages that work while an account is waiting for activation. */
export const pendingNavigation: typeof navigation = [{ label: "Credential Vault", path: paths.vault, icon: IconKey }];

const PENDING_PAGES = [paths.vault, paths.profile, paths.notifications, paths.settings, paths.help];

export const isOpenWhilePending = (pathname: string): boolean =>
  PENDING_PAGES.some((path) => pathname === path || pathname.startsWith(`${path}/`));
