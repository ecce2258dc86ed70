// Tests inactivity: warnings, countdown and sign-out, with a controlled browser clock.
import { needs } from "@strongroom/connectors/testing";
import { reportActivity } from "@strongroom/contract";
import assert from "node:assert/strict";
import { after, before, describe } from "node:test";
import type { Browser, Page } from "playwright-core";
import { becomes } from "./testing/becomes.ts";
import { assertNoErrors, launchBrowser, noBrowser, visitor } from "./testing/browser.ts";
import type { Visit } from "./testing/browser.ts";
import { runSql } from "./testing/database.ts";
import { inspectScreen } from "./testing/inspect-screen.ts";
import { aUser, firstAdmin } from "./testing/people.ts";
import type { Person } from "./testing/people.ts";
import { dialogOf, fillSignIn, isAt, seesHeading, seesToast, signIn, toastWith } from "./testing/screens.ts";
import { startServer } from "./testing/server.ts";
import type { RunningServer } from "./testing/server.ts";
import { steps } from "./testing/steps.ts";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const WARNING = "Your session will expire in 2 minutes due to inactivity.";
const EXPIRED = "Session expired due to inactivity. Please log in again.";

let server: RunningServer;
let browser: Browser;
let admin: Person;
let user: Person;

/** A page with a running clock that tests can move ahead. */
async function timeTraveller(): Promise<Visit> {
  const visit = await visitor(browser, server.url);
  await visit.page.clock.install();
  return visit;
}

/** Simulates inactivity for the given time: due timers run once, and then the timers of the next second. */
async function idle(page: Page, milliseconds: number): Promise<void> {
  await page.clock.fastForward(milliseconds - SECOND);
  await page.clock.runFor(SECOND);
}

const warningOf = (page: Page) => dialogOf(page, "Session Timeout Warning");

const fact = (page: Page, value: string) => page.getByRole("definition").getByText(value, { exact: true });

/** The seconds shown by the countdown. */
async function secondsLeft(page: Page): Promise<number> {
  const text = await page.getByRole("timer").innerText();
  assert.match(text, /^\d+:\d\d$/);
  const [minutes = 0, seconds = 0] = text.split(":").map(Number);
  return minutes * 60 + seconds;
}

interface Timed {
  hasCome(): Promise<boolean>;
  /** When the toast disappeared, in milliseconds of the page's clock. Set when that happens. */
  stayed(): Promise<number>;
}

/** Watches for the toast, which may disappear before a check. */
async function timeToast(page: Page, text: string): Promise<Timed> {
  const watch = await page.evaluateHandle((words) => {
    const times = { came: 0, went: 0 };
    new MutationObserver(() => {
      const isThere = [...document.querySelectorAll(".mantine-Notification-root")].some((toast) =>
        toast.textContent?.includes(words),
      );
      if (isThere) times.came ||= Date.now();
      else if (times.came > 0) times.went ||= Date.now();
    }).observe(document.body, { childList: true, subtree: true });
    return times;
  }, text);
  return {
    hasCome: () => watch.evaluate(({ came }) => came > 0),
    stayed: () => watch.evaluate(({ came, went }) => went - came),
  };
}

describe("inactivity", needs(noBrowser || null), () => {
  before(async () => {
    browser = await launchBrowser();
    server = await startServer();
    admin = await firstAdmin(server);
    user = await aUser(server, "uwe@example.com");
  });
  after(async () => {
    await browser?.close();
    await server?.close();
  });

  describe("on the test page", () => {
    let visit: Visit;
    let page: Page;
    const step = steps(() => page);

    step("DEMO-02, DEMO-05: test mode ends after 2 minutes and warns 30 seconds before", async () => {
      visit = await timeTraveller();
      page = visit.page;
      await page.goto("/inactivity-test");
      for (const text of ["2 minutes", "30 seconds", "1 second"]) await fact(page, text).waitFor();
      await inspectScreen(page, "inactivity-test");
      await page.reload();
      await fact(page, "Active").waitFor();
      await idle(page, 70 * SECOND);
      assert.equal(await warningOf(page).count(), 0);
      await idle(page, 21 * SECOND);
      await warningOf(page).waitFor();
      const left = await secondsLeft(page);
      assert.ok(left <= 30 && left > 0, `${left} seconds left`);
    });

    step("AUTH-62: Stay Logged In restarts the timer", async () => {
      await warningOf(page).getByRole("button", { name: "Stay Logged In" }).click();
      await warningOf(page).waitFor({ state: "detached" });
      await idle(page, 60 * SECOND);
      assert.equal(await warningOf(page).count(), 0);
    });

    step("DEMO-04, AUTH-64: the countdown ends the session at zero", async () => {
      await idle(page, 35 * SECOND);
      await warningOf(page).waitFor();
      await page.clock.runFor(26 * SECOND);
      await page.getByText("Timeout reached: there was no session to end.").waitFor();
    });

    step("DEMO-06 to DEMO-09: outside test mode, the chosen session settings apply", async () => {
      await page.getByRole("switch", { name: "Test mode" }).uncheck();
      await fact(page, "30 minutes").waitFor();
      const timeout = page.getByLabel("Session timeout");
      await becomes(
        () => timeout.locator("option").allInnerTexts(),
        ["15 minutes", "30 minutes (default)", "1 hour", "2 hours", "4 hours"],
      );
      await timeout.selectOption("15");
      await page.getByLabel("Warning before timeout").selectOption("2");
      await page.getByRole("button", { name: "Save Session Settings" }).click();
      await seesToast(page, "Session settings saved");
      const stored = () => page.evaluate(() => localStorage.getItem("sessionSettings"));
      await becomes(async () => JSON.parse((await stored()) ?? "null") as unknown, { timeout: 15, warningTime: 2 });
      await fact(page, "15 minutes").waitFor();
      assertNoErrors(visit);
      await visit.context.close();
    });
  });

  describe("inactivity of a user", () => {
    let visit: Visit;
    let page: Page;
    const step = steps(() => page);

    step("AUTH-57, AUTH-58, AUTH-59: with 5 of 30 minutes left, the dialog counts down", async () => {
      visit = await timeTraveller();
      page = visit.page;
      await signIn(page, user, "/vault?search=orders");
      await seesHeading(page, "Credential Vault");
      await idle(page, 24 * MINUTE + 20 * SECOND);
      assert.equal(await warningOf(page).count(), 0);
      await idle(page, 45 * SECOND);
      await warningOf(page).waitFor();
      const before = await secondsLeft(page);
      assert.ok(before <= 300 && before > 240, `${before} seconds left`);
      await page.clock.runFor(10 * SECOND);
      const passed = before - (await secondsLeft(page));
      assert.ok(passed >= 10 && passed < 40, `${passed} seconds passed`);
      await inspectScreen(page, "session-timeout");
    });

    step("AUTH-60: a click outside, Escape and mouse movement do not close the dialog", async () => {
      await page.mouse.click(5, 5);
      await page.keyboard.press("Escape");
      await page.mouse.move(300, 300);
      await page.clock.runFor(2 * SECOND);
      await warningOf(page).waitFor();
    });

    step("AUTH-62: Stay Logged In closes the dialog and reports the activity to the server", async () => {
      // The activity of the previous step is reported within a minute; the next report is due a minute later.
      await page.clock.runFor(2 * MINUTE + SECOND);
      const told = page.waitForRequest((request) => request.url().endsWith(reportActivity.path));
      await warningOf(page).getByRole("button", { name: "Stay Logged In" }).click();
      await told;
      await warningOf(page).waitFor({ state: "detached" });
      await idle(page, 20 * MINUTE);
      assert.equal(await warningOf(page).count(), 0);
    });

    step("AUTH-61, AUTH-63: Logout Now signs the user out while the overlay is shown", async () => {
      await idle(page, 6 * MINUTE);
      let letGo: () => void = () => undefined;
      const held = new Promise<void>((resolve) => (letGo = resolve));
      await page.route("**/api/v1/auth/logout", async (route) => {
        await held;
        await route.continue();
      });
      await warningOf(page).getByRole("button", { name: "Logout Now" }).click();
      await page.getByText("Securing session...", { exact: true }).waitFor();
      letGo();
      await isAt(page, "/login");
      await page.unrouteAll({ behavior: "wait" });
    });

    step(
      "AUTH-53, AUTH-64, OPEN-33: the countdown signs the user out at zero, shows a message for 6 seconds, and remembers the page",
      async () => {
        await signIn(page, user, "/vault?search=orders");
        await idle(page, 29 * MINUTE + 20 * SECOND);
        await warningOf(page).waitFor();
        const toast = await timeToast(page, EXPIRED);
        // From this point, the test controls time, however busy the machine is.
        await page.clock.pauseAt(await page.evaluate(() => Date.now() + 1000));
        await page.clock.runFor(42 * SECOND);
        await isAt(page, "/auth");
        await becomes(toast.hasCome, true);
        await page.clock.runFor(8 * SECOND);
        await toastWith(page, EXPIRED).waitFor({ state: "detached" });
        await page.clock.resume();
        const milliseconds = await toast.stayed();
        assert.ok(milliseconds >= 6 * SECOND && milliseconds < 8 * SECOND, `it stayed for ${milliseconds} ms`);
        await fillSignIn(page, user);
        await page.getByRole("button", { name: "Sign In" }).click();
        await isAt(page, "/vault?search=orders");
        assertNoErrors(visit);
        await visit.context.close();
      },
    );
  });

  describe("inactivity of an administrator", () => {
    let visit: Visit;
    let page: Page;
    const step = steps(() => page);

    step("AUTH-49, AUTH-50, AUTH-52: a toast appears for 5 seconds when 2 of 15 minutes are left", async () => {
      visit = await timeTraveller();
      page = visit.page;
      await signIn(page, admin);
      await idle(page, 12 * MINUTE + 20 * SECOND);
      assert.equal(await toastWith(page, WARNING).count(), 0);
      await idle(page, 45 * SECOND);
      await seesToast(page, WARNING);
      await page.clock.runFor(6 * SECOND);
      await toastWith(page, WARNING).waitFor({ state: "detached" });
    });

    step("AUTH-51: the toast appears once, and again only after new activity", async () => {
      await page.clock.runFor(15 * SECOND);
      assert.equal(await toastWith(page, WARNING).count(), 0);
      await page.mouse.move(20, 20);
      await page.clock.runFor(SECOND);
      assert.ok((await secondsLeft(page)) > 14 * 60, "the mouse move did not reset the clock");
      await idle(page, 13 * MINUTE + 5 * SECOND);
      await seesToast(page, WARNING);
      await warningOf(page).getByRole("button", { name: "Stay Logged In" }).click();
      await warningOf(page).waitFor({ state: "detached" });
    });

    step("AUTH-49, AUTH-53: after 15 minutes the session is over", async () => {
      await idle(page, 15 * MINUTE);
      await isAt(page, "/auth");
      await seesToast(page, EXPIRED);
      assertNoErrors(visit);
      await visit.context.close();
    });
  });

  describe("inactivity that the browser does not notice", () => {
    let visit: Visit;
    let page: Page;
    const step = steps(() => page);

    step("OPEN-03: the server ends an idle session, and the next call redirects to sign-in", async () => {
      visit = await visitor(browser, server.url);
      page = visit.page;
      await signIn(page, user, "/settings");
      await seesHeading(page, "Settings");
      const touched = await runSql(
        server,
        "update sign_in_sessions set last_active_at = now() - interval '31 minutes' where user_id = (select id from users where email = $1)",
        [user.email],
      );
      assert.ok(touched > 0);
      await page.reload();
      await isAt(page, "/auth");
      await page.getByText("Your session has ended. Please sign in again.", { exact: true }).waitFor();
      await fillSignIn(page, user);
      await page.getByRole("button", { name: "Sign In" }).click();
      await isAt(page, "/settings");
      assertNoErrors(visit);
    });
  });
});
