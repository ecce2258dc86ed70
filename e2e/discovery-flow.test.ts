// Discovery in a real browser: a manager adds a real sshd as a target, scans it, and decides about the accounts found.
import {
  allowDiscoveryNetwork,
  createAccount,
  createSafe,
  listAccounts,
  listPlatforms,
  retrieveAccount,
  updatePlatform,
} from "@strongroom/contract";
import { needs, startSshd, unixUsersAvailable } from "@strongroom/connectors/testing";
import type { Sshd } from "@strongroom/connectors/testing";
import assert from "node:assert/strict";
import { after, before, describe } from "node:test";
import type { Browser, Page } from "playwright-core";
import { assertNoErrors, launchBrowser, noBrowser, visitor } from "./testing/browser.ts";
import type { Visit } from "./testing/browser.ts";
import { inspectScreen } from "./testing/inspect-screen.ts";
import { aUser, ask, firstAdmin, tokenOf } from "./testing/people.ts";
import {
  assertHoldsNoSecret,
  cardOf,
  choose,
  chooseFor,
  dialogOf,
  isAt,
  seesHeading,
  seesToast,
  signIn,
  textField,
} from "./testing/screens.ts";
import { startServer } from "./testing/server.ts";
import type { RunningServer } from "./testing/server.ts";
import { steps } from "./testing/steps.ts";

const unavailable = noBrowser === false ? unixUsersAvailable() : noBrowser;
const TARGET = "web-01";

describe("discovery", needs(unavailable), () => {
  let server: RunningServer;
  let sshd: Sshd;
  let browser: Browser;
  let visit: Visit;
  let page: Page;
  let scanner: { username: string; password: string };
  let others: string[];
  /** Its password is replaced by the reconcile account. */
  let orphan: { username: string; password: string };
  let token: string;
  const step = steps(() => page);

  before(async () => {
    browser = await launchBrowser();
    [server, sshd] = await Promise.all([startServer(), startSshd()]);
    const admin = await firstAdmin(server);
    const adminToken = await tokenOf(server, admin);
    await ask(server.url, allowDiscoveryNetwork, { body: { network: `${sshd.host}/32` } }, adminToken);
    const manager = await aUser(server, "mona@example.com");
    token = await tokenOf(server, manager);
    scanner = await sshd.addUser("active", { sudo: "ALL" });
    orphan = await sshd.addUser();
    others = [(await sshd.addUser()).username, (await sshd.addUser()).username];
    const { platforms } = await ask(server.url, listPlatforms, {}, token);
    const safe = await ask(server.url, createSafe, { body: { name: "Web servers" } }, token);
    const body = {
      name: "web-01 scanner",
      system_type: "Linux",
      hostname: sshd.host,
      port: sshd.port,
      username: scanner.username,
      password: scanner.password,
      platform_id: platforms.find(({ name }) => name === "Linux")!.id,
      safe_id: safe.id,
      connection_method: "SSH",
    } as const;
    const reconciler = await ask(server.url, createAccount, { body }, token);
    const linux = platforms.find(({ name }) => name === "Linux")!;
    const { id, account_count: _, reconcile_readiness: __, created_at: ___, updated_at: ____, ...policy } = linux;
    const platform = { ...policy, reconcile_account_id: reconciler.id };
    await ask(server.url, updatePlatform, { params: { id }, body: platform }, adminToken);
    visit = await visitor(browser, server.url);
    page = visit.page;
    await signIn(page, manager);
  });
  after(async () => {
    await browser?.close();
    await Promise.all([server?.close(), sshd?.stop()]);
  });

  const tab = (name: string) => page.getByRole("tab", { name: new RegExp(`^${name}`) }).click();
  const wizard = () => dialogOf(page, "Create Discovery Target");
  const pick = async (label: string, choice: string) => {
    const field = wizard().getByRole("combobox", { name: label }).or(textField(wizard(), label)).first();
    await field.click();
    await field.fill(choice);
    await page.getByRole("option", { name: choice }).first().click();
  };

  step("DISC-01 to DISC-03, DISC-06: the page has its heading, tabs and buttons, and an empty state", async () => {
    await page.getByRole("link", { name: "Discovery", exact: true }).click();
    await isAt(page, "/discovery");
    await seesHeading(page, "Discovery Scan");
    await page.getByText("No discovery targets").waitFor();
    const tabs = await page.getByRole("tab").allTextContents();
    assert.deepEqual(
      tabs.map((each) => each.replace(/\d+$/, "")),
      [
        "Discovery Targets",
        "Basic Scans",
        "Enhanced Scans",
        "Security Findings",
        "Discovered Accounts",
        "Risk Assessment",
        "Statistics",
      ],
    );
    await inspectScreen(page, "discovery-empty");
  });

  step("DISC-11 to DISC-13: the wizard checks each step before the next", async () => {
    await page.getByRole("button", { name: "Add Discovery Target" }).first().click();
    await wizard().getByRole("button", { name: "Next" }).click();
    await wizard().getByText("Target name is required").waitFor();
    await wizard().getByText("Please select a safe").waitFor();
    await textField(wizard(), "Name").fill(TARGET);
    await pick("Safe", "Web servers");
    await inspectScreen(page, "discovery-wizard");
    await wizard().getByRole("button", { name: "Next" }).click();
    await wizard().getByRole("button", { name: "Next" }).click();
    await wizard().getByText("Hostname or IP address is required").waitFor();
    await wizard().getByText("Please select a credential").waitFor();
    await wizard().getByRole("button", { name: "Back" }).click();
    assert.equal(await textField(wizard(), "Name").inputValue(), TARGET);
    await wizard().getByRole("button", { name: "Next" }).click();
    await textField(wizard(), "Hostname or IP Address").fill(sshd.host);
    await pick("Credential", "web-01 scanner");
    await wizard().getByRole("button", { name: "Next" }).click();
  });

  step(
    "DISC-20, DISC-27: a wrong port is refused; the connection test shows the host key; the target is created",
    async () => {
      await textField(wizard(), "Port").fill("70000");
      await wizard().getByRole("button", { name: "Create Target" }).click();
      await wizard().getByText("Port must be between 1 and 65535").waitFor();
      await textField(wizard(), "Port").fill(String(sshd.port));
      await wizard().getByRole("button", { name: "Test Connection" }).click();
      await wizard().getByText("The login works").waitFor();
      await wizard()
        .getByText((await sshd.hostKey()).fingerprint)
        .waitFor();
      await inspectScreen(page, "discovery-wizard-test");
      await wizard().getByRole("button", { name: "Create Target" }).click();
      await seesToast(page, "Discovery target created successfully");
      await page.getByText(TARGET, { exact: true }).waitFor();
    },
  );

  step("SCAN-14, SCAN-17, SCAN-25: a scan is configured and started, and completes", async () => {
    await page.getByRole("button", { name: `Scan ${TARGET}` }).click();
    const dialog = dialogOf(page, "Configure Discovery Scan");
    await dialog.getByText("Estimated duration: about 1 minute").waitFor();
    await textField(dialog, "Maximum accounts").fill("0");
    await dialog.getByRole("button", { name: "Start Scan" }).click();
    await dialog.locator('[aria-invalid="true"]').waitFor();
    await textField(dialog, "Maximum accounts").fill("1000");
    await inspectScreen(page, "discovery-scan-settings");
    await dialog.getByRole("button", { name: "Start Scan" }).click();
    await seesToast(page, "Discovery scan started successfully");
    await page.getByText(/Last scan: Completed/).waitFor();
    await inspectScreen(page, "discovery-targets");
  });

  step("SCAN-02, SCAN-10: Scan Details points to the accounts that were found", async () => {
    await tab("Basic Scans");
    await page.getByRole("button", { name: `Details of the scan of ${TARGET}` }).click();
    const dialog = dialogOf(page, "Scan Details");
    await dialog.getByText(/The accounts are on the Discovered Accounts tab/).waitFor();
    await inspectScreen(page, "discovery-scan-details");
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    await inspectScreen(page, "discovery-scans");
  });

  const row = (name: string) => page.getByRole("listitem").filter({ hasText: name });

  step("DISC-33: Discovered Accounts lists the pending ones with their privileges", async () => {
    await tab("Discovered Accounts");
    await row("root").getByText("Privileged", { exact: true }).waitFor();
    await row(others[0]!).getByText("Pending Approval", { exact: true }).waitFor();
    assert.equal(await row(scanner.username).count(), 0, "an account in a safe needs no approval");
    await page.getByRole("button", { name: `Details of root on ${sshd.host}` }).click();
    await dialogOf(page, "Account Details").getByText("Reported by the System").waitFor();
    await inspectScreen(page, "discovery-account-details");
    await page.keyboard.press("Escape");
    await dialogOf(page, "Account Details").waitFor({ state: "detached" });
    await inspectScreen(page, "discovery-accounts");
  });

  step("DISC-09, DISC-35, DISC-37, DISC-41 to DISC-44: accounts are rejected with a reason and approved", async () => {
    const where = (name: string) => `${name} on ${sshd.host}`;
    await page.getByRole("button", { name: `Reject ${where(others[0]!)}` }).click();
    const rejecting = dialogOf(page, "Reject Discovered Accounts");
    assert.equal(await rejecting.getByRole("button", { name: "Reject" }).isDisabled(), true);
    await textField(rejecting, "Reason").fill("Left over from a test");
    await inspectScreen(page, "discovery-reject");
    await rejecting.getByRole("button", { name: "Reject" }).click();
    await seesToast(page, "Rejected 1 account successfully");
    await row(others[0]!).waitFor({ state: "detached" });
    await page.getByRole("checkbox", { name: `Select ${where(others[1]!)}` }).click();
    await page.getByRole("checkbox", { name: `Select ${where("root")}` }).click();
    await page.getByText("2 accounts selected").waitFor();
    await page.getByRole("region", { name: "Selected accounts" }).getByRole("button", { name: "Approve" }).click();
    const approving = dialogOf(page, "Approve Discovered Accounts");
    await inspectScreen(page, "discovery-approve");
    await approving.getByRole("button", { name: "Approve" }).click();
    await seesToast(page, "Approved 2 accounts successfully");
    await choose(page.getByRole("search", { name: "Discovered accounts" }), "Status", "Rejected");
    await row(others[0]!)
      .getByText(/Rejected by mona.*: Left over from a test/)
      .waitFor();
  });

  step("DISC-35 to DISC-39: an account is onboarded, and its password is then known only to Strongroom", async () => {
    await choose(page.getByRole("search", { name: "Discovered accounts" }), "Status", "Pending Approval");
    await page.getByRole("button", { name: `Approve ${orphan.username} on ${sshd.host}` }).click();
    const dialog = dialogOf(page, "Approve Discovered Accounts");
    await dialog.getByText("Password needed", { exact: true }).waitFor();
    await dialog.getByRole("switch", { name: "Rotate automatically" }).click();
    await dialog.getByText("New password", { exact: true }).waitFor();
    await inspectScreen(page, "discovery-approve-preview");
    await dialog.getByRole("button", { name: "Approve" }).click();
    await seesToast(page, "Approved 1 account successfully");
    await choose(page.getByRole("search", { name: "Discovered accounts" }), "Status", "Approved");
    await row(orphan.username).getByText("Onboarded", { exact: true }).waitFor();
    await inspectScreen(page, "discovery-onboarded");
    await page.getByRole("button", { name: `Details of ${orphan.username} on ${sshd.host}` }).click();
    const details = dialogOf(page, "Account Details");
    await details.getByText(/Only Strongroom knows the password/).waitFor();
    await inspectScreen(page, "discovery-onboarding-journal");
    await page.keyboard.press("Escape");
    await details.waitFor({ state: "detached" });
    const { data } = await ask(server.url, listAccounts, { query: { search: orphan.username } }, token);
    assert.equal(data[0]?.last_validation_status, "valid");
    const { password } = await ask(server.url, retrieveAccount, { params: { id: data[0].id }, body: {} }, token);
    assert.notEqual(password, orphan.password);
    assert.match(sshd.log(), new RegExp(`Accepted \\S+ for ${orphan.username} `));
    await assertHoldsNoSecret(page, password);
  });

  step("an onboarding without a password is undone in Account Details", async () => {
    const place = `${others[1]!} on ${sshd.host}`;
    await row(others[1]!).getByText("Password needed", { exact: true }).waitFor();
    await page.getByRole("button", { name: `Details of ${place}` }).click();
    await dialogOf(page, "Account Details").getByRole("button", { name: "Undo Onboarding" }).click();
    await dialogOf(page, "Undo Onboarding").getByRole("button", { name: "Undo Onboarding" }).click();
    await seesToast(page, "Onboarding undone");
    await page.keyboard.press("Escape");
    await dialogOf(page, "Account Details").waitFor({ state: "detached" });
    await choose(page.getByRole("search", { name: "Discovered accounts" }), "Status", "Pending Approval");
    await row(others[1]!).getByText("Undone", { exact: true }).waitFor();
  });

  step("DISC-49 to DISC-53: Statistics counts targets, scans and decisions, with recent activity", async () => {
    await tab("Statistics");
    assert.match((await cardOf(page, "Targets").textContent()) ?? "", /1/);
    await page.getByText(/^Scan of "web-01" found \d+ accounts?$/).waitFor();
    await inspectScreen(page, "discovery-statistics");
    await page.getByRole("radiogroup", { name: "Statistics" }).getByText("Validation", { exact: true }).click();
    await page.getByRole("article", { name: "Verified", exact: true }).waitFor();
    await inspectScreen(page, "discovery-validation");
  });

  step("a range scan finds the host, and its SSH server opens the target form", async () => {
    await tab("Discovery Targets");
    await page.getByRole("radiogroup", { name: "Discovery targets" }).getByText("IP Ranges", { exact: true }).click();
    await page.getByText("No IP range scans").waitFor();
    await page.getByText(`${sshd.host}/32`).waitFor();
    await inspectScreen(page, "discovery-ranges-empty");
    await page.getByRole("button", { name: "Scan IP Range" }).click();
    const dialog = dialogOf(page, "Scan IP Range");
    await textField(dialog, "Name").fill("The lab");
    const safe = dialog.getByRole("combobox", { name: "Safe" }).or(textField(dialog, "Safe")).first();
    await safe.click();
    await page.getByRole("option", { name: "Web servers" }).first().click();
    await textField(dialog, "Ranges").fill("10.99.0.0/24");
    await textField(dialog, "Ports").fill(String(sshd.port));
    await dialog.getByRole("button", { name: "Start Scan" }).click();
    await dialog
      .getByText(/has not allowed scans of 10\.99\.0\.0\/24/)
      .first()
      .waitFor();
    await inspectScreen(page, "discovery-range-form");
    await textField(dialog, "Ranges").fill(sshd.host);
    await dialog.getByRole("button", { name: "Start Scan" }).click();
    await seesToast(page, "IP range scan started successfully");
    await page.getByText("1 host found · 1 of 1 address scanned").waitFor();
    await inspectScreen(page, "discovery-ranges");
    await page.getByRole("button", { name: "Hosts of The lab" }).click();
    const hosts = dialogOf(page, "Hosts of The lab");
    await hosts.getByText(`${sshd.port} SSH`).waitFor();
    // The flow has made a target of this host and port already.
    await hosts.getByText("Already a target").waitFor();
    await inspectScreen(page, "discovery-hosts");
    await page.keyboard.press("Escape");
    await hosts.waitFor({ state: "detached" });
  });

  step("a target gets a schedule, and is disabled and enabled", async () => {
    await page.getByRole("radiogroup", { name: "Discovery targets" }).getByText("Targets", { exact: true }).click();
    await chooseFor(page, TARGET, "Edit");
    const dialog = dialogOf(page, "Edit Discovery Target");
    await dialog.getByRole("button", { name: "Next" }).click();
    await dialog.getByRole("button", { name: "Next" }).click();
    await choose(dialog, "Scans", "Another schedule");
    await textField(dialog, "Schedule").fill("every night");
    await dialog.getByRole("button", { name: "Save Changes" }).click();
    await dialog
      .getByText(/A schedule has five fields/)
      .first()
      .waitFor();
    await textField(dialog, "Schedule").fill("30 2 * * 1-5");
    await inspectScreen(page, "discovery-schedule");
    await dialog.getByRole("button", { name: "Save Changes" }).click();
    await seesToast(page, "Discovery target updated successfully");
    await page.getByText(/^Next scan/).waitFor();
    await chooseFor(page, TARGET, "Disable");
    await seesToast(page, "Discovery target disabled successfully");
    await chooseFor(page, TARGET, "Enable");
    await seesToast(page, "Discovery target enabled successfully");
    await inspectScreen(page, "discovery-targets-scheduled");
  });

  step("DISC-63: Refresh reports success; no page contains the scanner's password", async () => {
    await tab("Discovery Targets");
    await page.getByRole("button", { name: "Refresh" }).click();
    await seesToast(page, "Discovery data refreshed");
    await assertHoldsNoSecret(page, scanner.password);
    assertNoErrors(visit);
  });
});
