// `npm run pictures [ACCOUNTS] [NAME …]`: takes a picture of every page and dialog at three widths in two colour schemes, for
// people to look at, or only of those whose names contain a NAME. It fills a temporary server with 10 users, 12 safes and that many
// accounts (60 by default), and deletes it at the end.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { launchBrowser, visitor } from "./testing/browser.ts";
import { fillServer } from "./testing/fill-server.ts";
import { firstAdmin } from "./testing/people.ts";
import { VISITOR_DIALOGS, dialogsOf, openDialog } from "./testing/pictured-dialogs.ts";
import type { PicturedDialog } from "./testing/pictured-dialogs.ts";
import { signIn } from "./testing/screens.ts";
import { startServer } from "./testing/server.ts";

const WIDTHS = [360, 1024, 1440];
const SCHEMES = ["light", "dark"] as const;
const HEIGHT = 900;
const MOST_HEIGHT = 2600;
const folder = join(import.meta.dirname, "screenshots");

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
  await openDialog(page, dialog);
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

const count = Number(process.argv[2] ?? 60);
const only = process.argv.slice(3);
mkdirSync(folder, { recursive: true });
const browser = await launchBrowser();
const server = await startServer({ STRONGROOM_GATEWAY: "1" });
try {
  const admin = await firstAdmin(server);
  const world = await fillServer(server, admin, count);
  const isWanted = (name: string) => only.length === 0 || only.some((part) => name.includes(part));
  // One dialog that does not open leaves the pictures of the others.
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
    ["safe", `/safes/${safe.id}`],
  ];
  for (const [role, person] of [
    ["admin", admin],
    ["manager", world.users[0]!],
    ["user", world.users[1]!],
  ] as const) {
    const { page } = await visitor(browser, server.url);
    await signIn(page, person);
    if (role === "admin")
      await takeAll(page, role, [...PAGES, ...details], dialogsOf({ accountId: account.id, safeId: safe.id }));
    else await takeAll(page, role, PAGES.slice(0, 1), []);
  }
  console.log(`Pictures are in ${folder}.`);
} finally {
  await browser.close();
  await server.close();
}
