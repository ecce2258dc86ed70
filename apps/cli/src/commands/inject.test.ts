// `inject` and `run`, from the finding on a real sshd to the secret that the program gets.
import { createSafe, createToken, listFindings, readFinding, revokeToken, vaultFindings } from "@strongroom/contract";
import type { AccountId, DiscoveryTargetId } from "@strongroom/contract";
import { needs, startSshd, unixUsersAvailable } from "@strongroom/connectors/testing";
import type { Sshd } from "@strongroom/connectors/testing";
import assert from "node:assert/strict";
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { ask } from "../../../../e2e/testing/people.ts";
import { aScanTarget, completedScan, startScan } from "../../../../e2e/testing/scan-target.ts";
import type { RunningServer } from "../../../../e2e/testing/server.ts";
import { anInstallation } from "../../testing/a-strongroom.ts";
import type { Installation } from "../../testing/a-strongroom.ts";

const PASSWORD = `Kj8-&"plum'92\\x7`;

describe("references to secrets", needs(unixUsersAvailable()), () => {
  let installation: Installation;
  let server: RunningServer;
  let sshd: Sshd;
  let admin: string;
  let targetId: DiscoveryTargetId;
  let home: string;
  let account: AccountId;
  let env: Record<string, string>;

  before(async () => {
    installation = anInstallation();
    [server, sshd] = await Promise.all([installation.start(), startSshd()]);
    admin = await installation.setUp(server);
    const scanner = await sshd.addUser("active", { sudo: "ALL", hasHome: true });
    home = scanner.home;
    targetId = await aScanTarget(server, admin, sshd, scanner);
    const scopes = ["account.retrieve" as const];
    const { token } = await ask(
      server.url,
      createToken,
      { body: { name: "deploy", scopes, expires_in_days: 1 } },
      admin,
    );
    env = { STRONGROOM_URL: server.url, STRONGROOM_TOKEN: token };
  });
  after(async () => {
    await Promise.all([installation?.remove(), sshd?.stop()]);
  });

  const inFolder = (name: string) => join(installation.folder, name);
  function template(name: string, content: string): string {
    writeFileSync(inFolder(name), content);
    return inFolder(name);
  }

  test("FIND-16: vaulting replaces the secret in the file with a reference, which inject resolves", async () => {
    const path = join(home, "app.json");
    const settings = { database: { username: "ada", password: PASSWORD }, port: 5432 };
    const before = `${JSON.stringify(settings, null, 2)}\n`;
    writeFileSync(path, before, { mode: 0o640 });
    const config = { filePatterns: ["*.json"] };
    await completedScan(server, admin, await startScan(server, admin, { targetId, home, config }));
    const query = { includeBelowThreshold: "true" } as const;
    const { data } = await ask(server.url, listFindings, { query }, admin);
    const { id } = data.find(({ finding_data }) => finding_data.file_path === path)!;
    const login = { systemType: "postgresql", hostname: "db1.example.net", port: 5432 } as const;
    const body = { findingIds: [id], vaultSettings: {}, useReferences: true, login };
    const vaulted = await ask(server.url, vaultFindings, { body }, admin);
    assert.deepEqual([vaulted.vaulted, vaulted.failed], [1, []]);
    account = vaulted.accounts[0]!.account_id;
    for (let tries = 0; ; tries += 1) {
      const { fix } = await ask(server.url, readFinding, { params: { id } }, admin);
      assert.notEqual(fix?.state, "attention", fix?.message);
      assert.equal(fix?.can_undo, false, "the file no longer has the secret");
      if (fix?.state === "fixed") break;
      assert.ok(tries < 600, `the file still has the secret: ${fix?.message}`);
      await delay(100);
    }
    const content = readFileSync(path, "utf8");
    assert.equal(content, before.replace(JSON.stringify(PASSWORD).slice(1, -1), `{{strongroom:${account}|json}}`));
    assert.equal((statSync(path).mode & 0o777).toString(8), "640");
    assert.equal(existsSync(`${path}.strongroom-backup`), false, "no copy with the secret stays beside the file");
    const { status, stdout, stderr } = await installation.run(["inject", path], { env });
    assert.deepEqual([status, JSON.parse(stdout), stderr], [0, settings, ""]);
    await completedScan(server, admin, await startScan(server, admin, { targetId, home, config }));
    const again = await ask(server.url, readFinding, { params: { id } }, admin);
    assert.equal(again.status, "remediated", "a reference is no secret");
  });

  test("a reference writes the secret in the form of its place", async () => {
    const url = encodeURIComponent(PASSWORD).replace("'", "%27");
    const base64 = Buffer.from(PASSWORD).toString("base64");
    const xml = "Kj8-&amp;&quot;plum&apos;92\\x7";
    const forms = ["", "|url", "|base64", "|xml"].map((form) => `{{strongroom:${account}${form}}}`);
    const { status, stdout } = await installation.run(["inject"], { env, input: forms.join("\n") });
    assert.deepEqual([status, stdout], [0, [PASSWORD, url, base64, xml].join("\n")]);
  });

  test("inject writes a file that only its owner can read, and replaces it as a whole", async () => {
    const out = template("out.conf", "old");
    const words = ["inject", template("in.conf", `password = {{strongroom:${account}}}\n`), "--out", out];
    assert.deepEqual(await installation.run(words, { env }), { status: 0, stdout: "", stderr: "" });
    assert.equal(readFileSync(out, "utf8"), `password = ${PASSWORD}\n`);
    assert.equal((statSync(out).mode & 0o777).toString(8), "600");
  });

  test("run passes secrets in the environment, without the token, and returns the program's status", async () => {
    const file = template("app.env", `DB_PASSWORD={{strongroom:${account}}}\nDB_USER=app\n`);
    const script = "process.stdout.write(JSON.stringify(process.env)); process.exit(7)";
    const words = ["run", "--env-file", file, "--", process.execPath, "-e", script, "--", "--password"];
    const { status, stdout } = await installation.run(words, {
      env: { ...env, DSN: `postgres://app:{{strongroom:${account}|url}}@db1/app` },
    });
    assert.equal(status, 7);
    const seen = JSON.parse(stdout) as Record<string, string>;
    assert.deepEqual([seen["DB_PASSWORD"], seen["DB_USER"]], [PASSWORD, "app"]);
    assert.equal(new URL(seen["DSN"]!).password, encodeURIComponent(PASSWORD).replace("'", "%27"));
    assert.equal(seen["STRONGROOM_TOKEN"], undefined);
  });

  test("a program that a signal ends has the exit status that shells report", async () => {
    const { status } = await installation.run(["run", "--", "/bin/sh", "-c", "kill -TERM $$"], { env });
    assert.equal(status, 143);
  });

  test("files without references need no server", async () => {
    const { status, stdout } = await installation.run(["inject"], { input: "a = {{ other }}\n" });
    assert.deepEqual([status, stdout], [0, "a = {{ other }}\n"]);
  });

  test("invalid references, missing and revoked tokens, and other safes are refused without output", async () => {
    const reference = `{{strongroom:${account}}}`;
    const out = inFolder("never.conf");
    const refused = async (input: string, more: Record<string, string>) => {
      const result = await installation.run(["inject", "--out", out], { env: more, input });
      assert.deepEqual([result.stdout, existsSync(out)], ["", false]);
      assert.ok(!result.stderr.includes("plum"));
      return [result.status, result.stderr.split("\n")[0]] as const;
    };
    const [invalid, sentence] = await refused("{{strongroom:app}}", env);
    assert.deepEqual([invalid, sentence?.includes("is not a reference")], [1, true], sentence);
    assert.deepEqual((await refused(`{{strongroom:${account}|hex}}`, env))[0], 1);
    assert.equal((await refused(reference, { STRONGROOM_URL: server.url }))[0], 2);
    const safe = await ask(server.url, createSafe, { body: { name: "Other" } }, admin);
    const scopes = ["account.retrieve" as const];
    const body = { name: "narrow", scopes, expires_in_days: 1, safe_ids: [safe.id] };
    const narrow = await ask(server.url, createToken, { body }, admin);
    assert.equal((await refused(reference, { ...env, STRONGROOM_TOKEN: narrow.token }))[0], 1);
    const wrong = await ask(
      server.url,
      createToken,
      { body: { name: "reader", scopes: ["account.read"], expires_in_days: 1 } },
      admin,
    );
    assert.equal((await refused(reference, { ...env, STRONGROOM_TOKEN: wrong.token }))[0], 1);
    await ask(server.url, revokeToken, { params: { id: wrong.details.id } }, admin);
    assert.equal((await refused(reference, { ...env, STRONGROOM_TOKEN: wrong.token }))[0], 1);
  });
});
