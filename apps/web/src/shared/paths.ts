// Every address of the app, typed; other code builds no paths.
import type { ValidationFilter } from "@strongroom/contract";

export const paths = {
  dashboard: "/",
  accounts: "/accounts",
  /** One account, or the route pattern with ":id". */
  account: (id: string) => `/accounts/${id}`,
  /** One host by its name, or the route pattern with ":name". */
  host: (name: string) => (name === ":name" ? "/hosts/:name" : `/hosts/${encodeURIComponent(name)}`),
  /** The accounts of one safe. */
  accountsIn: (safeId: string) => `/accounts?safe=${safeId}`,
  /** The accounts on one platform. */
  accountsOn: (platformId: string) => `/accounts?platform=${platformId}`,
  /** The accounts whose rotation is due soon or overdue. */
  accountsToRotate: (): string => "/accounts?tab=rotation-due",
  validationDashboard: "/validation-dashboard",
  /** A tab of the dashboard and, optionally, a view of that tab. */
  validationAt: (tab: string, view = "", range = "") =>
    `/validation-dashboard?${new URLSearchParams({ tab, ...(view === "" ? {} : { view }), ...(range === "" ? {} : { range }) })}`,
  /** The list of stored secrets that match a filter of the advanced search. */
  secretsWith: (filter: Partial<ValidationFilter>) =>
    `/validation-dashboard?${new URLSearchParams({ tab: "search", filter: JSON.stringify(filter) })}`,
  safes: "/safes",
  /** One safe, optionally at a tab, or the route pattern with ":id". */
  safe: (id: string, tab = "") => (tab === "" ? `/safes/${id}` : `/safes/${id}?tab=${tab}`),
  vault: "/vault",
  /** One credential, or the route pattern with ":id". */
  credential: (id: string) => `/vault/${id}`,
  /** A former address of the vault (OPEN-26). */
  credentialVault: "/credential-vault",
  discovery: "/discovery",
  /** A tab of the page and, optionally, its filters: `{ status: "rejected" }`. */
  discoveryAt: (tab: string, filter: Record<string, string> = {}) =>
    `/discovery?${new URLSearchParams({ tab, ...filter })}`,
  cpmDashboard: "/cpm-dashboard",
  jitAccess: "/jit-access",
  /** The page with one access request open. */
  accessRequest: (id: string) => `/jit-access?request=${id}`,
  /** The page of one request, for the decision, or the route pattern with ":id". */
  reviewRequest: (id: string) => `/jit-access/${id}`,
  /** The page with the request form for an account open. */
  requestAccess: (accountId: string) => `/jit-access?ask=${accountId}`,
  sessions: "/sessions",
  liveSessions: "/sessions?status=active",
  /** The sessions of one user on one account. */
  sessionsOf: (filter: { user: string; account: string }) => `/sessions?${new URLSearchParams(filter)}`,
  /** The terminal of a session on one account. */
  connect: (accountId: string) => `/accounts/${accountId}/connect`,
  accessControl: "/access-control",
  integrations: "/integrations",
  auditLogs: "/audit-logs",
  /** One entry of the trail. */
  auditEntry: (id: string) => `/audit-logs?search=${id}`,
  admin: "/admin",
  adminAt: (tab: string) => `/admin?tab=${tab}`,
  adminGroups: "/admin/groups",
  adminPlatforms: "/admin/platforms",
  profile: "/profile",
  notifications: "/notifications",
  settings: "/settings",
  /** The page scrolled to one of its cards. */
  settingsAt: (card: "notifications" | "dashboard") => `/settings#${card}`,
  help: "/help",
  signIn: "/auth",
  login: "/login",
  signUp: "/signup",
  signUpNew: "/signup-new",
  resetPassword: "/reset-password",
  cancelRecovery: "/cancel-recovery",
  /** An identity provider's redirect target; the server builds it too (`redirectUriOf`). */
  providerCallback: (id: string) => `/auth/callback/${id}`,
  unseal: "/unseal",
  loadingDemo: "/loading-demo",
  componentDemo: "/component-demo",
  inactivityTest: "/inactivity-test",
  cpmTest: "/cpm-test",
} as const;
