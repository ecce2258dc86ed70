// An enhanced scan of a database in a real browser: started with the form for databases, its finding shown and vaulted.
import { createAccount, createDiscoveryTarget, createSafe, listPlatforms } from "@strongroom/contract";
import { needs, postgresqlAvailable, startPostgresql } from "@strongroom/connectors/testing";
import type { PostgresqlServer } from "@strongroom/connectors/testing";
import { after, before, describe } from "node:test";
import type { Browser, Page } from "playwright-core";
import { assertNoErrors, launchBrowser, noBrowser, visitor } from "./testing/browser.ts";
import type { Visit } from "./testing/browser.ts";
import { inspectScreen } from "./testing/inspect-screen.ts";
import { ask, firstAdmin, tokenOf } from "./testing/people.ts";
import { assertHoldsNoSecret, dialogOf, seesToast, signIn } from "./testing/screens.ts";
import { startServer } from "./testing/server.ts";
import type { RunningServer } from "./testing/server.ts";
import { steps } from "./testing/steps.ts";

describe("an enhanced scan of a database", needs(noBrowser === false ? postgresqlAvailable() : noBrowser), () => {
  let server: RunningServer;
  let database: PostgresqlServer;
  let browser: Browser;
  let visit: Visit;
  let page: Page;
  let role: { username: string; password: string };
  const step = steps(() => page);

  before(async () => {
    browser = await launchBrowser();
    [server, database] = await Promise.all([startServer(), startPostgresql()]);
    const owner = await firstAdmin(server);
    const token = await tokenOf(server, owner);
    role = await database.addRole();
    await database.sql("create table connections (id int, host text, port int, username text, password text)");
    await database.sql(
      `insert into connections values (1, '${database.host}', ${database.port}, '${role.username}', '${role.password}')`,
    );
    const { platforms } = await ask(server.url, listPlatforms, {}, token);
    const safe = await ask(server.url, createSafe, { body: { name: "Databases" } }, token);
    const at = { hostname: database.host, port: database.port };
    const system = { system_type: "postgresql", connection_method: "SQL", database_name: "postgres" } as const;
    const platform_id = platforms.find(({ name }) => name === "PostgreSQL")!.id;
    const common = { ...system, ...at, schema_name: "public", platform_id, safe_id: safe.id };
    const account = { ...common, name: "postgres on db-01", ...database.superuser };
    const { id: credentialId } = await ask(server.url, createAccount, { body: account }, token);
    const target = { name: "db-01", targetType: "database", connectionMethod: "database", safeId: safe.id } as const;
    const settings = { port: database.port, timeout: 30_000 };
    const body = { ...target, credentialId, hostname: database.host, settings };
    await ask(server.url, createDiscoveryTarget, { body }, token);
    visit = await visitor(browser, server.url);
    page = visit.page;
    await signIn(page, owner, "/discovery?tab=targets");
  });
  after(async () => {
    await browser?.close();
    await Promise.all([server?.close(), database?.stop()]);
  });

  step("the form offers what databases have", async () => {
    await page.getByRole("button", { name: "Enhanced scan of db-01" }).click();
    const dialog = dialogOf(page, "Enhanced Security Discovery Scan");
    await dialog.getByText("looks for secrets in rows of its tables").waitFor();
    await inspectScreen(page, "database-scan-form");
    await dialog.getByRole("button", { name: "Start Enhanced Scan" }).click();
    await seesToast(page, "Enhanced security scan started successfully");
  });

  step("the scan shows the tables that it read", async () => {
    // Without a reload, which could miss the event of the scan's end.
    await page.getByRole("tab", { name: /^Enhanced Scans/ }).click();
    await page.getByText("Completed", { exact: true }).waitFor();
    await page.getByRole("button", { name: /Details/ }).click();
    const dialog = dialogOf(page, "Enhanced Scan Details");
    await dialog.getByText("Read as superuser").waitFor();
    await inspectScreen(page, "database-scan-details");
  });

  step("the finding names the column, and its secret is vaulted", async () => {
    await page.goto("/discovery?tab=findings");
    await page.getByRole("button", { name: /Details/ }).click();
    const details = page.getByRole("dialog");
    await details.getByText("postgres.public.connections.password, row 1").waitFor();
    await inspectScreen(page, "database-finding");
    await details.getByRole("button", { name: "Vault" }).click();
    const dialog = dialogOf(page, "Vault Findings");
    await dialog.getByText("Reads 1 place again").waitFor();
    await inspectScreen(page, "database-finding-vault");
    await dialog.getByRole("button", { name: "Vault" }).click();
    await seesToast(page, "Vaulted 1 finding(s) successfully");
    await assertHoldsNoSecret(page, role.password);
    assertNoErrors(visit);
  });
});
