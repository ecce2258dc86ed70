// Every address of the app, typed: nothing else writes a path.

export const paths = {
  dashboard: "/",
  accounts: "/accounts",
  /** One account; with ":id" the pattern of all. */
  account: (id: string) => `/accounts/${id}`,
  /** The accounts of one safe. */
  accountsIn: (safeId: string) => `/accounts?safe=${safeId}`,
  /** The accounts on one platform. */
  accountsOn: (platformId: string) => `/accounts?platform=${platformId}`,
  validationDashboard: "/validation-dashboard",
  /** One of its tabs, at one of the tab's views. */
  validationAt: (tab: string, view = "") => `/validation-dashboard?tab=${tab}${view === "" ? "" : `&view=${view}`}`,
  safes: "/safes",
  /** One safe, at one of its tabs; with ":id" the pattern of all. */
  safe: (id: string, tab = "") => (tab === "" ? `/safes/${id}` : `/safes/${id}?tab=${tab}`),
  vault: "/vault",
  /** One credential; with ":id" the pattern of all. */
  credential: (id: string) => `/vault/${id}`,
  /** An older address of the vault (OPEN-26). */
  credentialVault: "/credential-vault",
  discovery: "/discovery",
  cpmDashboard: "/cpm-dashboard",
  jitAccess: "/jit-access",
  /** One access request, opened. */
  accessRequest: (id: string) => `/jit-access?request=${id}`,
  /** The form that asks for an account, opened. */
  requestAccess: (accountId: string) => `/jit-access?ask=${accountId}`,
  sessions: "/sessions",
  certificates: "/certificates",
  accessControl: "/access-control",
  integrations: "/integrations",
  auditLogs: "/audit-logs",
  admin: "/admin",
  adminGroups: "/admin/groups",
  adminPlatforms: "/admin/platforms",
  profile: "/profile",
  notifications: "/notifications",
  settings: "/settings",
  /** One of its cards. */
  settingsAt: (card: "notifications" | "dashboard") => `/settings#${card}`,
  help: "/help",
  signIn: "/auth",
  login: "/login",
  signUp: "/signup",
  signUpNew: "/signup-new",
  resetPassword: "/reset-password",
  cancelRecovery: "/cancel-recovery",
  /** Where an identity provider sends the browser back to; the server names it (`redirectUriOf`). */
  providerCallback: (id: string) => `/auth/callback/${id}`,
  unseal: "/unseal",
  loadingDemo: "/loading-demo",
  componentDemo: "/component-demo",
  inactivityTest: "/inactivity-test",
  cpmTest: "/cpm-test",
} as const;
