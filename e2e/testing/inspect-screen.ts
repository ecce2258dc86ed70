// Inspects a screen: takes screenshots at two widths in two colour schemes, checks accessibility, and rejects horizontal
// scrolling.
import type { AxeResults, RunOptions } from "axe-core";
import assert from "node:assert/strict";
import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { measureCoveredText } from "./covered-contrast.ts";
import type { AxeColors } from "./covered-contrast.ts";

declare global {
  interface Window {
    axe?: { run(what: Document, options: RunOptions): Promise<AxeResults>; commons: { color: AxeColors } };
  }
}

const axeSource = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const screenshots = join(import.meta.dirname, "../screenshots");
const WIDTHS = [360, 1280] as const;
const SCHEMES = ["dark", "light"] as const;
const HEIGHT = 800;
const MOST_HEIGHT = 2400;

/** Colours do not depend on the width, so dark mode is checked at one width, unless all screenshots are requested. */
const isWanted = (width: number, scheme: string): boolean =>
  scheme === "light" || width === 1280 || process.env["STRONGROOM_PICTURES"] === "all";

/** Screenshots are for people to look at; by default, one per screen is enough. */
const isPictured = (width: number, scheme: string): boolean =>
  process.env["STRONGROOM_REQUIRE_TARGETS"] !== "1" || (scheme === "light" && width === 1280);

export interface Inspection {
  /** Whether the screen always shows loading indicators, so that the inspection does not wait for them to disappear. */
  isLoading?: boolean;
}

/**
 * Waits for the page to load. Saves screenshots under e2e/screenshots, and expects no axe violation and no horizontal
 * scrolling, at each width, in both schemes (dark at 360 px only with STRONGROOM_PICTURES=all). Leaves the page at full width
 * in light mode. Closes toasts first, because they cover the page.
 */
export async function inspectScreen(page: Page, name: string, { isLoading = false }: Inspection = {}): Promise<void> {
  if (!isLoading) await page.waitForFunction(() => document.querySelector("[data-loading]") === null);
  await dismissToasts(page);
  for (const width of WIDTHS) {
    await fitWindow(page, width);
    for (const colorScheme of SCHEMES.filter((scheme) => isWanted(width, scheme))) {
      await page.emulateMedia({ colorScheme });
      await settle(page);
      if (isPictured(width, colorScheme)) await takePicture(page, `${name}-${colorScheme}-${width}`);
      await assertAccessible(page, `${name} in ${colorScheme} at ${width}px`, rulesAt(width, colorScheme));
    }
    const overflow = await page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    );
    assert.ok(overflow <= 0, `${name} scrolls sideways by ${overflow}px at ${width}px`);
  }
  await page.setViewportSize({ width: 1280, height: HEIGHT });
  await page.emulateMedia({ colorScheme: "light" });
}

export async function takePicture(page: Page, name: string): Promise<void> {
  mkdirSync(screenshots, { recursive: true });
  await page.screenshot({ path: join(screenshots, `${name}.png`) });
}

/** Resizes the window to the page's height, so that a screenshot shows all of it. Dialog content may still scroll. */
async function fitWindow(page: Page, width: number): Promise<void> {
  await page.setViewportSize({ width, height: HEIGHT });
  if ((await page.getByRole("dialog").count()) > 0) return;
  const height = await page.evaluate(() => document.documentElement.scrollHeight);
  if (height > HEIGHT) await page.setViewportSize({ width, height: Math.min(height, MOST_HEIGHT) });
}

type Rules = "all" | "all but colors" | "colors";
const COLORS = "color-contrast";

/** The schemes differ only in colours, which do not depend on the width. */
const rulesAt = (width: number, scheme: string): Rules =>
  scheme === "dark" ? "colors" : width === 1280 ? "all" : "all but colors";

const OPTIONS: Record<Rules, RunOptions> = {
  all: {},
  "all but colors": { rules: { [COLORS]: { enabled: false } } },
  colors: { runOnly: { type: "rule", values: [COLORS] } },
};

/** Single characters and symbols need contrast too; by default, axe does not decide about them. */
const CHECKS = { checks: { [COLORS]: { options: { ignoreLength: true, ignoreUnicode: false } } } };

/**
 * Why axe may leave the contrast of a text open: another element covers it or its background (a sticky bar, a menu, a second
 * dialog, the edge of a dialog that scrolls). The contrast is then computed from the colours of the text and its ancestors.
 */
const COVERED = new Set(["bgOverlap", "elmPartiallyObscured", "elmPartiallyObscuring", "emptyValue"]);
/** The labels of a chart lie on its SVG, which axe treats as an image. Their colours are the ones of other texts. */
const CHART = { reason: "imgNode", parts: ".recharts-wrapper, .recharts-surface" };

const failure = (id: string, where: string, why: string): string => `${id}: ${where} (${why})`;

/**
 * The violations found by axe and the texts whose contrast is unknown, as "rule: where (why)". The page has no frames,
 * so axe runs once.
 */
async function assertAccessible(page: Page, name: string, rules: Rules): Promise<void> {
  if (!(await page.evaluate(() => window.axe !== undefined))) await page.evaluate(axeSource);
  const options = { resultTypes: ["violations", "incomplete"], ...CHECKS, ...OPTIONS[rules] } as RunOptions;
  const { violations, open, covered } = await page.evaluate(
    async ({ chosen, chart, reasons }) => {
      const results = await window.axe!.run(document, chosen);
      const unclear = results.incomplete.filter(({ id }) => id === "color-contrast").flatMap(({ nodes }) => nodes);
      const reasonsOf = ({ any }: (typeof unclear)[number]) =>
        any.map((check) => (check.data as { messageKey?: string } | null)?.messageKey ?? "");
      const selectorOf = ({ target }: (typeof unclear)[number]) => String(target[0]);
      const isInChart = (node: (typeof unclear)[number]) =>
        reasonsOf(node).every((reason) => reason === chart.reason) &&
        document.querySelector(selectorOf(node))?.closest(chart.parts) != null;
      const isCovered = (node: (typeof unclear)[number]) => reasonsOf(node).every((reason) => reasons.includes(reason));
      return {
        violations: results.violations,
        open: unclear.filter((node) => !isInChart(node) && !isCovered(node)),
        covered: unclear.filter(isCovered).map(selectorOf),
      };
    },
    { chosen: options, chart: CHART, reasons: [...COVERED] },
  );
  const measured = covered.length === 0 ? [] : await page.evaluate(measureCoveredText, covered);
  const summaryOf = (summary = "") => summary.split("\n")[1]?.trim() ?? "";
  const found = [
    ...violations.flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary }) => failure(id, target.join(" "), summaryOf(failureSummary))),
    ),
    ...open.map(({ target, failureSummary }) => failure(COLORS, target.join(" "), summaryOf(failureSummary))),
    ...measured
      .filter(({ contrast, needed }) => contrast === null || contrast < needed)
      .map(({ target, contrast }) => failure(COLORS, target, `covered, with a contrast of ${contrast ?? "unknown"}`)),
  ];
  assert.deepEqual(found, [], `axe on ${name}`);
}

/** Waits for two frames and for the end of all finite animations and transitions. */
async function settle(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const frame = () => new Promise((done) => requestAnimationFrame(done));
    await frame();
    await frame();
    const ending = document.getAnimations().filter((each) => each.effect?.getTiming().iterations !== Infinity);
    await Promise.allSettled(ending.map((each) => each.finished));
  });
}

const PATIENCE_MS = 20_000;

/**
 * Closes toasts one by one, because the next toast moves into the freed space, and a hovered toast does not close automatically.
 */
async function dismissToasts(page: Page): Promise<void> {
  const toasts = page.locator(".mantine-Notification-root");
  const end = Date.now() + PATIENCE_MS;
  while ((await toasts.count()) > 0) {
    if (Date.now() > end) throw new Error(`toasts did not close: ${(await toasts.allInnerTexts()).join(", ")}`);
    const button = toasts.first().getByRole("button").first();
    // The toast may close automatically at this moment.
    await button.click({ timeout: 1000 }).catch(() => undefined);
  }
}
