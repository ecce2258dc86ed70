// Tests of scans that store the secrets they find: while they run, or when they end (SCAN-36, SCAN-44, OPEN-117).
import { listAccounts, startEnhancedScan } from "@strongroom/contract";
import { needs, unixUsersAvailable } from "@strongroom/connectors/testing";
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { byId } from "#features/discovery/testing/discovery-world.ts";
import { eventually } from "#testing/waiting.ts";
import { aPassword, aScannedHost } from "./testing/scanned-host.ts";
import type { ScannedHost } from "./testing/scanned-host.ts";

/** More files than one batch of results has. */
const FILES = 130;
const GATE = 812_117;

describe("a scan that stores secrets", needs(unixUsersAvailable()), () => {
  let host: ScannedHost;
  before(async () => {
    host = await aScannedHost();
  });
  after(() => host.stop());

  /** The same password of one database account in many files. */
  function writeFiles(folder: string): void {
    const password = aPassword();
    const url = `postgresql://${folder}:${password}@db.example.com:5432/shop`;
    for (let number = 0; number < FILES; number += 1) host.write(`${folder}/${number}.conf`, `url = ${url}\n`);
  }
  const vaultedIn = async (folder: string) =>
    (await host.findings({ limit: "500" })).filter(
      ({ finding_data, auto_vaulted }) => auto_vaulted && finding_data.file_path.includes(`/${folder}/`),
    );
  const accountsOf = async (username: string) => {
    const reply = await host.app.call(listAccounts, { as: host.owner.token });
    return reply.body.data.filter((account) => account.username === username);
  };

  /** Scans while the database delays every batch of results except the first. */
  async function scanHeldBack(body: Parameters<ScannedHost["startScan"]>[0], whileHeld: () => Promise<void>) {
    const { pool } = host.app.database;
    await pool.query(`
      create function hold_back() returns trigger language plpgsql as
        $$ begin perform pg_advisory_xact_lock(${GATE}); return new; end $$;
      create trigger hold_back before update on scans for each row
        when (old.files_read > 0 and new.files_read > old.files_read) execute function hold_back()`);
    const gate = await pool.connect();
    await gate.query("select pg_advisory_lock($1)", [GATE]);
    try {
      const started = await host.startScan(body);
      assert.equal(started.status, 202, started.text);
      await eventually(async () => {
        const { rows } = await pool.query(
          "select from pg_stat_activity where wait_event = 'advisory' and datname = current_database()",
        );
        return rows.length > 0 ? true : null;
      });
      await whileHeld();
      await gate.query("select pg_advisory_unlock($1)", [GATE]);
      const scan = await host.ended(started.body.id);
      assert.equal(scan.status, "completed", scan.error_message ?? "");
    } finally {
      await gate.query("select pg_advisory_unlock_all()");
      gate.release();
      await pool.query("drop trigger hold_back on scans; drop function hold_back");
    }
  }

  test("OPEN-117: autoVaultFindings stores secrets while the scan still runs", async () => {
    writeFiles("early");
    await scanHeldBack({ scanConfig: { autoVaultFindings: true } }, async () => {
      assert.ok((await vaultedIn("early")).length > 0);
      assert.equal((await accountsOf("early")).length, 1);
    });
    assert.equal((await vaultedIn("early")).length, FILES);
    assert.equal((await accountsOf("early")).length, 1, "later files are linked to the account");
    host.remove("early");
  });

  test("SCAN-44, OPEN-117: autoVault stores secrets when the scan has read everything, each once", async () => {
    writeFiles("late");
    await scanHeldBack({ autoVault: true }, async () => {
      assert.equal((await vaultedIn("late")).length, 0);
    });
    assert.equal((await vaultedIn("late")).length, FILES);
    assert.equal((await accountsOf("late")).length, 1);
    host.remove("late");
  });

  test("SCAN-36: without either setting, a scan stores nothing", async () => {
    writeFiles("never");
    await host.scanned();
    assert.deepEqual([(await vaultedIn("never")).length, (await accountsOf("never")).length], [0, 0]);
    host.remove("never");
  });

  test("a secret without a known account stays a finding", async () => {
    host.write("unknown/a.conf", `password = ${aPassword()}\n`);
    const scan = await host.scanned({ autoVault: true, scanConfig: { autoVaultFindings: true } });
    assert.equal(scan.status, "completed", scan.error_message ?? "");
    const found = (await host.findings()).find(({ finding_data }) => finding_data.file_path.endsWith("unknown/a.conf"));
    assert.deepEqual([found?.status, found?.auto_vaulted], ["new", false]);
  });

  test("a scan that stores secrets needs re-authentication", async () => {
    await host.app.database.pool.query(
      "update sign_in_sessions set proved_at = proved_at - interval '2 days' where user_id = $1",
      [host.owner.id],
    );
    for (const body of [{ scanConfig: {}, autoVault: true }, { scanConfig: { autoVaultFindings: true } }]) {
      const reply = await host.app.call(startEnhancedScan, { ...byId(host.target), body, as: host.owner.token });
      assert.deepEqual([reply.status, (reply.body as unknown as { code: string }).code], [403, "step-up.required"]);
    }
  });
});
