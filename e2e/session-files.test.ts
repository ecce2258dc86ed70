// Files and search of a session in a real browser, on a real sshd: upload and download with progress, and the SSH CA.
import {
  addSafeMember,
  createAccount,
  createSafe,
  listAuditEntries,
  listPlatforms,
  validateAccount,
} from "@strongroom/contract";
import { needs, startSshd, unixUsersAvailable } from "@strongroom/connectors/testing";
import type { Sshd } from "@strongroom/connectors/testing";
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe } from "node:test";
import type { Browser } from "playwright-core";
import { becomes } from "./testing/becomes.ts";
import { assertNoErrors, launchBrowser, noBrowser, visitor } from "./testing/browser.ts";
import type { Visit } from "./testing/browser.ts";
import { inspectScreen } from "./testing/inspect-screen.ts";
import { aUser, ask, firstAdmin, tokenOf, userIdOf } from "./testing/people.ts";
import type { Person } from "./testing/people.ts";
import { dialogOf, seesHeading, seesToast, signIn } from "./testing/screens.ts";
import { startServer } from "./testing/server.ts";
import type { RunningServer } from "./testing/server.ts";
import { steps } from "./testing/steps.ts";

const ACCOUNT = "web-01 deploy";
const unavailable = noBrowser === false ? unixUsersAvailable() : noBrowser;

describe("the files of a session", needs(unavailable), () => {
  let server: RunningServer;
  let sshd: Sshd;
  let browser: Browser;
  let admin: Person;
  let member: Person;
  let visit: Visit;
  let folder: string;
  let account: { id: string; username: string };
  const step = steps(() => visit.page);

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), "strongroom-files-"));
    browser = await launchBrowser();
    [server, sshd] = await Promise.all([startServer({ STRONGROOM_GATEWAY: "1" }), startSshd()]);
    admin = await firstAdmin(server);
    member = await aUser(server, "ben@example.com");
    account = await anSshAccount();
    visit = await visitor(browser, server.url);
  });
  after(async () => {
    await browser?.close();
    await Promise.all([server?.close(), sshd?.stop()]);
    rmSync(folder, { recursive: true, force: true });
  });

  async function anSshAccount() {
    const { url } = server;
    const [token, memberToken] = [await tokenOf(server, admin), await tokenOf(server, member)];
    const { username, password } = await sshd.addUser("active", { hasHome: true });
    const { platforms } = await ask(url, listPlatforms, {}, token);
    const safe = await ask(url, createSafe, { body: { name: "Web servers" } }, token);
    const body = {
      name: ACCOUNT,
      system_type: "Linux",
      hostname: sshd.host,
      port: sshd.port,
      username,
      password,
      platform_id: platforms.find(({ name }) => name === "Linux")!.id,
      safe_id: safe.id,
      connection_method: "SSH",
    } as const;
    const { id } = await ask(url, createAccount, { body }, token);
    const validation = await ask(url, validateAccount, { params: { id } }, token);
    assert.equal(validation.outcome, "verified", validation.validation_message);
    const membership = { user_id: userIdOf(memberToken), role: "custom", permissions: ["list", "use"] } as const;
    const members = {
      params: { id: safe.id },
      body: { ...membership, permissions: ["list" as const, "use" as const] },
    };
    await ask(url, addSafeMember, members, token);
    return { id, username };
  }

  const files = () => dialogOf(visit.page, `Files of ${ACCOUNT}`);

  step("the terminal finds text in its scrollback", async () => {
    const { page } = visit;
    await signIn(page, member, `/accounts/${account.id}`);
    await page.getByRole("link", { name: "Connect" }).click();
    await seesHeading(page, `Connect to ${ACCOUNT}`);
    await page.getByText("Connected", { exact: true }).waitFor();
    await page.keyboard.type("mkdir work; echo hello > work/note.txt; seq 1 200; echo needle-$((40+2))\n");
    await page
      .getByRole("group", { name: `Terminal of ${ACCOUNT}` })
      .getByText("needle-42")
      .waitFor();
    await page.keyboard.press("Control+Shift+F");
    const search = page.getByRole("textbox", { name: "Search the terminal" });
    await search.fill("needle-42");
    await search.press("Enter");
    await page.getByText("Not found").waitFor({ state: "detached" });
    await search.fill("absent-text");
    await search.press("Enter");
    await page.getByText("Not found").waitFor();
    await inspectScreen(page, "session-search");
    await search.press("Escape");
    await search.waitFor({ state: "detached" });
  });

  step("Files lists the home folder of the account, and opens folders", async () => {
    await visit.page.getByRole("button", { name: "Files" }).click();
    const list = files().getByRole("list", { name: /^Content of / });
    await list.getByRole("button", { name: "work", exact: true }).click();
    await files()
      .getByRole("list", { name: /\/work$/ })
      .getByText("note.txt")
      .waitFor();
    await inspectScreen(visit.page, "session-files");
  });

  step("an upload and a download of 5 MB keep every byte", async () => {
    const content = randomBytes(5_000_000);
    const source = join(folder, "build.tar");
    writeFileSync(source, content);
    await files().locator('input[type="file"]').setInputFiles(source);
    await seesToast(visit.page, "Uploaded build.tar");
    const download = visit.page.waitForEvent("download");
    await files().getByRole("button", { name: "Download: build.tar" }).click();
    const copy = join(folder, "copy.tar");
    await (await download).saveAs(copy);
    assert.ok(readFileSync(copy).equals(content));
  });

  step("a folder is created, renamed and deleted, and a taken name is refused", async () => {
    const { page } = visit;
    await files().getByRole("button", { name: "New Folder" }).click();
    const create = dialogOf(page, "New Folder");
    await create.getByRole("textbox", { name: "Name" }).fill("build.tar");
    await create.getByRole("button", { name: "Create" }).click();
    await create.getByText("This folder already contains this name").waitFor();
    await create.getByRole("textbox", { name: "Name" }).fill("releases");
    await inspectScreen(page, "session-files-new-folder");
    await create.getByRole("button", { name: "Create" }).click();
    await seesToast(page, "Created releases");
    await files().getByRole("button", { name: "Rename: releases" }).click();
    const rename = dialogOf(page, "Rename releases");
    await rename.getByRole("textbox", { name: "Name" }).fill("archive");
    await rename.getByRole("button", { name: "Rename" }).click();
    await seesToast(page, "Renamed releases to archive");
    await files().getByRole("button", { name: "Delete: archive" }).click();
    await dialogOf(page, "Delete the folder").getByRole("button", { name: "Delete" }).click();
    await seesToast(page, "Deleted archive");
    await files().getByRole("button", { name: "Delete: build.tar" }).click();
    await dialogOf(page, "Delete the file").getByRole("button", { name: "Delete" }).click();
    await seesToast(page, "Deleted build.tar");
    await files().getByRole("button", { name: "Delete: build.tar" }).waitFor({ state: "detached" });
    await page.reload();
  });

  step("the file operations are audited with their paths and sizes", async () => {
    const token = await tokenOf(server, admin);
    const operations = async () => {
      const query = { event: "privileged-session.files-used" };
      return JSON.stringify(await ask(server.url, listAuditEntries, { query }, token));
    };
    await becomes(async () => /uploaded/.test(await operations()) && /downloaded/.test(await operations()), true);
    assert.match(await operations(), /5000000/);
    for (const action of ["make folder", "rename", "remove folder", "remove"]) {
      assert.match(await operations(), new RegExp(`"${action}"`));
    }
    assertNoErrors(visit);
  });

  step("an administrator creates the SSH CA, and sees how targets trust it", async () => {
    const { page } = visit;
    const own = await visitor(browser, server.url);
    await signIn(own.page, admin, "/admin?tab=ssh-ca");
    await own.page.getByRole("button", { name: "Create CA Key" }).click();
    await dialogOf(own.page, "Create the CA Key").getByRole("button", { name: "Create" }).click();
    await own.page.getByText("TrustedUserCAKeys /etc/ssh/strongroom-ssh-ca.pub").waitFor();
    await inspectScreen(own.page, "ssh-ca");
    const download = own.page.waitForEvent("download");
    await own.page.getByRole("button", { name: "Download Public Keys" }).click();
    const file = join(folder, "ca.pub");
    await (await download).saveAs(file);
    assert.match(readFileSync(file, "utf8"), /^ssh-ed25519 [A-Za-z0-9+/=]+ strongroom-ssh-ca-active\n$/);
    assertNoErrors(own);
    await page.close();
  });
});
