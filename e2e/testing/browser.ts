// A headless Chromium, and visitors in it whose pages notice their own errors.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";
import type { Browser, BrowserContext, Page } from "playwright-core";

const PATHS = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
const buildScript = join(import.meta.dirname, "../../scripts/build-web.mjs");

const executablePath = process.env.STRONGROOM_CHROMIUM ?? PATHS.find((path) => existsSync(path));

/** For `skip`: false when there is a browser, else why the test is skipped. */
export const noBrowser: string | false = executablePath === undefined ? "Chromium is not installed" : false;

/** Builds the web app when its sources have changed, so that no test looks at yesterday's. */
export async function buildWeb(): Promise<void> {
  const { ensureWebBuilt } = (await import(pathToFileURL(buildScript).href)) as { ensureWebBuilt(): void };
  ensureWebBuilt();
}

/**
 * The last of these counts that stands on the command line, so what playwright switches off is named again. Ours is the
 * spare renderer: each load of a page would start another process than the one it needs.
 */
const NOT_NEEDED = [
  "SpareRendererForSitePerProcess",
  "AvoidUnnecessaryBeforeUnloadCheckSync",
  "DestroyProfileOnBrowserClose",
  "HttpsFirstBalancedModeAutoEnable",
  "HttpsUpgrades",
  "MediaRouter",
  "NetworkTimeServiceQuerying",
  "OptimizationHints",
  "PaintHolding",
  "PreconnectToSearch",
  "ThirdPartyStoragePartitioning",
];

/** Builds the web app first. A server has to be started after it: without a build it serves the API alone. */
export async function launchBrowser(): Promise<Browser> {
  if (executablePath === undefined) throw new Error("Chromium is not installed");
  await buildWeb();
  return chromium.launch({
    executablePath,
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      `--disable-features=${NOT_NEEDED.join(",")}`,
    ],
  });
}

export interface Visit {
  page: Page;
  context: BrowserContext;
  /** Errors of scripts, and what the content security policy refused, so far. */
  errors: string[];
}

/** How long a page may take for anything that a test waits for. */
const PATIENCE_MS = 20_000;

/** A new visitor: own storage, own cookies, and no wish for animations. */
export async function visitor(browser: Browser, origin: string): Promise<Visit> {
  const viewport = { width: 1280, height: 800 };
  const context = await browser.newContext({ baseURL: origin, viewport, reducedMotion: "reduce" });
  context.setDefaultTimeout(PATIENCE_MS);
  await context.grantPermissions(["clipboard-read", "clipboard-write"], { origin });
  const errors: string[] = [];
  context.on("page", (page) => watch(page, errors));
  return { page: await context.newPage(), context, errors };
}

function watch(page: Page, errors: string[]): void {
  page.on("pageerror", (error) => errors.push(String(error)));
  page.on("console", (message) => {
    const text = message.text();
    if (message.type() === "error" && /content security policy|violates/i.test(text)) errors.push(text);
  });
}

/** No script failed and nothing was refused by the content security policy, in any page of the visitor. */
export function assertNoErrors({ errors }: Visit): void {
  assert.deepEqual(errors, []);
}
