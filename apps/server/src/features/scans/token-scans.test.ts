// Tests of the secrets that scans compare when an API token starts them, with a real sshd.
import { createToken } from "@strongroom/contract";
import type { InputOf, Safe } from "@strongroom/contract";
import { needs, unixUsersAvailable } from "@strongroom/connectors/testing";
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { SSH } from "#features/discovery/testing/discovery-world.ts";
import { anAccount } from "#testing/accounts.ts";
import { aSafe } from "#testing/safes.ts";
import { aPassword, aScannedHost } from "./testing/scanned-host.ts";
import type { ScannedHost } from "./testing/scanned-host.ts";

type NewToken = NonNullable<InputOf<typeof createToken>["body"]>;

describe("scans that an API token starts", needs(unixUsersAvailable()), () => {
  let host: ScannedHost;
  let away: Safe;
  const passwords = [aPassword(), aPassword()];
  before(async () => {
    host = await aScannedHost();
    away = await aSafe(host.app, host.owner);
    const login = { ...SSH, username: "root" };
    await anAccount(host.app, host.owner, host.safe, { ...login, hostname: "a.example.com", password: passwords[0]! });
    await anAccount(host.app, host.owner, away, { ...login, hostname: "b.example.com", password: passwords[1]! });
  });
  after(() => host.stop());

  async function tokenOf(scopes: NewToken["scopes"], safeIds?: NewToken["safe_ids"]) {
    const body = { name: "Pipeline", scopes, expires_in_days: 1, ...(safeIds && { safe_ids: safeIds }) };
    const made = await host.app.call(createToken, { body, as: host.owner.token });
    assert.equal(made.status, 201, made.text);
    return { ...host.owner, token: made.body.token };
  }

  /** Scans a new file with both passwords and returns the lines of the known ones. */
  async function knownTo(who = host.owner): Promise<number[]> {
    const lines = passwords.map((password) => `Exec /opt/tool (${password}) now\n`).join("");
    const path = host.write(`scan-${crypto.randomUUID()}/start.conf`, lines);
    const started = await host.startScan({}, who);
    assert.equal(started.status, 202, started.text);
    const scan = await host.ended(started.body.id);
    assert.equal(scan.status, "completed", scan.error_message ?? "");
    const found = (await host.findings()).filter(({ finding_data }) => finding_data.file_path === path);
    return found
      .filter(({ class: kind, account_id }) => kind === "known_secret" && account_id !== null)
      .map(({ finding_data }) => finding_data.line_number)
      .toSorted((a, b) => a - b);
  }

  test("a user's session and a token with account.retrieve recognise the secrets of both safes", async () => {
    assert.deepEqual(await knownTo(), [1, 2]);
    const token = await tokenOf(["discovery.read", "discovery.manage", "account.retrieve"]);
    assert.deepEqual(await knownTo(token), [1, 2]);
  });

  test("a token without account.retrieve recognises no secret", async () => {
    assert.deepEqual(await knownTo(await tokenOf(["discovery.read", "discovery.manage"])), []);
  });

  test("a token limited to one safe cannot start a scan, and a scan limited to one safe compares only its secrets", async () => {
    const token = await tokenOf(["discovery.manage", "account.retrieve"], [away.id]);
    const refused = await host.startScan({}, token);
    assert.deepEqual(
      [refused.status, (refused.body as unknown as { code: string }).code],
      [403, "token.scope-missing"],
    );
    const { pool } = host.app.database;
    await pool.query(`
      create function limit_scan() returns trigger language plpgsql as
        $$ begin new.requester_safes = array['${away.id}']::uuid[]; return new; end $$;
      create trigger limit_scan before insert on scans for each row execute function limit_scan()`);
    try {
      assert.deepEqual(await knownTo(), [2]);
    } finally {
      await pool.query("drop trigger limit_scan on scans; drop function limit_scan");
    }
  });
});
