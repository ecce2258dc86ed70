// The one route table.
import { lazy, useState, type ComponentType } from "react";
import type { QueryClient } from "@tanstack/react-query";
import { Navigate, matchRoutes, type RouteObject } from "react-router";
import { SignedOutOnly, Protected } from "./guards.tsx";
import { paths } from "#shared/paths.ts";

type PageComponent = ComponentType & {
  /** Requests what the page shows first, so that the server works while the page renders. */
  prefetch?: (client: QueryClient, params: URLSearchParams) => void;
};

type LoadPage = () => Promise<{ default: PageComponent }>;

/**
 * Loads the component on its first use. A component that is loaded already renders immediately, because React shows a
 * fallback, however short the wait, for at least 300 ms.
 */
function loadedOnce(load: LoadPage): { Loaded: ComponentType; preload: LoadPage } {
  let known: ComponentType | null = null;
  const preload: LoadPage = async () => {
    const module = await load();
    known = module.default;
    return module;
  };
  const Later = lazy(preload);
  function Loaded() {
    // Another component would be another page, so a mounted page keeps the one that it began with.
    const [Page] = useState(() => known ?? Later);
    return <Page />;
  }
  return { Loaded, preload };
}

/** A page whose code is loaded on its first visit. */
function page(path: string, load: LoadPage): RouteObject {
  const { Loaded, preload } = loadedOnce(load);
  return { path, element: <Loaded />, handle: preload };
}

/** The layout of signed-in pages. Lazy, because visitors do not need it and it is a fifth of the first download. */
const shell = loadedOnce(async () => ({ default: (await import("./shell/shell.tsx")).Shell }));

export const Shell = shell.Loaded;

const signIn = () => import("#features/sign-in/sign-in-page.tsx");
const signUp = () => import("#features/sign-in/sign-up/sign-up-page.tsx");

/** Pages for visitors; signed-in users are redirected. */
const entrances: RouteObject[] = [
  page(paths.signIn, signIn),
  page(paths.login, signIn),
  page(paths.signUp, signUp),
  page(paths.signUpNew, signUp),
];

/** Public pages. */
const open: RouteObject[] = [
  page(paths.resetPassword, () => import("#features/sign-in/password/reset-password-page.tsx")),
  page(paths.cancelRecovery, () => import("#features/sign-in/cancel-recovery-page.tsx")),
  page(paths.providerCallback(":id"), () => import("#features/sign-in/provider/provider-callback-page.tsx")),
  page(paths.unseal, () => import("#features/seal/unseal-page.tsx")),
  page(paths.loadingDemo, () => import("#features/demos/loading-demo-page.tsx")),
  page(paths.componentDemo, () => import("#features/demos/component-demo-page.tsx")),
  page(paths.inactivityTest, () => import("#features/demos/inactivity-test-page.tsx")),
];

/** Pages for signed-in users, inside the layout. */
const inShell: RouteObject[] = [
  page(paths.dashboard, () => import("#features/dashboard/dashboard-page.tsx")),
  page(paths.accounts, () => import("#features/accounts/list/accounts-page.tsx")),
  page(paths.account(":id"), () => import("#features/accounts/detail/account-detail-page.tsx")),
  page(paths.host(":name"), () => import("#features/hosts/host-page.tsx")),
  page(paths.validationDashboard, () => import("#features/validation/validation-dashboard-page.tsx")),
  page(paths.discovery, () => import("./pages/discovery-page.tsx")),
  page(paths.safes, () => import("#features/safes/list/safes-page.tsx")),
  page(paths.safe(":id"), () => import("#features/safes/detail/safe-page.tsx")),
  page(paths.vault, () => import("#features/vault/list/credential-list-page.tsx")),
  page(paths.credential(":id"), () => import("#features/vault/detail/credential-detail-page.tsx")),
  { path: paths.credentialVault, element: <Navigate to={paths.vault} replace /> },
  page(paths.jitAccess, () => import("#features/access-requests/list/jit-access-page.tsx")),
  page(paths.reviewRequest(":id"), () => import("#features/access-requests/decision/request-page.tsx")),
  page(paths.cpmDashboard, () => import("#features/cpm/cpm-dashboard-page.tsx")),
  page(paths.cpmTest, () => import("#features/demos/cpm-test-page.tsx")),
  page(paths.connect(":id"), () => import("#features/sessions/terminal/connect-page.tsx")),
  page(paths.sessions, () => import("#features/sessions/sessions-page.tsx")),
  page(paths.accessControl, () => import("./pages/access-control-page.tsx")),
  page(paths.auditLogs, () => import("#features/audit/audit-page.tsx")),
  page(paths.integrations, () => import("#features/audit-sinks/audit-sinks-page.tsx")),
  page(paths.admin, () => import("./pages/admin-page.tsx")),
  page(paths.adminGroups, () => import("#features/groups/groups-page.tsx")),
  page(paths.adminPlatforms, () => import("#features/platforms/platforms-page.tsx")),
  page(paths.profile, () => import("./pages/profile-page.tsx")),
  page(paths.notifications, () => import("#features/notifications/notifications-page.tsx")),
  page(paths.settings, () => import("#features/preferences/settings-page.tsx")),
  page(paths.help, () => import("#features/help/help-page.tsx")),
];

export const routes: RouteObject[] = [
  { element: <SignedOutOnly />, children: entrances },
  ...open,
  { element: <Protected />, children: [{ element: <Shell />, handle: shell.preload, children: inShell }] },
  { path: "*", element: <Navigate to={paths.dashboard} replace /> },
];

/**
 * Loads the layout and the page of a path in parallel. Without it, the page would load after the layout has rendered.
 * Resolves when both have loaded or failed; the page reports a failure when it renders.
 */
export async function preloadRoute({ pathname, search }: Pick<Location, "pathname" | "search">, client: QueryClient) {
  const loads = (matchRoutes(routes, pathname) ?? []).map(({ route }) => route.handle as LoadPage | undefined);
  const preload = async (load: LoadPage | undefined) =>
    (await load?.())?.default.prefetch?.(client, new URLSearchParams(search));
  await Promise.allSettled(loads.map(preload));
}
