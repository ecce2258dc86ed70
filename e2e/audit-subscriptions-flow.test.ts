// Saves a view of the audit trail, subscribes to it, and receives a notification that links back to it.
import { needs } from "@strongroom/connectors/testing";
import { createSafe } from "@strongroom/contract";
import assert from "node:assert/strict";
import { after, before, describe } from "node:test";
import type { Page } from "playwright-core";
import { becomes } from "./testing/becomes.ts";
import { assertNoErrors, noBrowser } from "./testing/browser.ts";
import { runSql } from "./testing/database.ts";
import { inspectScreen } from "./testing/inspect-screen.ts";
import { oneAdmin } from "./testing/one-admin.ts";
import type { OneAdmin } from "./testing/one-admin.ts";
import { ask } from "./testing/people.ts";
import { dialogOf, seesHeading, seesToast, signIn } from "./testing/screens.ts";
import { steps } from "./testing/steps.ts";

const VIEW = "New safes";

describe("subscriptions to the audit trail", needs(noBrowser || null), () => {
  let started: OneAdmin;
  let page: Page;
  const step = steps(() => page);

  before(async () => {
    started = await oneAdmin();
    ({ page } = started.visit);
  });
  after(() => started?.close());

  step("saves the filters of the audit trail as a view", async () => {
    await signIn(page, started.admin, "/audit-logs?event=safe.created");
    await seesHeading(page, "Audit Logs");
    await page.getByRole("button", { name: "Views" }).click();
    await page.getByRole("button", { name: "Save Current View" }).click();
    const dialog = dialogOf(page, "Save View");
    await dialog.getByLabel("View Name").fill(VIEW);
    await dialog.getByRole("button", { name: "Save View" }).click();
    await seesToast(page, `View "${VIEW}" saved`);
    await page.getByRole("button", { name: VIEW }).waitFor();
  });

  step("subscribes to the view from its menu", async () => {
    await page.getByRole("button", { name: "Subscribe", exact: true }).click();
    await page.getByRole("menuitemradio", { name: "Within a minute" }).click();
    await seesToast(page, `Subscribed to "${VIEW}"`);
    await page.getByRole("button", { name: "Subscribed", exact: true }).waitFor();
    await inspectScreen(page, "audit-subscription");
  });

  step("notifies of a new entry within a minute, and the notification opens the view", async () => {
    const { server, token, visit } = started;
    await ask(server.url, createSafe, { body: { name: "Databases", description: null } }, token);
    await becomes(() => runSql(server, "select from audit_pending"), 0);
    // The job runs at each full minute, and now.
    await runSql(server, "update audit_subscriptions set next_at = now()");
    await runSql(server, "insert into jobs.job (name) values ('audit.subscriptions')");
    await page.goto("/notifications");
    const title = page.getByText(`New audit entries in "${VIEW}"`).first();
    await title.waitFor();
    await page.getByText("1 new entry").first().waitFor();
    await inspectScreen(page, "audit-subscription-notification");
    await title.click();
    await seesHeading(page, "Audit Logs");
    assert.equal(new URL(page.url()).search, "?event=safe.created");
    await page.getByText("Databases").first().waitFor();
    assertNoErrors(visit);
  });
});
