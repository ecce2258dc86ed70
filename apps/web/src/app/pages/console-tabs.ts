// The tabs of the Admin Console, as they appear in the address.
export const CONSOLE_TABS = [
  "users",
  "role-requests",
  "resets",
  "machines",
  "policy",
  "providers",
  "keys",
  "jobs",
  "system",
  "backups",
  "restore-review",
] as const;
export type ConsoleTab = (typeof CONSOLE_TABS)[number];

export const TAB_LABELS: Record<ConsoleTab, string> = {
  users: "Users",
  "role-requests": "Sign-ups",
  resets: "Pending resets",
  machines: "Machine identities",
  policy: "Sign-in policy",
  providers: "Sign-in providers",
  keys: "Seal & keys",
  jobs: "Jobs",
  system: "System",
  backups: "Backups",
  "restore-review": "Restore review",
};
