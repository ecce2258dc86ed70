// A user adds an SSH key in a real browser and signs in to the gateway with it, with the real OpenSSH client.
import { createAccount, createSafe, listPlatforms } from "@strongroom/contract";
import { freePort } from "@strongroom/connectors/testing";
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe } from "node:test";
import { promisify } from "node:util";
import type { Browser, Page } from "playwright-core";
import { assertNoErrors, launchBrowser, noBrowser, visitor } from "./testing/browser.ts";
import type { Visit } from "./testing/browser.ts";
import { inspectScreen } from "./testing/inspect-screen.ts";
import { aUser, ask, firstAdmin, tokenOf } from "./testing/people.ts";
import type { Person } from "./testing/people.ts";
import { dialogOf, seesHeading, seesToast, signIn, textField } from "./testing/screens.ts";
import { startServer } from "./testing/server.ts";
import type { RunningServer } from "./testing/server.ts";
import { steps } from "./testing/steps.ts";

const run = promisify(execFile);

describe("SSH keys", { skip: noBrowser }, () => {
  let server: RunningServer;
  let browser: Browser;
  let visit: Visit;
  let user: Person;
  let port: number;
  const folder = mkdtempSync(join(tmpdir(), "strongroom-keys-"));
  const key = join(folder, "id_ed25519");
  const step = steps(() => visit?.page);

  before(async () => {
    await run("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-C", "mona@laptop", "-f", key]);
    port = await freePort();
    browser = await launchBrowser();
    server = await startServer({ STRONGROOM_GATEWAY: "1", STRONGROOM_SSH_PORT: String(port) });
    await firstAdmin(server);
    user = await aUser(server, "mona@example.com");
    visit = await visitor(browser, server.url);
  });
  after(async () => {
    await browser?.close();
    await server?.close();
    rmSync(folder, { recursive: true });
  });

  const card = (page: Page) => page.getByRole("region", { name: "SSH Keys" });

  /** The client's error output: the gateway says why it starts no session. */
  async function connect(): Promise<string> {
    const trust = ["-o", `UserKnownHostsFile=${join(folder, "known_hosts")}`, "-o", "GlobalKnownHostsFile=/dev/null"];
    const only = ["-o", "IdentitiesOnly=yes", "-o", "IdentityAgent=none", "-o", "BatchMode=yes"];
    const words = ["-F", join(folder, "config"), ...trust, ...only, "-i", key, "no-such-account@strongroom", "true"];
    return run("ssh", words).then(
      ({ stderr }) => stderr,
      (error: { stderr: string }) => error.stderr,
    );
  }

  step("the profile explains a private key that was pasted by mistake and sends nothing", async () => {
    const { page } = visit;
    await signIn(page, user, "/profile");
    await seesHeading(page, "Profile");
    await card(page).getByText("No SSH keys").waitFor();
    await card(page).getByRole("button", { name: "Add SSH Key" }).click();
    const dialog = dialogOf(page, "Add SSH Key");
    const sent: string[] = [];
    page.on("request", (request) => sent.push(request.postData() ?? ""));
    await dialog.getByLabel("Public key").fill(readFileSync(key, "utf8"));
    await textField(dialog, "Name").fill("laptop");
    await dialog.getByRole("button", { name: "Add SSH Key" }).click();
    await dialog.getByText(/This is a private key/).waitFor();
    assert.ok(sent.every((body) => !body.includes("PRIVATE KEY")));
    await textField(dialog, "Name").fill("");
  });

  step("a public key shows its facts and is added after re-authentication", async () => {
    const { page } = visit;
    const dialog = dialogOf(page, "Add SSH Key");
    await dialog.getByLabel("Public key").fill(readFileSync(`${key}.pub`, "utf8"));
    const { stdout } = await run("ssh-keygen", ["-l", "-f", `${key}.pub`]);
    await dialog.getByText(stdout.split(" ")[1]!, { exact: true }).waitFor();
    assert.equal(await textField(dialog, "Name").inputValue(), "mona@laptop");
    await inspectScreen(page, "ssh-key-dialog");
    await dialog.getByRole("button", { name: "Add SSH Key" }).click();
    await seesToast(page, "SSH key added");
    await card(page).getByText("Last used: never").waitFor();
  });

  step("the lines that the profile shows let OpenSSH sign in to the gateway with the key", async () => {
    const { page } = visit;
    await card(page).getByRole("button", { name: "How to connect" }).click();
    const textOf = async (label: string) => (await card(page).getByLabel(label, { exact: true }).textContent()) ?? "";
    writeFileSync(join(folder, "known_hosts"), `${await textOf("known hosts line")}\n`);
    writeFileSync(join(folder, "config"), `${await textOf("SSH configuration")}\n`);
    assert.match(await textOf("host key fingerprint"), /^SHA256:/);
    await inspectScreen(page, "profile-ssh-keys");
    assert.match(await connect(), /No SSH account with this name/);
    await page.reload();
    await card(page)
      .getByText(/from 127\.0\.0\.1/)
      .waitFor();
  });

  step("Connect shows the command for an own SSH client", async () => {
    const { page } = visit;
    const token = await tokenOf(server, user);
    const { platforms } = await ask(server.url, listPlatforms, {}, token);
    const platform = platforms.find(({ name }) => name === "Linux");
    assert.ok(platform);
    const safe = await ask(server.url, createSafe, { body: { name: "Web servers" } }, token);
    const body = {
      name: "web-01",
      system_type: "Linux",
      hostname: "web1.example.com",
      username: "deploy",
      password: "a password of the target",
      platform_id: platform.id,
      safe_id: safe.id,
      connection_method: "SSH",
    } as const;
    const { id } = await ask(server.url, createAccount, { body }, token);
    await page.goto(`${server.url}/accounts/${id}/connect`);
    const hint = page.getByRole("region", { name: "With your own SSH client" });
    await hint.getByText(`ssh -p ${port} web-01@127.0.0.1`).waitFor();
    await inspectScreen(page, "connect-own-client");
  });

  step("a removed key no longer signs in", async () => {
    const { page } = visit;
    await page.goto(`${server.url}/profile`);
    await card(page).getByRole("button", { name: "Remove mona@laptop" }).click();
    await dialogOf(page, "Remove mona@laptop").getByRole("button", { name: "Remove" }).click();
    await seesToast(page, "mona@laptop removed");
    assert.match(await connect(), /Permission denied/);
    assertNoErrors(visit);
  });
});
