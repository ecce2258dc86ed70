// A headless Chromium, and visitors that record the errors of their pages.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";
import type { Browser, BrowserContext, Page } from "playwright-core";

const PATHS = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
const buildScript = join(import.meta.dirname, "../../scripts/build-web.mjs");

const executablePath = process.env.STRONGROOM_CHROMIUM ?? PATHS.find((path) => existsSync(path));

/** For `skip`: false if a browser exists, otherwise the reason for skipping. */
export const noBrowser: string | false = executablePath === undefined ? "Chromium is not installed" : false;

/** Builds the web app if its sources changed, so that no test uses an old build. */
export async function buildWeb(): Promise<void> {
  const { ensureWebBuilt } = (await import(pathToFileURL(buildScript).href)) as { ensureWebBuilt(): void };
  ensureWebBuilt();
}

/**
 * Chromium uses only the last such flag on the command line, so Playwright's disabled features are repeated. We add the spare
 * renderer, which would start an unneeded process at each page load.
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

/** Builds the web app first. Start servers afterwards, because without a build they serve only the API. */
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
  /** The script errors and content security policy violations so far. */
  errors: string[];
}

/** The timeout for everything that a test waits for on a page. */
const PATIENCE_MS = 20_000;

/** A new visitor with separate storage and cookies, who prefers reduced motion. */
export async function visitor(browser: Browser, origin: string): Promise<Visit> {
  const viewport = { width: 1280, height: 800 };
  const context = await browser.newContext({ baseURL: origin, viewport, reducedMotion: "reduce" });
  context.setDefaultTimeout(PATIENCE_MS);
  if (process.env["STRONGROOM_PICTURES"] !== "all") await context.addInitScript(stopBlur);
  await context.grantPermissions(["clipboard-read", "clipboard-write"], { origin });
  const errors: string[] = [];
  context.on("page", (page) => watch(page, errors));
  return { page: await context.newPage(), context, errors };
}

/**
 * Runs in the page. Without a GPU, each frame of a page with an open dialog takes 80 ms of CPU to blur the page behind it, even when only
 * the caret blinks.
 */
function stopBlur(): void {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync("* { backdrop-filter: none !important; }");
  document.adoptedStyleSheets.push(sheet);
}

function watch(page: Page, errors: string[]): void {
  page.on("pageerror", (error) => errors.push(String(error)));
  page.on("console", (message) => {
    const text = message.text();
    if (message.type() === "error" && /content security policy|violates/i.test(text)) errors.push(text);
  });
}

/** Asserts that no page of the visitor had a script error or a content security policy violation. */
export function assertNoErrors({ errors }: Visit): void {
  assert.deepEqual(errors, []);
}
