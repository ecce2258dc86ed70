// Tests the CPM dashboard in a real browser: accounts that need attention, and a run against a real PostgreSQL that fixes them.
import { createCredential } from "@strongroom/contract";
import { needs, postgresqlAvailable, startPostgresql } from "@strongroom/connectors/testing";
import type { PostgresqlServer } from "@strongroom/connectors/testing";
import { after, before, describe } from "node:test";
import type { Browser, Page } from "playwright-core";
import { assertNoErrors, launchBrowser, noBrowser, visitor } from "./testing/browser.ts";
import type { Visit } from "./testing/browser.ts";
import { inspectScreen } from "./testing/inspect-screen.ts";
import { ask, firstAdmin, tokenOf } from "./testing/people.ts";
import type { Person } from "./testing/people.ts";
import { isAt, seesHeading, seesToast, signIn } from "./testing/screens.ts";
import { startServer } from "./testing/server.ts";
import type { RunningServer } from "./testing/server.ts";
import { steps } from "./testing/steps.ts";

const WRONG = 6;
const unavailable = noBrowser === false ? postgresqlAvailable() : noBrowser;

describe("the CPM dashboard", needs(unavailable), () => {
  let server: RunningServer;
  let postgresql: PostgresqlServer;
  let browser: Browser;
  let admin: Person;
  let token: string;
  let visit: Visit;
  let page: Page;
  let role: { username: string; password: string };
  const step = steps(() => page);

  before(async () => {
    browser = await launchBrowser();
    [server, postgresql] = await Promise.all([startServer(), startPostgresql()]);
    role = await postgresql.addRole();
    admin = await firstAdmin(server);
    token = await tokenOf(server, admin);
    visit = await visitor(browser, server.url);
    page = visit.page;
  });
  after(async () => {
    await browser?.close();
    await Promise.all([server?.close(), postgresql?.stop()]);
  });

  const aCredential = (name: string, value: string, { username } = role) =>
    ask(
      server.url,
      createCredential,
      {
        body: {
          name,
          type: "postgresql",
          username,
          value,
          host: postgresql.host,
          port: postgresql.port,
          database_name: "postgres",
          schema_name: "public",
        },
      },
      token,
    );
  const tile = (label: string) => page.getByRole("article", { name: label, exact: true });

  step("CPM-02 to CPM-08: the dashboard shows states and accounts that need attention", async () => {
    await aCredential("Works", role.password);
    // After three rejections, no other password is tried for a login.
    for (let n = 1; n <= WRONG; n += 1) {
      await aCredential(`Refused ${n}`, "not the password any more", await postgresql.addRole());
    }
    await signIn(page, admin, "/cpm-dashboard");
    await seesHeading(page, "CPM Dashboard");
    await tile("Verified").getByText("of 7", { exact: true }).waitFor();
    await tile("Failed").getByText(String(WRONG), { exact: true }).waitFor();
    await page.getByRole("link", { name: `View all ${WRONG} alerts` }).waitFor();
    await inspectScreen(page, "cpm-dashboard");
  });

  step("CPM-14, CPM-18: a run verifies everything again, and the dashboard shows its progress", async () => {
    await postgresql.sql(`alter role ${role.username} password 'not the password any more'`);
    await page.getByRole("button", { name: "Run Verification" }).click();
    await seesToast(page, "Global verification process initiated");
    await page.getByText("Verification completed", { exact: true }).waitFor();
    await tile("System Status").getByText("Verified", { exact: true }).waitFor({ state: "detached" });
  });

  step("CPM-07, CPM-17: Refresh works, and a link opens the list of all alerts", async () => {
    await page.getByRole("button", { name: "Refresh" }).press("Enter");
    await seesToast(page, "Dashboard refreshed");
    await page.getByRole("link", { name: /^View all \d+ alerts$/ }).click();
    await isAt(page, "/validation-dashboard?tab=accounts&view=failures");
    await page.getByRole("list", { name: "Validation failures" }).getByRole("listitem").first().waitFor();
    assertNoErrors(visit);
  });
});
