// Tests the loading, error and crash states of screens.
import { needs } from "@strongroom/connectors/testing";
import {
  listCredentials,
  listDashboardAlerts,
  readCredential,
  readDashboardStats,
  readNotificationPreferences,
} from "@strongroom/contract";
import type { Endpoint } from "@strongroom/contract";
import { after, before, describe } from "node:test";
import type { Page, Route } from "playwright-core";
import { assertNoErrors, noBrowser } from "./testing/browser.ts";
import { inspectScreen } from "./testing/inspect-screen.ts";
import { oneCredential } from "./testing/one-admin.ts";
import type { Beginning } from "./testing/one-admin.ts";
import { cardOf, isAt, seesHeading, signIn } from "./testing/screens.ts";
import { steps } from "./testing/steps.ts";

const NAME = "Billing service";
const SAMPLE_NOTICE = "Sample data: the server could not be reached";

/** Matches the endpoint's address with any parameters and query. */
const addressOf = ({ path }: Endpoint) => new RegExp(`${path.replaceAll(/:\w+/g, "[^/?]+")}(\\?.*)?$`);

describe("the states of a screen", needs(noBrowser || null), () => {
  let started: Beginning;
  let page: Page;
  const step = steps(() => page);

  before(async () => {
    started = await oneCredential(NAME);
    ({ page } = started.visit);
    await signIn(page, started.admin);
    await seesHeading(page, "Dashboard");
  });
  after(() => started?.close());

  /** Delays these calls while `work` runs. */
  async function holding(address: RegExp | string, work: () => Promise<void>): Promise<void> {
    const held: Route[] = [];
    let isHolding = true;
    await page.route(address, async (route) => {
      if (isHolding) held.push(route);
      else await route.continue();
    });
    await work();
    isHolding = false;
    await Promise.all(held.map((route) => route.continue()));
    await page.unroute(address);
  }

  /** Makes the call fail with this refusal. */
  const failing = (endpoint: Endpoint, message: string) =>
    page.route(addressOf(endpoint), (route) =>
      route.fulfill({ status: 500, json: { type: "about:blank", status: 500, code: "internal", message } }),
    );

  const LOADING: readonly [
    row: string,
    path: () => string,
    held: RegExp | string,
    text: string,
    then: () => Promise<void>,
  ][] = [
    [
      "SHELL-40",
      () => "/component-demo",
      /assets\/component-demo-page-[^/]+\.js$/,
      "Securing Vault...",
      () => seesHeading(page, "Components"),
    ],
    ["SHELL-40", () => "/help", /assets\/help-page-[^/]+\.js$/, "Loading...", () => seesHeading(page, "Help")],
    [
      "DASH-06",
      () => "/",
      addressOf(readDashboardStats),
      "Securing your dashboard...",
      () => page.getByRole("article", { name: "Total Credentials" }).waitFor(),
    ],
    [
      "VAULT-19",
      () => "/vault",
      addressOf(listCredentials),
      "Unlocking your credentials...",
      () => cardOf(page, NAME).waitFor(),
    ],
    [
      "VAULT-38",
      () => `/vault/${started.id}`,
      addressOf(readCredential),
      "Loading credential details...",
      () => seesHeading(page, NAME),
    ],
    [
      "the settings",
      () => "/settings",
      addressOf(readNotificationPreferences),
      "Loading your preferences...",
      () => page.getByRole("switch").first().waitFor(),
    ],
  ];

  for (const [row, path, held, text, then] of LOADING) {
    step(`${row}: the screen shows "${text}" while loading`, async () => {
      await holding(held, async () => {
        await page.goto(path(), { waitUntil: "commit" });
        await page.getByRole("status").getByText(text, { exact: true }).first().waitFor();
      });
      await then();
      await page.getByText(text, { exact: true }).waitFor({ state: "detached" });
    });
  }

  step("DASH-07, DASH-11: when the figures cannot be loaded, samples appear under a notice", async () => {
    await failing(readDashboardStats, "The figures are out of order");
    await page.goto("/");
    await page.getByText(SAMPLE_NOTICE, { exact: true }).waitFor();
    await page.getByRole("alert").getByText("The figures are out of order", { exact: true }).waitFor();
    for (const [card, figure] of [
      ["Total Credentials", "12"],
      ["Active Sessions", "3"],
      ["Privileged Users", "8"],
      ["Compliance Score", "98%"],
    ] as const) {
      await page.getByRole("article", { name: card }).getByText(figure, { exact: true }).waitFor();
    }
    await inspectScreen(page, "dashboard-sample");
    await page.unroute(addressOf(readDashboardStats));
    await page.getByRole("button", { name: "Retry" }).first().click();
    await page.getByText(SAMPLE_NOTICE, { exact: true }).waitFor({ state: "detached" });
    await page.getByRole("article", { name: "Total Credentials" }).getByText("1", { exact: true }).waitFor();
  });

  step("DASH-12: when the alerts cannot be loaded, two samples appear under the same notice", async () => {
    await failing(listDashboardAlerts, "The alerts are out of order");
    await page.goto("/");
    await page.getByText(SAMPLE_NOTICE, { exact: true }).waitFor();
    const alerts = page.getByRole("region", { name: "Critical Alerts" });
    await alerts.getByText("Sample alert: ", { exact: false }).nth(1).waitFor();
    await alerts.getByTitle("Number of alerts").getByText("2", { exact: true }).waitFor();
    await page.unroute(addressOf(listDashboardAlerts));
    await page.getByRole("button", { name: "Retry" }).first().click();
    await page.getByText(SAMPLE_NOTICE, { exact: true }).waitFor({ state: "detached" });
    await alerts.getByText("No alerts", { exact: true }).waitFor();
  });

  /** Makes a screen throw while rendering until the test restores it. */
  const BROKEN = `export default function Broken() {
    if (globalThis.isMended) return "Mended";
    throw new Error("thrown on purpose");
  }`;
  const breaking = (chunk: string) =>
    page.route(new RegExp(`assets/${chunk}-[^/]+\\.js$`), (route) =>
      route.fulfill({ contentType: "text/javascript", body: BROKEN }),
    );

  step("a crashed screen shows an error, the rest of the app keeps working, and Retry renders it again", async () => {
    await breaking("help-page");
    await page.goto("/help");
    const fallback = page.getByRole("main").getByRole("alert");
    await fallback.getByText("Something went wrong on this page.", { exact: true }).waitFor();
    await inspectScreen(page, "screen-broken");
    await page.getByRole("link", { name: "Integrations" }).click();
    await seesHeading(page, "Integrations");
    await page.goBack();
    await fallback.waitFor();
    await page.evaluate(() => Object.assign(globalThis, { isMended: true }));
    await fallback.getByRole("button", { name: "Retry" }).click();
    await page.getByRole("main").getByText("Mended", { exact: true }).waitFor();
    await page.unrouteAll({ behavior: "wait" });
  });

  step("a crashed page outside the layout shows an error and a link to the start page", async () => {
    await breaking("reset-password-page");
    await page.goto("/reset-password");
    await page.getByText("Something went wrong on this page.", { exact: true }).waitFor();
    await inspectScreen(page, "page-broken");
    await page.getByRole("link", { name: "Go to the start page" }).click();
    await isAt(page, "/");
    await seesHeading(page, "Dashboard");
    await page.unrouteAll({ behavior: "wait" });
  });

  step("a screen with outdated code shows an error, and Retry loads the new version", async () => {
    const chunk = /assets\/help-page-[^/]+\.js$/;
    await page.route(chunk, (route) => route.fulfill({ status: 404, body: "" }));
    await page.goto("/help");
    await page.getByText("This page was updated or could not be loaded.", { exact: true }).waitFor();
    await page.unroute(chunk);
    await page.getByRole("button", { name: "Retry" }).click();
    await seesHeading(page, "Help");
    assertNoErrors(started.visit);
  });
});
