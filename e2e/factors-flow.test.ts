// Tests second factors in a real browser: a passkey of Chromium's virtual authenticator, an authenticator app, recovery codes,
// and re-authentication before sensitive actions.
import { needs } from "@strongroom/connectors/testing";
import { hotp, stepAt } from "@strongroom/server/features/factors/methods/totp.ts";
import assert from "node:assert/strict";
import { after, before, describe } from "node:test";
import type { Browser, CDPSession, Page } from "playwright-core";
import { assertNoErrors, launchBrowser, noBrowser, visitor } from "./testing/browser.ts";
import type { Visit } from "./testing/browser.ts";
import { runSql } from "./testing/database.ts";
import { inspectScreen } from "./testing/inspect-screen.ts";
import { aUser, firstAdmin } from "./testing/people.ts";
import type { Person } from "./testing/people.ts";
import { dialogOf, fillSignIn, isAt, seesHeading, seesToast } from "./testing/screens.ts";
import { startServer } from "./testing/server.ts";
import type { RunningServer } from "./testing/server.ts";
import { steps } from "./testing/steps.ts";

const BASE32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
const bytesOf = (key: string): Buffer => {
  const bits = Array.from(key, (each) => BASE32.indexOf(each).toString(2).padStart(5, "0")).join("");
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
};

describe("second factors", needs(noBrowser || null), () => {
  let server: RunningServer;
  let browser: Browser;
  let person: Person;
  let visit: Visit;
  let page: Page;
  let device: CDPSession;
  let codes: string[] = [];
  let key = "";
  const step = steps(() => page);

  before(async () => {
    browser = await launchBrowser();
    server = await startServer();
    await firstAdmin(server);
    person = await aUser(server, "paula@example.com");
    // Browsers support passkeys only for host names, so the test uses this machine's name.
    visit = await visitor(browser, server.url.replace("127.0.0.1", "localhost"));
    page = visit.page;
    device = await visit.context.newCDPSession(page);
    await device.send("WebAuthn.enable");
    await device.send("WebAuthn.addVirtualAuthenticator", {
      options: {
        protocol: "ctap2",
        transport: "internal",
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    });
  });
  after(async () => {
    await browser?.close();
    await server?.close();
  });

  const enterPassword = async () => {
    await fillSignIn(page, person);
    await page.getByRole("button", { name: "Sign In" }).click();
  };
  const signOut = async () => {
    await page.getByRole("button", { name: "Sign Out" }).click();
    await isAt(page, "/login");
  };

  step("a user adds a passkey, and recovery codes are shown once", async () => {
    await page.goto("/login");
    await enterPassword();
    await isAt(page, "/");
    await page.goto("/profile");
    await page.getByRole("button", { name: "Add Passkey" }).click();
    const adding = dialogOf(page, "Add Passkey");
    await adding.getByLabel("Name").fill("This laptop");
    await adding.getByRole("button", { name: "Create Passkey" }).click();
    const shown = dialogOf(page, "Your Recovery Codes");
    const list = shown.getByRole("list", { name: "Recovery codes" });
    await list.waitFor();
    codes = await list.getByRole("listitem").allTextContents();
    assert.equal(new Set(codes).size, 10);
    await inspectScreen(page, "recovery-codes");
    await shown.getByRole("checkbox", { name: "I have stored these codes in a safe place" }).check();
    await shown.getByRole("button", { name: "Done" }).click();
    await page.getByText("This laptop", { exact: true }).waitFor();
  });

  step("OPEN-10: the passkey completes the second step after the password", async () => {
    await signOut();
    await enterPassword();
    await seesHeading(page, "One More Step");
    await inspectScreen(page, "second-step");
    await page.getByRole("button", { name: "Use Your Passkey" }).click();
    await isAt(page, "/");
    await seesToast(page, "Welcome back!");
  });

  step("a passkey alone signs the user in, without a password", async () => {
    await signOut();
    await page.getByRole("button", { name: "Use a Passkey" }).click();
    await isAt(page, "/");
  });

  step("a user adds an authenticator app by QR code or key", async () => {
    await page.goto("/profile");
    await page.getByRole("button", { name: "Add Authenticator App" }).click();
    const adding = dialogOf(page, "Add Authenticator App");
    await adding.getByRole("img", { name: "QR code for the authenticator app" }).waitFor();
    key = (await adding.getByLabel("key", { exact: true }).textContent()) ?? "";
    await inspectScreen(page, "add-authenticator-app");
    // Uses the previous time step, so that the current code stays unused for signing in.
    await adding.getByRole("textbox", { name: "Code" }).fill(hotp(bytesOf(key), stepAt(new Date()) - 1));
    await adding.getByRole("button", { name: "Add App" }).click();
    await seesToast(page, "Second factor added");
    await inspectScreen(page, "profile-with-factors");
  });

  step("a code from the app signs the user in, and so does a recovery code", async () => {
    await signOut();
    await enterPassword();
    await page.getByRole("button", { name: "Use an Authenticator App Code" }).click();
    await page.getByLabel("Code", { exact: true }).fill(hotp(bytesOf(key), stepAt(new Date())));
    await page.getByRole("button", { name: "Continue" }).click();
    await isAt(page, "/");
    await signOut();
    await enterPassword();
    await page.getByRole("button", { name: "Use a Recovery Code" }).click();
    await page.getByLabel("Recovery code").fill(codes[0] ?? "");
    await page.getByRole("button", { name: "Continue" }).click();
    await isAt(page, "/");
  });

  step(
    "a sensitive action requires re-authentication after the interval, and then continues automatically",
    async () => {
      await runSql(server, "update sign_in_sessions set proved_at = now() - interval '2 hours'");
      await page.goto("/profile");
      await page.getByText("9 codes left.").waitFor();
      await page.getByRole("button", { name: "Remove Authenticator app" }).click();
      await dialogOf(page, "Remove Authenticator app").getByRole("button", { name: "Remove", exact: true }).click();
      const asking = dialogOf(page, "Confirm Your Identity");
      await asking.getByRole("button", { name: "Use Your Passkey" }).waitFor();
      // The action's button shows that the action is waiting.
      await inspectScreen(page, "step-up", { isLoading: true });
      await asking.getByRole("button", { name: "Use Your Passkey" }).click();
      await seesToast(page, "Authenticator app removed");
      assertNoErrors(visit);
    },
  );
});
