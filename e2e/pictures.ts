// `npm run pictures [ACCOUNTS] [NAME …]`: takes a screenshot of every page and dialog at three widths in two colour
// schemes, for people to look at, or only of those whose names contain a NAME. It fills a temporary server with 10
// users, 12 safes and that many accounts (60 by default), and deletes it at the end.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { launchBrowser, visitor } from "./testing/browser.ts";
import { fillObjects } from "./testing/fill-objects.ts";
import { fillServer } from "./testing/fill-server.ts";
import { fillTargets } from "./testing/fill-targets.ts";
import { firstAdmin } from "./testing/people.ts";
import {
  REQUESTER_DIALOGS,
  VISITOR_DIALOGS,
  dialogsOf,
  missingTitles,
  openDialog,
} from "./testing/pictured-dialogs.ts";
import type { PicturedDialog } from "./testing/pictured-dialogs.ts";
import { signIn } from "./testing/screens.ts";
import { startServer } from "./testing/server.ts";

const WIDTHS = [360, 1024, 1440];
const SCHEMES = ["light", "dark"] as const;
const HEIGHT = 900;
const MOST_HEIGHT = 2600;
const folder = join(import.meta.dirname, "screenshots");
// With the blur behind dialogs.
process.env["STRONGROOM_PICTURES"] = "all";

/** The pages of the app, by the name of the screenshot. */
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
/** The other tabs of pages, by the address that opens them. */
const TABS: typeof PAGES = [
  ...["accounts", "jit", "audit", "search"].map((tab) => ["validation-dashboard", tab] as const),
  ...["scans", "enhanced-scans", "findings", "accounts", "risk-assessment", "statistics"].map(
    (tab) => ["discovery", tab] as const,
  ),
  ...["things", "change", "reviews"].map((tab) => ["access-control", tab] as const),
  ...["active", "history"].map((tab) => ["jit-access", tab] as const),
  ...["role-requests", "resets", "machines", "policy", "providers", "keys", "gateways"].map(
    (tab) => ["admin", tab] as const,
  ),
  ...["ssh-ca", "jobs", "system", "backups", "restore-review"].map((tab) => ["admin", tab] as const),
].map(([page, tab]) => [`${page}-${tab}`, `/${page}?tab=${tab}`]);

const VISITOR_PAGES: typeof PAGES = [
  ["sign-in", "/auth"],
  ["sign-up", "/signup"],
];

async function pictureOfPage(page: Page, name: string, path: string): Promise<void> {
  await page.setViewportSize({ width: WIDTHS.at(-1)!, height: HEIGHT });
  await page.goto(path);
  await page.waitForFunction(
    () => document.querySelector("h1, h2") !== null && document.querySelector("[data-loading]") === null,
  );
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: HEIGHT });
    const height = await page.evaluate(() => document.documentElement.scrollHeight);
    await page.setViewportSize({ width, height: Math.max(HEIGHT, Math.min(height, MOST_HEIGHT)) });
    await inBothSchemes(page, name, width);
  }
}

/** The window keeps its height, because a dialog never exceeds it. */
async function pictureOfDialog(page: Page, name: string, dialog: PicturedDialog): Promise<void> {
  await page.setViewportSize({ width: WIDTHS.at(-1)!, height: HEIGHT });
  titles.add(await openDialog(page, dialog));
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: HEIGHT });
    await inBothSchemes(page, name, width);
  }
}

async function inBothSchemes(page: Page, name: string, width: number): Promise<void> {
  for (const colorScheme of SCHEMES) {
    await page.emulateMedia({ colorScheme });
    await page.waitForTimeout(100);
    await page.screenshot({ path: join(folder, `${name}-${colorScheme}-${width}.png`) });
  }
}

/** Works in a recorded session; it ends with its page, if that is left. */
async function startSession(page: Page, accountId: string, isLeft: boolean): Promise<void> {
  await page.goto(`/accounts/${accountId}`);
  await page.getByRole("link", { name: "Connect" }).click();
  await page.getByText("Connected", { exact: true }).waitFor();
  await page.keyboard.type("echo Disk usage: $((40+2)) %; ls -la\n");
  await page.getByText("Disk usage: 42 %").first().waitFor();
  if (isLeft) await page.close();
}

/** The dialogs that have screenshots. */
const titles = new Set<string>();
const count = Number(process.argv[2] ?? 60);
const only = process.argv.slice(3);
mkdirSync(folder, { recursive: true });
const browser = await launchBrowser();
const server = await startServer({ STRONGROOM_GATEWAY: "1" });
let stopTargets: () => Promise<unknown> = async () => undefined;
try {
  const admin = await firstAdmin(server);
  const world = await fillServer(server, admin, count);
  const { reviewId } = await fillObjects(server, world);
  const targets = await fillTargets(server, world);
  stopTargets = targets.stop;
  const isWanted = (name: string) => only.length === 0 || only.some((part) => name.includes(part));
  // One dialog that does not open does not stop the screenshots of the others.
  const fail = (name: string, error: Error) => {
    console.error(`${name}: ${error.message}`);
    process.exitCode = 1;
  };
  const takeAll = async (page: Page, role: string, pages: typeof PAGES, dialogs: readonly PicturedDialog[]) => {
    for (const [name, path] of pages)
      if (isWanted(`${role}-${name}`)) await pictureOfPage(page, `${role}-${name}`, path);
    for (const dialog of dialogs) {
      const name = `${role}-dialog-${dialog.name}`;
      if (isWanted(name)) await pictureOfDialog(page, name, dialog).catch((error: Error) => fail(name, error));
    }
  };
  const { page: outside } = await visitor(browser, server.url);
  await takeAll(outside, "visitor", VISITOR_PAGES, VISITOR_DIALOGS);
  const [account, safe] = [world.accounts[0]!, world.safes[0]!];
  const details: typeof PAGES = [
    ["account", `/accounts/${account.id}`],
    ["account-host-key", `/accounts/${targets.alarmId}`],
    ["account-connect", `/accounts/${targets.accountId}/connect`],
    ["host", "/hosts/web1.example.com"],
    ["safe", `/safes/${safe.id}`],
    ["safe-members", `/safes/${safe.id}?tab=members`],
    ["review", `/access-control?tab=reviews&review=${reviewId}`],
  ];
  const ids = {
    accountId: account.id,
    safeId: safe.id,
    sshAccountId: targets.accountId,
    alarmId: targets.alarmId,
    reviewId,
  };
  const { page: working } = await visitor(browser, server.url);
  await signIn(working, world.users[1]!);
  for (const isLeft of [true, false]) await startSession(await working.context().newPage(), ids.sshAccountId, isLeft);
  for (const [role, person] of [
    ["admin", admin],
    ["manager", world.users[0]!],
    ["user", world.users[1]!],
  ] as const) {
    const { page } = await visitor(browser, server.url);
    await signIn(page, person);
    if (role === "admin") await takeAll(page, role, [...PAGES, ...TABS, ...details], dialogsOf(ids));
    else await takeAll(page, role, PAGES.slice(0, 1), role === "user" ? REQUESTER_DIALOGS : []);
  }
  if (only.length === 0)
    for (const title of missingTitles(titles)) fail(title, new Error("this dialog is in no picture"));
  console.log(`Pictures are in ${folder}.`);
} finally {
  await browser.close();
  await server.close();
  await stopTargets();
}
