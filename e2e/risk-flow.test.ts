// Risk and reports in a real browser: an administrator reads the assessment, tries a fix, and downloads a report.
import { createAccount, createSafe, listPlatforms } from "@strongroom/contract";
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, describe } from "node:test";
import type { Browser, Page } from "playwright-core";
import { assertNoErrors, launchBrowser, noBrowser, visitor } from "./testing/browser.ts";
import type { Visit } from "./testing/browser.ts";
import { inspectScreen } from "./testing/inspect-screen.ts";
import { ask, firstAdmin, tokenOf } from "./testing/people.ts";
import type { Person } from "./testing/people.ts";
import { dialogOf, seesToast, signIn } from "./testing/screens.ts";
import { startServer } from "./testing/server.ts";
import type { RunningServer } from "./testing/server.ts";
import { steps } from "./testing/steps.ts";
import { needs } from "@strongroom/connectors/testing";

describe("risk and reports", needs(noBrowser || null), () => {
  let server: RunningServer;
  let browser: Browser;
  let visit: Visit;
  let page: Page;
  let admin: Person;
  const step = steps(() => page);

  before(async () => {
    browser = await launchBrowser();
    server = await startServer();
    admin = await firstAdmin(server);
    visit = await visitor(browser, server.url);
    page = visit.page;
    await signIn(page, admin);
  });
  after(async () => {
    await browser?.close();
    await server?.close();
  });

  const openTab = () => page.goto(`${server.url}/discovery?tab=risk-assessment`);

  step("RISK-03: without any account there is nothing to assess", async () => {
    await openTab();
    await page.getByText("No Risk Assessment Data").waitFor();
    await inspectScreen(page, "risk-empty");
  });

  step("RISK-01: shows the factors, and what fixing one would change", async () => {
    const token = await tokenOf(server, admin);
    const { platforms } = await ask(server.url, listPlatforms, {}, token);
    const safe = await ask(server.url, createSafe, { body: { name: "Payments" } }, token);
    for (const name of ["root on pay-1", "root on pay-2", "postgres on pay-db"]) {
      const body = {
        name,
        system_type: "Linux",
        hostname: `${name.split(" ").at(-1)}.example.com`,
        port: 22,
        username: name.split(" ")[0]!,
        password: "correct horse battery",
        platform_id: platforms.find((platform) => platform.name === "Linux")!.id,
        safe_id: safe.id,
        connection_method: "SSH",
      } as const;
      await ask(server.url, createAccount, { body }, token);
    }
    await page.reload();
    await page.getByRole("heading", { name: "Overall Risk" }).waitFor();
    await page.getByRole("button", { name: "Show list: Standing access" }).click();
    await page.getByRole("link", { name: "postgres on pay-db" }).waitFor();
    const meter = (name: string) => page.getByRole("meter", { name }).getAttribute("aria-valuenow");
    const item = page.getByRole("checkbox", { name: "Imagine postgres on pay-db, Payments as fixed" });
    await item.check();
    await page.getByRole("meter", { name: "Score after fixing" }).waitFor();
    const afterItem = Number(await meter("Score after fixing"));
    assert.ok(afterItem <= Number(await meter("Overall risk score")));
    await inspectScreen(page, "risk-item");
    await item.uncheck();
    await page.getByRole("checkbox", { name: "Imagine standing access as fixed" }).check();
    assert.ok(Number(await meter("Score after fixing")) <= afterItem);
    assert.ok(Number(await meter("Score after fixing")) < Number(await meter("Overall risk score")));
    await page.getByRole("button", { name: "Show controls of PCI DSS" }).click();
    await inspectScreen(page, "risk-assessment");
  });

  step("RISK-11: an assessment starts the trend", async () => {
    await page.getByRole("button", { name: "Assess Now" }).click();
    await seesToast(page, "Risk assessed");
    await page.getByText(new Date().toISOString().slice(0, 10)).first().waitFor();
  });

  step("REPORT-01 to REPORT-03, REPORT-05: generates a report and downloads it as PDF", async () => {
    await page.getByRole("button", { name: "Generate Report" }).click();
    const dialog = dialogOf(page, "Generate Report");
    await inspectScreen(page, "report-dialog");
    const [request] = await Promise.all([
      page.waitForRequest((each) => each.url().endsWith("/reports/generate")),
      dialog.getByRole("button", { name: "Generate", exact: true }).click(),
    ]);
    assert.deepEqual(request.postDataJSON(), {
      reportType: "risk_assessment",
      targetIds: [],
      timeframe: "30d",
      format: "pdf",
      includeRemediation: true,
    });
    await seesToast(page, "Risk assessment report generated successfully");
    await page.getByRole("button", { name: /^Download the report/ }).click();
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("menuitem", { name: "PDF" }).click(),
    ]);
    assert.match(download.suggestedFilename(), /^risk-assessment-\d{4}-\d\d-\d\d\.pdf$/);
    assert.equal(
      readFileSync(await download.path())
        .subarray(0, 5)
        .toString(),
      "%PDF-",
    );
  });

  step("a schedule is added and deleted", async () => {
    await page.getByRole("button", { name: "Schedule", exact: true }).click();
    await dialogOf(page, "Schedule Report").getByRole("button", { name: "Schedule", exact: true }).click();
    await seesToast(page, "Report scheduled");
    await page.getByRole("button", { name: "Delete: Weekly report" }).waitFor();
    await inspectScreen(page, "risk-with-report");
    await page.getByRole("button", { name: "Delete: Weekly report" }).click();
    await dialogOf(page, "Delete this schedule?").getByRole("button", { name: "Delete" }).click();
    await seesToast(page, "Schedule deleted");
    assertNoErrors(visit);
  });
});
