// `npm run pictures [ACCOUNTS]`: takes a picture of every page at three widths in two colour schemes, for people to look at. It
// fills a temporary server with 10 users, 12 safes and that many accounts (60 by default); nothing of it is kept.
import {
  addSafeMember,
  createAccessRequest,
  createAccount,
  createCredential,
  createSafe,
  changeUserRole,
  listPlatforms,
} from "@strongroom/contract";
import type { Account, Safe } from "@strongroom/contract";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { launchBrowser, visitor } from "./testing/browser.ts";
import { aUser, ask, firstAdmin, tokenOf, userIdOf } from "./testing/people.ts";
import type { Person } from "./testing/people.ts";
import { signIn } from "./testing/screens.ts";
import { startServer } from "./testing/server.ts";
import type { RunningServer } from "./testing/server.ts";

const WIDTHS = [360, 1024, 1440];
const SCHEMES = ["light", "dark"] as const;
const HEIGHT = 900;
const MOST_HEIGHT = 2600;
const folder = join(import.meta.dirname, "screenshots");

const SAFES = [
  "Backup",
  "Build servers",
  "Cloud",
  "Databases",
  "Directory",
  "Finance",
  "Linux production",
  "Linux staging",
  "Network",
  "Payments",
  "Warehouse",
  "Windows",
];

const KINDS = [
  { system_type: "Linux", connection_method: "SSH", username: "root", host: "web" },
  { system_type: "Linux", connection_method: "SSH", username: "deploy", host: "build" },
  { system_type: "Windows", connection_method: "RDP", username: "Administrator", host: "win" },
  { system_type: "Network Device", connection_method: "SSH", username: "admin", host: "switch" },
] as const;

/** The pages of the app, by the name of the picture. */
const PAGES: readonly [name: string, path: string][] = [
  ["dashboard", "/"],
  ["accounts", "/accounts"],
  ["validation-dashboard", "/validation-dashboard"],
  ["safes", "/safes"],
  ["vault", "/vault"],
  ["discovery", "/discovery"],
  ["cpm-dashboard", "/cpm-dashboard"],
  ["jit-access", "/jit-access"],
  ["sessions", "/sessions"],
  ["access-control", "/access-control"],
  ["integrations", "/integrations"],
  ["audit-logs", "/audit-logs"],
  ["admin", "/admin"],
  ["admin-groups", "/admin/groups"],
  ["admin-platforms", "/admin/platforms"],
  ["profile", "/profile"],
  ["notifications", "/notifications"],
  ["settings", "/settings"],
  ["help", "/help"],
];
const VISITOR_PAGES: typeof PAGES = [
  ["sign-in", "/auth"],
  ["sign-up", "/signup"],
];

interface World {
  safes: Safe[];
  accounts: Account[];
  users: Person[];
  token: string;
}

async function fill(server: RunningServer, admin: Person, count: number): Promise<World> {
  const token = await tokenOf(server, admin);
  const users: Person[] = [];
  for (const name of ["bea", "carl", "dora", "emil", "fay", "gus", "hana", "ivan", "judy"])
    users.push(await aUser(server, `${name}@example.com`));
  const manager = userIdOf(await tokenOf(server, users[0]!));
  await ask(server.url, changeUserRole, { params: { id: manager }, body: { role: "manager" } }, token);

  const safes: Safe[] = [];
  for (const name of SAFES) safes.push(await ask(server.url, createSafe, { body: { name } }, token));
  const { platforms } = await ask(server.url, listPlatforms, {}, token);
  const accounts: Account[] = [];
  for (let number = 0; number < count; number += 1) {
    const { host, ...kind } = KINDS[number % KINDS.length]!;
    const platform = platforms.find(({ system_type }) => system_type === kind.system_type)!;
    const hostname = `${host}${1 + Math.floor(number / KINDS.length)}.example.com`;
    const body = {
      ...kind,
      name: `${kind.username} on ${hostname}`,
      hostname,
      platform_id: platform.id,
      safe_id: safes[number % safes.length]!.id,
      password: `password ${number}`,
    };
    accounts.push(await ask(server.url, createAccount, { body }, token));
  }
  const credential = { name: "Mail gateway", username: "ada", value: "a stored password" };
  await ask(server.url, createCredential, { body: credential }, token);
  const requester = await tokenOf(server, users[1]!);
  for (const { id } of safes.slice(0, 4)) {
    const body = { user_id: userIdOf(requester), role: "user" } as const;
    await ask(server.url, addSafeMember, { params: { id }, body }, token);
  }
  for (const { name, id } of accounts.slice(0, 4)) {
    const body = { resource: name, account_id: id, reason: "Install the kernel update", durationMinutes: 60 };
    await ask(server.url, createAccessRequest, { body }, requester);
  }
  return { safes, accounts, users, token };
}

async function picture(page: Page, name: string, path: string): Promise<void> {
  await page.setViewportSize({ width: WIDTHS.at(-1)!, height: HEIGHT });
  await page.goto(path);
  await page.waitForFunction(
    () => document.querySelector("h1, h2") !== null && document.querySelector("[data-loading]") === null,
  );
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: HEIGHT });
    const height = await page.evaluate(() => document.documentElement.scrollHeight);
    await page.setViewportSize({ width, height: Math.max(HEIGHT, Math.min(height, MOST_HEIGHT)) });
    for (const colorScheme of SCHEMES) {
      await page.emulateMedia({ colorScheme });
      await page.waitForTimeout(100);
      await page.screenshot({ path: join(folder, `${name}-${colorScheme}-${width}.png`) });
    }
  }
}

const count = Number(process.argv[2] ?? 60);
const only = process.argv.slice(3);
mkdirSync(folder, { recursive: true });
const browser = await launchBrowser();
const server = await startServer({ STRONGROOM_GATEWAY: "1" });
try {
  const admin = await firstAdmin(server);
  const world = await fill(server, admin, count);
  const isWanted = ([name]: readonly [string, string]) => only.length === 0 || only.some((part) => name.includes(part));
  const { page: outside } = await visitor(browser, server.url);
  for (const [name, path] of VISITOR_PAGES.filter(isWanted)) await picture(outside, name, path);
  const details: typeof PAGES = [
    ["account", `/accounts/${world.accounts[0]!.id}`],
    ["safe", `/safes/${world.safes[0]!.id}`],
  ];
  for (const [role, person] of [
    ["admin", admin],
    ["manager", world.users[0]!],
    ["user", world.users[1]!],
  ] as const) {
    const { page } = await visitor(browser, server.url);
    await signIn(page, person);
    const pages = role === "admin" ? [...PAGES, ...details] : PAGES.slice(0, 1);
    for (const [name, path] of pages.filter(isWanted)) await picture(page, `${role}-${name}`, path);
  }
  console.log(`Pictures are in ${folder}.`);
} finally {
  await browser.close();
  await server.close();
}
