import { act, screen, waitFor } from "@testing-library/react";
import { QueryClient } from "@tanstack/react-query";
import { Outlet, matchRoutes } from "react-router";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { configureCalls } from "#shared/api/call.ts";
import { currentSession, endSession } from "#shared/session/session-store.ts";
import { leaveEndedSession } from "#shared/session/sign-out.ts";
import { SignedOutOnly, Protected } from "./guards.tsx";
import { paths } from "#shared/paths.ts";
import { Shell, preloadRoute, routes } from "./router.tsx";
import { SealWatch } from "./app.tsx";
// Imported here so that no test waits for the layout to compile.
import "./shell/shell.tsx";
import { problem, startApi, type TestApi } from "./testing/api-server.ts";
import { renderScreen } from "./testing/render.tsx";
import { TEST_USER, signInForTest, signOutForTest } from "./testing/sign-in.ts";

function SealWatchLayout() {
  return (
    <>
      <SealWatch />
      <Outlet />
    </>
  );
}

let api: TestApi;
beforeEach(async () => {
  signOutForTest();
  api = await startApi({
    "GET /api/v1/health": { json: { status: "healthy", summary: "x", version: "1", uptime: 1, checks: [] } },
    "GET /api/v1/auth/entrance": { json: { needs_setup: false, sign_up_open: true, mail_configured: true } },
    "POST /api/v1/auth/logout": { json: { message: "ok", provider: null } },
    "GET /api/v1/auth/session": {
      json: {
        user: TEST_USER,
        session_id: "22222222-2222-4222-8222-222222222222",
        is_pending: false,
        expires_at: "2100-01-01T00:00:00.000Z",
        limits: { timeout_minutes: 30, warning_minutes: 5, privileged_timeout_minutes: 15 },
      },
    },
  });
  configureCalls({
    token: () => currentSession().token,
    onUnauthorized: (token) => leaveEndedSession("server", token),
  });
});
afterEach(async () => {
  signOutForTest();
  await api.close();
});

const show = (at: string) => renderScreen(null, { at, routes });
const elementsOf = (path: string) =>
  (matchRoutes(routes, path) ?? []).map(({ route }) => (route.element as { type?: unknown })?.type);

describe("the route table", () => {
  const protectedPaths = [
    "/",
    "/vault",
    "/vault/33333333-3333-4333-8333-333333333333",
    "/cpm-dashboard",
    "/accounts",
    "/validation-dashboard",
    "/safes",
    "/safes/33333333-3333-4333-8333-333333333333",
    "/discovery",
    "/jit-access",
    "/sessions",
    "/access-control",
    "/integrations",
    "/audit-logs",
    "/admin",
    "/admin/groups",
    "/admin/platforms",
    "/cpm-test",
    "/profile",
    "/notifications",
    "/settings",
    "/help",
  ];

  test.each(protectedPaths)(
    "AUTH-38, SHELL-06, SHELL-07, SHELL-09, SHELL-44: %s needs a signed-in user and renders inside the layout",
    (path) => {
      const elements = elementsOf(path);
      expect(elements.slice(0, 2)).toEqual([Protected, Shell]);
      expect(elements).toHaveLength(3);
    },
  );

  test.each(["/auth", "/login", "/signup", "/signup-new"])("AUTH-02 to AUTH-04, SHELL-04: %s is for visitors", (path) =>
    expect(elementsOf(path)[0]).toBe(SignedOutOnly),
  );

  test.each(["/loading-demo", "/component-demo", "/inactivity-test", "/reset-password", "/cancel-recovery", "/unseal"])(
    "SHELL-05, OPEN-105, OPEN-145: %s is public",
    (path) => {
      expect(elementsOf(path)).not.toContain(Protected);
      expect(elementsOf(path)).toHaveLength(1);
    },
  );

  test("every path in paths.ts has its own route", () => {
    const all = Object.values(paths)
      .filter((path) => typeof path === "string")
      .map((path) => path.split("?")[0]!);
    for (const path of all) expect(matchRoutes(routes, path)?.at(-1)?.route.path, path).toBe(path);
  });
});

test("preloading a route requests its layout and its page, and ignores a failed load", async () => {
  const loads: string[] = [];
  const loadAs = (name: string) => () => {
    loads.push(name);
    return Promise.reject(new Error("offline"));
  };
  const before = (matchRoutes(routes, "/accounts") ?? []).map(({ route }) => [route, route.handle] as const);
  const [, layout, accounts] = before.map(([route]) => route);
  layout!.handle = loadAs("layout");
  accounts!.handle = loadAs("accounts");
  try {
    const client = new QueryClient();
    await preloadRoute({ pathname: "/accounts", search: "" }, client);
    await preloadRoute({ pathname: "/no/such/page", search: "" }, client);
  } finally {
    for (const [route, handle] of before) route.handle = handle;
  }
  expect(before.map(([, handle]) => typeof handle)).toEqual(["undefined", "function", "function"]);
  expect(loads).toEqual(["layout", "accounts"]);
});

test("a preloaded page requests its data, and renders immediately without a fallback", async () => {
  const api = await startApi({});
  signInForTest();
  try {
    const client = new QueryClient();
    await preloadRoute({ pathname: "/vault", search: "?search=mail" }, client);
    await waitFor(() => expect(api.requestsTo("GET /api/v1/credentials")).toHaveLength(1));
    expect(api.requestsTo("GET /api/v1/credentials")[0]?.query.get("search")).toBe("mail");
    show("/vault?search=mail");
    expect(screen.getByRole("heading", { name: "Credential Vault" })).toBeTruthy();
  } finally {
    await api.close();
  }
});

test("SHELL-02, SHELL-03: a protected page redirects a visitor to /auth, replaces the history entry and remembers the origin", async () => {
  const { router } = show("/help?x=1");
  expect(await screen.findByRole("button", { name: "Sign In" })).toBeTruthy();
  expect(router.state.location.pathname).toBe("/auth");
  expect(router.state.historyAction).toBe("REPLACE");
  expect(router.state.location.state).toMatchObject({ from: { pathname: "/help", search: "?x=1" } });
  act(() => signInForTest());
  expect(await screen.findByRole("heading", { name: "Help" })).toBeTruthy();
  expect(router.state.location.search).toBe("?x=1");
});

test("SHELL-08: an unknown path redirects to /", async () => {
  signInForTest();
  const { router } = show("/no/such/page");
  await waitFor(() => expect(router.state.location.pathname).toBe("/"));
});

test("OPEN-26: /credential-vault redirects to /vault", async () => {
  signInForTest();
  const { router } = show("/credential-vault");
  await waitFor(() => expect(router.state.location.pathname).toBe("/vault"));
});

test("OPEN-72: a 401 on a signed-in page signs the user out and remembers the page", async () => {
  signInForTest();
  const { router } = show("/settings");
  expect(await screen.findByRole("heading", { name: "Settings" })).toBeTruthy();
  act(() => leaveEndedSession("server", currentSession().token));
  expect(await screen.findByText("Your session has ended. Please sign in again.")).toBeTruthy();
  expect(router.state.location.state).toMatchObject({ from: { pathname: "/settings" } });
});

test.each(["/certificates"])("%s is not built yet, so it redirects to / like any unknown path", async (path) => {
  signInForTest();
  const { router } = show(path);
  await waitFor(() => expect(router.state.location.pathname).toBe("/"));
});

test("a sealed vault redirects to the unseal page, which redirects back after unsealing", async () => {
  let isSealed = true;
  api.on("GET /api/v1/seal", () => ({ json: { is_sealed: isSealed, provider: "passphrase" } }));
  api.on("GET /api/v1/user/preferences/dashboard", problem(503, "sealed", "The vault is sealed."));
  api.on("GET /api/v1/user/preferences/notifications", problem(503, "sealed", "The vault is sealed."));
  api.on("POST /api/v1/seal/unseal", () => {
    isSealed = false;
    return { json: { message: "The vault is unsealed." } };
  });
  signInForTest();
  const { router, user } = renderScreen(null, {
    at: "/settings",
    routes: [{ element: <SealWatchLayout />, children: routes }],
  });
  await user.type(await screen.findByLabelText("Passphrase"), "open sesame");
  expect(router.state.location.pathname).toBe("/unseal");
  await user.click(screen.getByRole("button", { name: "Unseal" }));
  await waitFor(() => expect(router.state.location.pathname).not.toBe("/unseal"));
  expect(api.requestsTo("POST /api/v1/seal/unseal")[0]?.body).toEqual({ passphrase: "open sesame" });
  expect(await screen.findByText("The vault is unsealed.")).toBeTruthy();
});

test("signing in after an explicit sign-out does not return to the page that was left", async () => {
  signInForTest();
  const { router } = show("/help");
  await screen.findByRole("heading", { name: "Help" });
  act(() => endSession("person"));
  await waitFor(() => expect(router.state.location.pathname).toBe("/login"));
  expect(router.state.location.state).toBeNull();
});
