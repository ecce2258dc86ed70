// A privileged session in a real browser: a member works on a real sshd through the gateway without seeing the password,
// and a manager watches, messages, terminates, plays back and exports the session.
import {
  addSafeMember,
  createAccount,
  createSafe,
  exportAudit,
  listPlatforms,
  listPrivilegedSessions,
  readCheckpoint,
  readSessionRecording,
  retrieveAccount,
  validateAccount,
} from "@strongroom/contract";
import { needs, startSshd, unixUsersAvailable } from "@strongroom/connectors/testing";
import type { Sshd } from "@strongroom/connectors/testing";
import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe } from "node:test";
import type { Browser, Page } from "playwright-core";
import { strongroom } from "../apps/cli/testing/strongroom.ts";
import { becomes } from "./testing/becomes.ts";
import { assertNoErrors, launchBrowser, noBrowser, visitor } from "./testing/browser.ts";
import type { Visit } from "./testing/browser.ts";
import { inspectScreen } from "./testing/inspect-screen.ts";
import { aUser, ask, firstAdmin, send, tokenOf, userIdOf } from "./testing/people.ts";
import type { Person } from "./testing/people.ts";
import {
  assertHoldsNoSecret,
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

const ACCOUNT = "web-01 deploy";
const MESSAGE = "Please finish within five minutes";
const REASON = "Maintenance window is over";
const unavailable = noBrowser === false ? unixUsersAvailable() : noBrowser;

describe("privileged sessions", needs(unavailable), () => {
  let server: RunningServer;
  let sshd: Sshd;
  let browser: Browser;
  let admin: Person;
  let manager: Person;
  let member: Person;
  let managing: Visit;
  let working: Visit;
  let account: Awaited<ReturnType<typeof anSshAccount>>;
  let exported: string;
  /** Everything that was sent over the WebSockets of both browsers. */
  const frames: Buffer[] = [];
  const step = steps(() => (managing?.page.url() === "about:blank" ? working.page : managing?.page));

  before(async () => {
    browser = await launchBrowser();
    [server, sshd] = await Promise.all([startServer({ STRONGROOM_GATEWAY: "1" }), startSshd()]);
    admin = await firstAdmin(server);
    manager = await aUser(server, "mona@example.com");
    member = await aUser(server, "ben@example.com");
    account = await anSshAccount();
    [managing, working] = await Promise.all([visitor(browser, server.url), visitor(browser, server.url)]);
    for (const { page } of [managing, working]) {
      page.on("websocket", (socket) => {
        const keep = ({ payload }: { payload: string | Buffer }) => frames.push(Buffer.from(payload));
        socket.on("framereceived", keep);
        socket.on("framesent", keep);
      });
    }
  });
  after(async () => {
    await browser?.close();
    await Promise.all([server?.close(), sshd?.stop()]);
  });

  /**
   * Creates an account of the manager's safe with a pinned host key. The member may use the account but not retrieve its
   * password.
   */
  async function anSshAccount() {
    const { url } = server;
    const [token, memberToken] = [await tokenOf(server, manager), await tokenOf(server, member)];
    const { username, password } = await sshd.addUser("active", { hasHome: true });
    const { platforms } = await ask(url, listPlatforms, {}, token);
    const platform = platforms.find(({ name }) => name === "Linux");
    assert.ok(platform);
    const safe = await ask(url, createSafe, { body: { name: "Web servers" } }, token);
    const body = {
      name: ACCOUNT,
      system_type: "Linux",
      hostname: sshd.host,
      port: sshd.port,
      username,
      password,
      platform_id: platform.id,
      safe_id: safe.id,
      connection_method: "SSH",
    } as const;
    const { id } = await ask(url, createAccount, { body }, token);
    const validation = await ask(url, validateAccount, { params: { id } }, token);
    assert.equal(validation.outcome, "verified", validation.validation_message);
    const membership = { user_id: userIdOf(memberToken), role: "custom", permissions: ["list", "use"] } as const;
    await ask(
      url,
      addSafeMember,
      { params: { id: safe.id }, body: { ...membership, permissions: ["list", "use"] } },
      token,
    );
    return { id, username, password };
  }

  const terminalOf = (page: Page) => page.getByRole("group", { name: `Terminal of ${ACCOUNT}` });
  const nameOfSession = `ben on ${ACCOUNT}`;
  const button = (label: string) => managing.page.getByRole("button", { name: `${label}: ${nameOfSession}` });

  step("Connect opens a terminal for a member who may not retrieve the password", async () => {
    const { page } = working;
    await signIn(page, member, `/accounts/${account.id}`);
    await page.getByRole("link", { name: "Connect" }).waitFor();
    assert.equal(await page.getByRole("button", { name: "Copy Password" }).count(), 0);
    const params = { id: account.id };
    const refused = await send(server.url, retrieveAccount, { params, body: {} }, await tokenOf(server, member));
    assert.equal(refused.status, 403);
    await page.getByRole("link", { name: "Connect" }).click();
    await seesHeading(page, `Connect to ${ACCOUNT}`);
    await page.getByText("Connected", { exact: true }).waitFor();
    await page.getByText("Recorded", { exact: true }).waitFor();
  });

  step("commands run on the target", async () => {
    const { page } = working;
    // The shell computes the number, so an echo of the typed text does not contain it.
    await page.keyboard.type("echo marker-$((40+2)) as $(id -un)\n");
    await terminalOf(page).getByText(`marker-42 as ${account.username}`).waitFor();
    await becomes(() => new RegExp(`Accepted \\S+ for ${account.username}`).test(sshd.log()), true);
    await inspectScreen(page, "session-terminal");
  });

  step("SES-01 to SES-06, SES-11: Session Monitoring shows the active session and its actions", async () => {
    const { page } = managing;
    await signIn(page, manager);
    await page.getByRole("link", { name: "Session Monitoring" }).click();
    await isAt(page, "/sessions");
    await seesHeading(page, "Session Monitoring");
    for (const card of ["Active Sessions", "Recorded Today", "High Risk", "Avg Duration"]) {
      await page.getByRole("article", { name: card, exact: true }).waitFor();
    }
    for (const label of ["Watch Live", "Playback", "Export", "Terminate"]) await button(label).waitFor();
    await page.getByRole("list", { name: "Live Activity" }).getByRole("listitem").first().waitFor();
    await inspectScreen(page, "sessions");
  });

  step("Watch Live shows the current screen and everything that follows, and the member is notified", async () => {
    const { page } = managing;
    await button("Watch Live").click();
    const watched = dialogOf(page, `Watch Live: ${nameOfSession}`);
    await watched.getByText("Live, read-only", { exact: true }).waitFor();
    await watched.getByText(`marker-42 as ${account.username}`).waitFor();
    await working.page.getByText("Watched by 1", { exact: true }).waitFor();
    await terminalOf(working.page).click();
    await working.page.keyboard.type("echo watched-$((50+5))\n");
    await watched.getByText("watched-55", { exact: true }).waitFor();
    await inspectScreen(page, "session-watch");
    await page.keyboard.press("Escape");
    await watched.waitFor({ state: "detached" });
    await working.page.getByText("Watched by 1", { exact: true }).waitFor({ state: "detached" });
  });

  step("a message from the manager appears in the member's terminal", async () => {
    await chooseFor(managing.page, nameOfSession, "Message");
    const dialog = dialogOf(managing.page, "Message to the User");
    await textField(dialog, "Message").fill(MESSAGE);
    await dialog.getByRole("button", { name: "Send" }).click();
    await seesToast(managing.page, "ben sees your message");
    await working.page.getByRole("alert").getByText(MESSAGE).waitFor();
    await inspectScreen(working.page, "session-terminal-message");
  });

  step("SES-05: Terminate ends the session, and the member's terminal shows the reason", async () => {
    await button("Terminate").click();
    const dialog = dialogOf(managing.page, "Terminate Session");
    await textField(dialog, "Reason").fill(REASON);
    await dialog.getByRole("button", { name: "Terminate" }).click();
    await dialog.waitFor({ state: "detached" });
    const ended = working.page.getByRole("alert").filter({ hasText: "Session ended" });
    await ended.getByText(`Terminated by mona: ${REASON}`, { exact: true }).waitFor();
    await inspectScreen(working.page, "session-ended");
    await button("Terminate").waitFor({ state: "detached" });
    await managing.page.getByText(`Terminated by mona: ${REASON}`).first().waitFor();
  });

  step("Playback shows the recorded session", async () => {
    const { page } = managing;
    await button("Playback").click();
    const player = dialogOf(page, `Playback: ${nameOfSession}`);
    await player.getByText("watched-55", { exact: true }).waitFor();
    // The recording is short, so playback ends soon.
    await player.getByRole("button", { name: "Play", exact: true }).waitFor();
    await inspectScreen(page, "session-playback");
    await page.keyboard.press("Escape");
    await player.waitFor({ state: "detached" });
  });

  step("the exported recording passes `strongroom recording verify`", async () => {
    const download = managing.page.waitForEvent("download");
    await button("Export").click();
    exported = join(server.dataFolder, "exported.srr");
    await (await download).saveAs(exported);
    const verified = await strongroom(["recording", "verify", exported]);
    assert.equal(verified.status, 0, verified.stdout + verified.stderr);
    assert.match(verified.stdout, /^Complete: \d+ chunks, in order and unchanged\./);
    const token = await tokenOf(server, admin);
    await becomes(async () => (await ask(server.url, readCheckpoint, {}, token)).pending, 0);
    const trail = join(server.dataFolder, "trail.jsonl");
    await writeFile(trail, await (await send(server.url, exportAudit, {}, token)).text());
    const proven = await strongroom(["recording", "verify", exported, "--digests", trail]);
    assert.equal(proven.status, 0, proven.stdout + proven.stderr);
    const [, chunks] = /^Complete: (\d+) chunks/.exec(proven.stdout) ?? [];
    assert.match(proven.stdout, new RegExp(`Proven by the digests up to chunk ${Number(chunks) - 1}\\.`));
  });

  step("INVARIANT: the password appears in no page, WebSocket, log or recording", async () => {
    for (const { page } of [managing, working]) await assertHoldsNoSecret(page, account.password);
    const token = await tokenOf(server, manager);
    const { sessions } = await ask(server.url, listPrivilegedSessions, {}, token);
    const params = { id: sessions[0]!.id };
    const cast = await (await send(server.url, readSessionRecording, { params }, token)).text();
    assert.match(cast, /watched-55/);
    const texts = [Buffer.concat(frames).toString("latin1"), server.output(), cast, await readFile(exported, "latin1")];
    assert.match(texts[0]!, /watched-55/);
    assert.deepEqual(
      texts.map((text) => text.includes(account.password)),
      texts.map(() => false),
    );
    for (const visit of [managing, working]) assertNoErrors(visit);
  });
});
