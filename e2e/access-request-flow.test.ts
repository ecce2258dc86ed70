// Tests just-in-time access with three users at once: a requester, an approver and an outsider.
import {
  addGroupMember,
  addSafeMember,
  createAccount,
  createGroup,
  createPlatform,
  createSafe,
  listPlatforms,
  retrieveAccount,
} from "@strongroom/contract";
import type { Account, SafeMember } from "@strongroom/contract";
import { needs } from "@strongroom/connectors/testing";
import assert from "node:assert/strict";
import { after, before, describe } from "node:test";
import type { Browser, Page } from "playwright-core";
import { assertNoErrors, launchBrowser, noBrowser, visitor } from "./testing/browser.ts";
import type { Visit } from "./testing/browser.ts";
import { inspectScreen } from "./testing/inspect-screen.ts";
import { aUser, ask, firstAdmin, send, tokenOf, userIdOf } from "./testing/people.ts";
import type { Person } from "./testing/people.ts";
import { cardOf, clipboardHolds, dialogOf, seesHeading, seesToast, signIn, textField } from "./testing/screens.ts";
import { startServer } from "./testing/server.ts";
import type { RunningServer } from "./testing/server.ts";
import { steps } from "./testing/steps.ts";

const NAME = "root on the payment host";
const PASSWORD = "the password of the payment host";
const REASON = "The payment queue is stuck";

describe("just-in-time access", needs(noBrowser || null), () => {
  let server: RunningServer;
  let browser: Browser;
  let account: Account;
  let requester: Person;
  let requesterToken: string;
  let visits: Visit[];
  /** The pages of the three users. */
  let rita: Page;
  let alex: Page;
  let otto: Page;
  const step = steps(() => rita);

  before(async () => {
    browser = await launchBrowser();
    server = await startServer();
    const admin = await firstAdmin(server);
    requester = await aUser(server, "rita@example.com");
    const approver = await aUser(server, "alex@example.com");
    const outsider = await aUser(server, "otto@example.com");
    requesterToken = await tokenOf(server, requester);
    await grantAccess(await tokenOf(server, admin), await tokenOf(server, approver));
    visits = await Promise.all([1, 2, 3].map(() => visitor(browser, server.url)));
    [rita, alex, otto] = visits.map((visit) => visit.page) as [Page, Page, Page];
    await signIn(rita, requester, "/jit-access");
    await signIn(alex, approver, "/settings");
    await signIn(otto, outsider, "/jit-access");
  });
  after(async () => {
    await browser?.close();
    await server?.close();
  });

  /** Creates an account whose platform requires one approval, a requester with emergency access, and an approver. */
  async function grantAccess(admin: string, approver: string): Promise<void> {
    const { platforms } = await ask(server.url, listPlatforms, {}, admin);
    const usual = platforms.find(({ name }) => name === "Application");
    assert.ok(usual);
    const { id: _id, account_count: _count, reconcile_readiness: _ready, ...dated } = usual;
    const { created_at: _at, updated_at: _changed, ...policy } = dated;
    const body = { ...policy, name: "Payment hosts", approvals_level_1: 1, approve_extensions: true };
    const platform = await ask(server.url, createPlatform, { body }, admin);
    const safe = await ask(server.url, createSafe, { body: { name: "Payment" } }, admin);
    const join = (token: string, role: SafeMember["role"], permissions?: SafeMember["permissions"]) =>
      ask(
        server.url,
        addSafeMember,
        { params: { id: safe.id }, body: { user_id: userIdOf(token), role, permissions } },
        admin,
      );
    await join(requesterToken, "custom", ["list"]);
    await join(approver, "approver");
    const group = await ask(server.url, createGroup, { body: { name: "On call", may_break_glass: true } }, admin);
    const member = { params: { id: group.id }, body: { user_id: userIdOf(requesterToken) } };
    await ask(server.url, addGroupMember, member, admin);
    account = await ask(
      server.url,
      createAccount,
      {
        body: {
          name: NAME,
          hostname: "pay.example.com",
          username: "root",
          password: PASSWORD,
          system_type: "Application",
          connection_method: "HTTPS",
          platform_id: platform.id,
          safe_id: safe.id,
        },
      },
      admin,
    );
  }

  const toastIn = (page: Page, text: string) => page.locator(".mantine-Notification-root").filter({ hasText: text });
  const tab = (page: Page, name: string) => page.getByRole("tab", { name: new RegExp(`^${name}`) });

  /** Requests the account from the account's card. */
  async function askForIt(): Promise<void> {
    await rita.goto("/accounts");
    await cardOf(rita, NAME).getByRole("button", { name: "Request Access" }).click();
    const dialog = dialogOf(rita, "Request Just-in-Time Access");
    await dialog.getByText("Level 1: 1 approval needed, 2 people can approve.", { exact: true }).waitFor();
    await textField(dialog, "Business justification").fill(REASON);
    await dialog.getByRole("button", { name: "Submit Request" }).click();
    await seesToast(rita, "Access request submitted");
    await dialog.waitFor({ state: "detached" });
  }

  /** Calls the API as this user, without a browser. */
  const mayRetrieve = async (): Promise<number> =>
    (await send(server.url, retrieveAccount, { params: { id: account.id }, body: {} }, requesterToken)).status;

  step("JIT-01 to JIT-05, JIT-27: the form shows missing fields and the platform's requirements", async () => {
    await seesHeading(rita, "Just-in-Time Access");
    await rita.getByText("No pending requests", { exact: true }).waitFor();
    await rita.getByRole("button", { name: "New Request" }).first().click();
    const dialog = dialogOf(rita, "Request Just-in-Time Access");
    await dialog.getByRole("button", { name: "Submit Request" }).click();
    await dialog.getByText("Resource is required", { exact: true }).waitFor();
    await dialog.getByText("Business justification is required", { exact: true }).waitFor();
    await dialog.getByRole("combobox", { name: "Resource" }).fill("payment");
    await rita.getByRole("option", { name: new RegExp(NAME) }).click();
    await dialog.getByText("Level 1: 1 approval needed, 2 people can approve.", { exact: true }).waitFor();
    await inspectScreen(rita, "jit-request-form");
    await rita.keyboard.press("Escape");
    const question = dialogOf(rita, "Discard changes?");
    await question.waitFor();
    await inspectScreen(rita, "discard-changes");
    await question.getByRole("button", { name: "Discard" }).click();
    await dialog.waitFor({ state: "detached" });
  });

  step("the approver is notified immediately on any page, and approves from the notification", async () => {
    assert.equal(await mayRetrieve(), 403);
    await askForIt();
    await cardOf(rita, NAME).getByText("Pending", { exact: true }).waitFor();
    const question = toastIn(alex, "Access request");
    await question.getByText(`requests ${NAME}: ${REASON}`, { exact: false }).waitFor();
    // Both toasts expire, so neither wait may delay the other.
    await Promise.all([
      question.getByRole("button", { name: "Approve" }).click(),
      seesToast(alex, "Request approved"),
      seesToast(rita, `You now have access to ${NAME}`),
    ]);
    await tab(rita, "Active Access").click();
    await cardOf(rita, NAME).getByText("Active", { exact: true }).waitFor();
    await cardOf(rita, NAME)
      .getByText(/^(1h 0m|0h 59m)$/)
      .waitFor();
    await inspectScreen(rita, "jit-active");
  });

  step("the requester copies the password while the grant is active", async () => {
    await cardOf(rita, NAME).getByRole("link", { name: "Open Account" }).click();
    await seesHeading(rita, NAME);
    await rita.getByText("You have access until", { exact: false }).waitFor();
    await rita.getByRole("button", { name: "Copy Password" }).click();
    await seesToast(rita, "Password copied to clipboard!");
    await clipboardHolds(rita, PASSWORD);
    assert.equal(await mayRetrieve(), 200);
  });

  step("an outsider sees no request, account or notification", async () => {
    for (const name of ["Pending Requests", "Active Access", "History"]) {
      await tab(otto, name).click();
      await otto.getByText(/^No (pending requests|active access|history yet)$/).waitFor();
    }
    assert.equal(await otto.locator(".mantine-Notification-root").count(), 0);
    await otto.keyboard.press("Control+k");
    await otto.keyboard.type(NAME);
    await otto.getByText("No results", { exact: true }).waitFor();
    await otto.goto("/accounts");
    await otto.getByText("No accounts found", { exact: true }).waitFor();
    await otto.goto(`/accounts/${account.id}`);
    await seesHeading(otto, "Account not found");
  });

  step(
    "OPEN-28, SHELL-18: the requester can search for the account on any page and copy its password from the result",
    async () => {
      await rita.goto("/help");
      await seesHeading(rita, "Help");
      await rita.keyboard.press("Control+k");
      await rita.keyboard.type("payment host");
      const copy = rita.getByRole("option", { name: `Copy password of ${NAME}` });
      await copy.waitFor();
      await inspectScreen(rita, "search");
      await copy.click();
      await seesToast(rita, "Password copied to clipboard!");
    },
  );

  step(
    "JIT-06, JIT-23: the requester asks for more time, and the approver approves from the notification",
    async () => {
      await rita.goto("/jit-access?tab=active");
      await cardOf(rita, NAME).getByRole("button", { name: "Extend" }).click();
      const dialog = dialogOf(rita, "Extend Access");
      await dialog.getByRole("button", { name: "Extend Access" }).click();
      await seesToast(rita, "Extension requested");
      await dialog.waitFor({ state: "detached" });
      await cardOf(rita, NAME).getByText("Requests 60 more minutes.", { exact: false }).waitFor();
      await toastIn(alex, "Extension request").getByRole("button", { name: "Approve" }).click();
      await seesToast(alex, "Request approved");
      await cardOf(rita, NAME)
        .getByText(/^(2h 0m|1h 5\dm)$/)
        .waitFor();
    },
  );

  step("JIT-23: revoking access ends it immediately, on the screen and on the server", async () => {
    await rita.goto(`/accounts/${account.id}`);
    await rita.getByRole("button", { name: "Copy Password" }).waitFor();
    await alex.goto("/jit-access?tab=active");
    await cardOf(alex, NAME).getByRole("button", { name: "Revoke" }).click();
    await dialogOf(alex, "Revoke Access").getByRole("button", { name: "Revoke" }).click();
    await seesToast(alex, "Access revoked");
    assert.equal(await mayRetrieve(), 403);
    await rita.getByRole("link", { name: "Request Access" }).waitFor();
    await inspectScreen(rita, "account-without-access");
    assert.equal(await rita.getByRole("button", { name: "Copy Password" }).count(), 0);
  });

  step(
    "JIT-22, JIT-26, NOTIF-01: a denial from the bell notifies the requester and appears under History",
    async () => {
      await askForIt();
      await toastIn(alex, "Access request").getByRole("button", { name: "Dismiss" }).click();
      await alex.getByRole("button", { name: /^Notifications/ }).click();
      const asked = alex
        .getByRole("dialog", { name: "Notifications" })
        .getByRole("listitem")
        .filter({ hasText: "Action required" });
      await asked.getByRole("button", { name: "Deny" }).click();
      await inspectScreen(alex, "bell-denial");
      await Promise.all([
        asked.getByRole("button", { name: "Deny" }).click(),
        seesToast(alex, "Request denied"),
        seesToast(rita, `Your request for ${NAME} was denied`),
      ]);
      await asked.waitFor({ state: "detached" });
      await tab(rita, "History").click();
      const denied = cardOf(rita, NAME).filter({ hasText: "Denied by" });
      await denied.getByText("Denied", { exact: true }).waitFor();
      await inspectScreen(rita, "jit-history");
      await denied.getByRole("button", { name: "Details" }).click();
      const dialog = dialogOf(rita, `Request for ${NAME}`);
      await dialog.getByText("denied (level 1)", { exact: false }).waitFor();
      await inspectScreen(rita, "jit-details");
      await rita.keyboard.press("Escape");
      await dialog.waitFor({ state: "detached" });
    },
  );

  step("emergency access starts immediately, alerts approvers until they open the alert, and is reviewed", async () => {
    await alex.goto("/settings");
    await seesHeading(alex, "Settings");
    await rita.goto(`/jit-access?ask=${account.id}`);
    const form = dialogOf(rita, "Request Just-in-Time Access");
    await form.getByRole("button", { name: "Break Glass" }).click();
    const glass = dialogOf(rita, "Break Glass: Emergency Access");
    await glass.getByText("Only in an emergency", { exact: true }).waitFor();
    assert.equal(await glass.getByRole("button", { name: "Break Glass" }).isDisabled(), true);
    await textField(glass, "Why can this not wait?").fill("The payments stand still and nobody answers");
    await inspectScreen(rita, "jit-break-glass");
    await glass.getByRole("button", { name: "Break Glass" }).click();
    await seesToast(rita, `You now have access to ${NAME}`);
    await rita.getByRole("button", { name: "Copy Password" }).waitFor();
    assert.equal(await mayRetrieve(), 200);

    const alarm = toastIn(alex, "Alert: emergency access");
    await alarm.getByRole("button", { name: "View Request" }).click();
    await alex.getByText("used emergency access", { exact: false }).waitFor();
    await alex.getByRole("list", { name: "Reasons for the risk" }).getByText("Emergency access").waitFor();
    await inspectScreen(alex, "jit-request-page");
    await alex.getByRole("button", { name: "Review", exact: true }).click();
    const review = dialogOf(alex, "Review Emergency Access");
    await review.getByRole("radio", { name: "Justified", exact: true }).check();
    await textField(review, "Findings").fill("The queue was stuck indeed");
    await inspectScreen(alex, "jit-review");
    await review.getByRole("button", { name: "Save Review" }).click();
    await seesToast(alex, "Review saved");
    for (const visit of visits) assertNoErrors(visit);
  });
});
