// `strongroom ssh` and `strongroom scp` against a server, a gateway and a real sshd.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { promisify } from "node:util";
import { createToken } from "@strongroom/contract";
import type { ScopeChoice } from "@strongroom/contract";
import { needs, unixUsersAvailable } from "@strongroom/connectors/testing";
import { strongroom } from "../../../cli/testing/strongroom.ts";
import { startGatewayWorld, type GatewayWorld } from "../../testing/gateway-world.ts";

describe("the command line", needs(unixUsersAvailable()), () => {
  let world: GatewayWorld;
  let folder: string;
  let env: Record<string, string>;

  before(async () => {
    world = await startGatewayWorld();
    folder = mkdtempSync(join(tmpdir(), "strongroom-cli-"));
    const url = await world.app.http.listen({ host: "127.0.0.1", port: 0 });
    env = {
      STRONGROOM_URL: url,
      STRONGROOM_TOKEN: await aToken(["privileged-session.start", "account.list"]),
      TMPDIR: folder,
    };
  });
  after(async () => {
    rmSync(folder, { recursive: true, force: true });
    await world.stop();
  });

  async function aToken(scopes: ScopeChoice[]): Promise<string> {
    const body = { name: "ssh", scopes, expires_in_days: 1 };
    const made = await world.app.call(createToken, { body, as: world.owner.token });
    assert.equal(made.status, 201, made.text);
    return made.body.token;
  }

  test("ssh runs a command on the account with this name, and returns its status", async () => {
    const words = ["ssh", world.accountName, "--", "echo $USER; env; exit 7"];
    const { status, stdout, stderr } = await strongroom(words, { env });
    assert.equal(status, 7, stderr);
    assert.ok(stdout.startsWith(`${world.user.username}\n`));
    assert.ok(!stdout.includes(env["STRONGROOM_TOKEN"] ?? ""));
    assert.deepEqual(readdirSync(folder), [], "temporary files are deleted");
  });

  test("scp copies a file there and back", async () => {
    const [there, source, back] = [`/tmp/strongroom-${randomBytes(4).toString("hex")}`, "source", "back"];
    const files = mkdtempSync(join(tmpdir(), "strongroom-files-"));
    writeFileSync(join(files, source), "content");
    const up = await strongroom(["scp", join(files, source), `${world.accountId}:${there}`], { env });
    assert.equal(up.status, 0, up.stderr);
    const down = await strongroom(["scp", `${world.accountId}:${there}`, join(files, back)], { env });
    assert.equal(down.status, 0, down.stderr);
    assert.equal(readFileSync(join(files, back), "utf8"), "content");
    rmSync(there);
    rmSync(files, { recursive: true });
  });

  test("ssh-config prints lines with which OpenSSH reaches the gateway and trusts its host key", async () => {
    const home = mkdtempSync(join(tmpdir(), "strongroom-home-"));
    const [config, known] = [join(home, "config"), join(home, "known_hosts")];
    const block = await strongroom(["ssh-config"], { env });
    const line = await strongroom(["ssh-config", "--known-hosts"], { env });
    assert.deepEqual([block.status, line.status], [0, 0], block.stderr + line.stderr);
    assert.match(line.stdout, /^strongroom-gateway ssh-ed25519 \S+\n$/);
    writeFileSync(config, block.stdout);
    writeFileSync(known, line.stdout);
    const askpass = join(home, "token");
    writeFileSync(askpass, "#!/bin/sh\nprintf '%s\\n' \"$STRONGROOM_TOKEN\"\n", { mode: 0o700 });
    const trust = ["-o", `UserKnownHostsFile=${known}`, "-o", "GlobalKnownHostsFile=/dev/null"];
    const words = ["-F", config, ...trust, `${world.accountId}@strongroom`, "echo through"];
    const asking = { SSH_ASKPASS: askpass, SSH_ASKPASS_REQUIRE: "force", DISPLAY: ":0" };
    const connected = await promisify(execFile)("ssh", words, { env: { ...process.env, ...env, ...asking } });
    assert.equal(connected.stdout, "through\n", connected.stderr);
    rmSync(home, { recursive: true });
  });

  test("explains a missing token, an unknown account and a server that is not private", async () => {
    const { STRONGROOM_TOKEN: _, ...withoutToken } = env;
    const missing = await strongroom(["ssh", "db"], { env: withoutToken });
    assert.match(missing.stderr, /Set STRONGROOM_TOKEN/);
    const unknown = await strongroom(["ssh", "no such account"], { env });
    assert.match(unknown.stderr, /No account has the name "no such account"/);
    const open = await strongroom(["ssh", "db"], { env: { ...env, STRONGROOM_URL: "http://strongroom.example.com" } });
    assert.match(open.stderr, /The API token would be sent to strongroom.example.com unencrypted/);
  });
});
