import type { Account } from "@strongroom/contract";
import { screen, within } from "@testing-library/react";
import { afterEach, beforeEach, expect, test } from "vitest";
import { problem, startApi, type TestApi } from "#app/testing/api-server.ts";
import { renderScreen } from "#app/testing/render.tsx";
import { signInForTest } from "#app/testing/sign-in.ts";
import { anAccount } from "#features/accounts/testing/an-account.ts";
import { anAttempt } from "#features/validation/testing/figures.ts";
import HostPage from "./host-page.tsx";
import { isOnHost } from "./hosts.queries.ts";

const HOST = "db1.internal";
const ACCOUNTS = "GET /api/v1/accounts";
const refused = problem(403, "permission.missing", "You may not do this.");

let api: TestApi;
beforeEach(async () => {
  signInForTest();
  api = await startApi({
    [ACCOUNTS]: { json: { data: [], next_cursor: null } },
    "GET /api/v1/discovery/targets": refused,
    "GET /api/v1/validation/attempts": refused,
    "GET /api/v1/sessions": refused,
  });
});
afterEach(() => api.close());

const show = () => renderScreen(<HostPage />, { at: `/hosts/${HOST}`, path: "/hosts/:name" });
const having = (...data: Account[]) => api.on(ACCOUNTS, { json: { data, next_cursor: null } });
const region = (name: string) => within(screen.getByRole("region", { name }));

test("shows the accounts of exactly this host and their services", async () => {
  const login = { hostname_ip: HOST, system_type: "postgresql", port: 5432 } as const;
  having(anAccount({ ...login, username: "app" }), anAccount({ ...login, username: "dba" }));
  show();
  const table = within(await screen.findByRole("table", { name: "Accounts on this host" }));
  expect(table.getAllByRole("link").map(({ textContent }) => textContent)).toEqual(["app", "dba"]);
  expect(api.requestsTo(ACCOUNTS)[0]?.query.get("host")).toBe(HOST);
  expect(screen.getByRole("heading", { level: 1, name: HOST })).toBeTruthy();
  expect(region("Services").getByRole("listitem").textContent).toBe("PostgreSQL · 54322 accounts");
});

test("lists that the caller may not read are left out", async () => {
  having(anAccount({ hostname_ip: HOST }));
  show();
  await screen.findByRole("table", { name: "Accounts on this host" });
  for (const name of ["Discovery", "Verifications", "Sessions"])
    expect(screen.queryByRole("region", { name })).toBe(null);
});

test("shows verifications of this host, and not those of a host whose name contains it", async () => {
  having(anAccount({ hostname_ip: HOST }));
  const attempts = [
    anAttempt(1, { hostname: HOST, account_name: "ours" }),
    anAttempt(2, { hostname: `old-${HOST}`, account_name: "theirs" }),
  ];
  api.on("GET /api/v1/validation/attempts", { json: { attempts, total: 2, next_cursor: null } });
  show();
  const list = within(await screen.findByRole("list", { name: "Verifications" }));
  expect(list.getAllByRole("link").map(({ textContent }) => textContent)).toEqual(["ours"]);
});

test("a host of which the caller sees nothing is not found", async () => {
  show();
  expect(await screen.findByText("Host not found")).toBeTruthy();
});

test("a failed load shows its reason with Retry", async () => {
  api.on(ACCOUNTS, problem(500, "internal", "Something broke."));
  show();
  expect(await screen.findByText("Something broke.")).toBeTruthy();
  expect(screen.getByRole("button", { name: "Retry" })).toBeTruthy();
});

test("an address is on the host with and without a port", () => {
  for (const address of ["db1", "DB1", "db1:22"]) expect(isOnHost(address, "db1")).toBe(true);
  expect(isOnHost("[2001:db8::1]:22", "2001:db8::1")).toBe(true);
  for (const address of ["db10", "old-db1", "db1.internal", null]) expect(isOnHost(address, "db1")).toBe(false);
});
