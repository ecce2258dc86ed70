// Tests that changes to the stored audit trail are detected and reported, while the server runs and at its start.
import { verifyExport } from "@strongroom/auditlog";
import { exportAudit, readCheckpoint } from "@strongroom/contract";
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { afterEach, describe, it } from "node:test";
import { audited, restarted } from "#testing/audited.ts";
import type { Audited } from "#testing/audited.ts";

let trail: Audited;
afterEach(() => trail.close());

/** Records 100 entries, with checkpoints over 10, 60 and 100 of them, signed at 09:00, 11:00 and 13:00. */
async function aTrail(): Promise<void> {
  trail = await audited();
  await trail.recordInBatches(7);
  await trail.record(1, { result: "failure", severity: "critical" });
  await trail.audit.sequence();
  await trail.record(1, { details: { request: "0190c0de-0000-7000-8000-0000000000aa" } });
  await trail.audit.sequence();
  await trail.recordInBatches(1);
  trail.at("2026-11-21T11:00:00.000Z");
  await trail.recordInBatches(50);
  trail.at("2026-11-21T13:00:00.000Z");
  await trail.recordInBatches(40);
  assert.deepEqual(await trail.said(), []);
}

const entryAt = (index: number) => `(select entry_id from audit_leaves where leaf_index = ${index})`;
const changed = (column: string) => `replace(convert_from(${column}, 'UTF8'), 'rotation', 'somebody')::bytea`;
const signed = "the checkpoint of 2026-11-21T13:00:00Z";
const signedBefore = "the checkpoint of 2026-11-21T11:00:00Z";
const between = (from: number, to: number, by = signed) =>
  `rewritten ${from}: entries ${from} to ${to} are not what ${by} signed: at least one was changed, added, removed or moved`;

/** A change by an attacker with the database's password, and all findings of the check. */
interface Attack {
  sql: string[];
  says: (ids: string[]) => string[];
  /**
   * The export's result for a verifier with the public key and an old checkpoint. By default the export shows the
   * change too.
   */
  export?: "as signed" | "refused";
}
const attacks: Record<string, Attack> = {
  "deletes an entry": {
    sql: [`delete from audit_entries where id = ${entryAt(41)}`],
    says: (ids) => [`deleted 41: entry 41 (${ids[41]}) was deleted`],
  },
  "deletes several entries": {
    sql: [`delete from audit_entries where id in (select entry_id from audit_leaves where leaf_index in (3, 4, 70))`],
    says: (ids) => [3, 4, 70].map((i) => `deleted ${i}: entry ${i} (${ids[i]}) was deleted`),
  },
  "deletes an entry and its place": {
    sql: [`delete from audit_entries where id = ${entryAt(41)}`, `delete from audit_leaves where leaf_index = 41`],
    says: () => ["missing 41: entry 41 is missing: the tree's record of it was deleted"],
  },
  "deletes an entry and closes the gap": {
    sql: [
      `delete from audit_entries where id = ${entryAt(41)}`,
      `delete from audit_leaves where leaf_index = 41`,
      `update audit_leaves set leaf_index = leaf_index + 1000 where leaf_index > 41`,
      `update audit_leaves set leaf_index = leaf_index - 1001 where leaf_index > 1000`,
    ],
    says: () => [
      between(10, 59, signedBefore),
      `truncated 99: the log ends at 99 but ${signed} signed 100 entries: entry 99 is gone`,
    ],
  },
  "deletes only a place": {
    sql: [`delete from audit_leaves where leaf_index = 41`],
    says: (ids) => [
      "missing 41: entry 41 is missing: the tree's record of it was deleted",
      `added -: entry ${ids[41]} is not in the log: Strongroom did not record it, or it was removed from the log`,
    ],
  },
  "changes an entry": {
    sql: [`update audit_entries set canonical = ${changed("canonical")} where id = ${entryAt(41)}`],
    says: () => ["changed 41: entry 41 was changed"],
  },
  "changes an entry and what lists show of it": {
    sql: [
      `update audit_entries set actor_name = 'somebody', canonical = ${changed("canonical")} where id = ${entryAt(41)}`,
    ],
    says: () => ["changed 41: entry 41 was changed"],
  },
  "changes an entry and its leaf hash": {
    sql: [
      `update audit_entries set canonical = ${changed("canonical")} where id = ${entryAt(41)}`,
      `update audit_leaves set leaf_hash = sha256('\\x00'::bytea || (select canonical from audit_entries where id = entry_id))
       where leaf_index = 41`,
    ],
    says: () => [
      between(10, 59, signedBefore),
      "changed 41: entry 41 is listed with a different actor name than recorded",
    ],
  },
  "changes only a leaf hash": {
    sql: [`update audit_leaves set leaf_hash = sha256('x') where leaf_index = 41`],
    says: () => ["changed 41: the hash stored with entry 41 was changed; the entry itself was not"],
  },
  "changes who is listed for an entry": {
    sql: [`update audit_entries set actor_name = 'somebody' where id = ${entryAt(41)}`],
    says: () => ["changed 41: entry 41 is listed with a different actor name than recorded"],
    export: "as signed",
  },
  "changes the listed time of an entry": {
    sql: [`update audit_entries set at = at - interval '1 day' where id = ${entryAt(41)}`],
    says: () => ["changed 41: entry 41 is listed with a different at than recorded"],
    export: "as signed",
  },
  "hides an entry from lists under another event": {
    sql: [`update audit_entries set event = 'session.ended' where id = ${entryAt(41)}`],
    says: () => ["changed 41: entry 41 is listed with a different event than recorded"],
    export: "as signed",
  },
  "hides from lists how grave an entry is, and under which grant it happened": {
    sql: [
      `update audit_entries set severity = null where id = ${entryAt(7)}`,
      `update audit_entries set grant_id = null where id = ${entryAt(8)}`,
    ],
    says: () => [
      "changed 7: entry 7 is listed with a different severity than recorded",
      "changed 8: entry 8 is listed with a different grant id than recorded",
    ],
    export: "as signed",
  },
  "changes what the lists count": {
    sql: [`update audit_counts set entries = entries - 1 where span = 'day'`],
    says: () => ["changed -: the list counters do not match the entries"],
    export: "as signed",
  },
  "moves what the lists count to another day": {
    sql: [`update audit_counts set since = since - interval '3 days' where span = 'day'`],
    says: () => ["changed -: the list counters do not match the entries"],
    export: "as signed",
  },
  "swaps the contents of two entries": {
    sql: [
      `update audit_entries one set canonical = other.canonical from audit_entries other
       where one.id <> other.id
       and one.id in (select entry_id from audit_leaves where leaf_index in (41, 77))
       and other.id in (select entry_id from audit_leaves where leaf_index in (41, 77))`,
    ],
    says: () => ["swapped 41: entries 41 and 77 were swapped"],
  },
  "swaps the places of two entries": {
    sql: [
      `update audit_leaves set leaf_index = 1041 where leaf_index = 41`,
      `update audit_leaves set leaf_index = 41 where leaf_index = 77`,
      `update audit_leaves set leaf_index = 77 where leaf_index = 1041`,
    ],
    says: () => [between(10, 59, signedBefore), between(60, 99)],
  },
  "swaps the places of two entries of one batch": {
    sql: [
      `update audit_leaves set leaf_index = 1041 where leaf_index = 41`,
      `update audit_leaves set leaf_index = 41 where leaf_index = 57`,
      `update audit_leaves set leaf_index = 57 where leaf_index = 1041`,
    ],
    says: () => ["swapped 41: entries 41 and 57 were swapped"],
  },
  "cuts off the newest entries": {
    sql: [
      `delete from audit_entries where id in (select entry_id from audit_leaves where leaf_index >= 90)`,
      `delete from audit_leaves where leaf_index >= 90`,
    ],
    says: () => [`truncated 90: the log ends at 90 but ${signed} signed 100 entries: entries 90 to 99 are gone`],
  },
  "cuts the log back to an earlier checkpoint": {
    sql: [
      `delete from audit_entries where id in (select entry_id from audit_leaves where leaf_index >= 60)`,
      `delete from audit_leaves where leaf_index >= 60`,
      `delete from audit_checkpoints where size > 60`,
      `delete from audit_nodes where (index + 1) << level > 60`,
    ],
    says: () => [`truncated 60: the log ends at 60 but ${signed} signed 100 entries: entries 60 to 99 are gone`],
  },
  "empties the trail": {
    sql: ["truncate audit_entries, audit_leaves, audit_nodes, audit_checkpoints, audit_pending"],
    says: () => [`truncated 0: the log ends at 0 but ${signed} signed 100 entries: entries 0 to 99 are gone`],
    export: "refused",
  },
  "adds an entry by hand": {
    sql: [
      `insert into audit_entries (id, at, event, actor_name, result, canonical)
       values ('0190c0de-0000-7000-8000-000000000001', now(), 'credential.revealed', 'x', 'success', '{}')`,
    ],
    says: () => [
      "added -: entry 0190c0de-0000-7000-8000-000000000001 is not in the log: " +
        "Strongroom did not record it, or it was removed from the log",
    ],
    export: "as signed",
  },
  "adds an entry by hand, with a place": {
    sql: [
      `insert into audit_entries (id, at, event, actor_name, result, canonical)
       values ('0190c0de-0000-7000-8000-000000000001', '2026-11-21', 'a.b', 'x', 'success', '{}')`,
      `insert into audit_leaves values (100, '0190c0de-0000-7000-8000-000000000001', sha256('\\x007b7d'))`,
    ],
    says: () => [
      "added 100: entry 100 has an index that no checkpoint signed",
      "changed 100: entry 100 is listed with a different content than recorded",
      "checkpoint -: the newest checkpoints are gone: 101 entries have a place but only 100 are signed",
    ],
    export: "as signed",
  },
  "changes a checkpoint": {
    sql: [`update audit_checkpoints set note = replace(note, E'\\n60\\n', E'\\n61\\n') where size = 60`],
    says: () => [`signature -: signature does not match key KEY: the stored checkpoint after 10 entries was changed`],
  },
  "swaps two checkpoints": {
    sql: [
      `update audit_checkpoints one set note = other.note from audit_checkpoints other
       where one.size in (10, 60) and other.size in (10, 60) and one.size <> other.size`,
    ],
    says: () => ["checkpoint -: the stored checkpoint over 10 entries is out of place"],
  },
};

describe("the audit trail after a change in the database", () => {
  for (const [attack, { sql, says, export: shows = "changed" }] of Object.entries(attacks)) {
    it(`reports the change when an intruder ${attack}`, async () => {
      await aTrail();
      await trail.audit.stop();
      const key = await verifierKey();
      const { body: kept } = await trail.call(readCheckpoint, { as: "manager" });
      const ids = await idsInOrder();
      await trail.spoil(...sql);
      assert.deepEqual(
        await trail.said(),
        says(ids).map((said) => said.replace("KEY", key)),
      );
      assert.equal((await trail.audit.verify()).isIntact, false);

      const answer = await trail.call(exportAudit, { as: "admin" });
      assert.equal(answer.status, shows === "refused" ? 409 : 200, answer.text);
      if (shows === "refused") return;
      const report = await verifyExport(answer.text.trimEnd().split("\n"), key, [kept.checkpoint!]);
      assert.equal(report.isIntact, shows === "as signed", JSON.stringify(report.findings));
    });
  }

  it("raises the alarm in the log and in the trail itself", async () => {
    await aTrail();
    await trail.spoil(`delete from audit_entries where id = ${entryAt(41)}`);
    await trail.audit.verify();
    assert.equal(alarmsLogged().length, 1);
    const [alarm] = await alarmsRecorded();
    assert.equal(alarm?.result, "failure");
    assert.match(JSON.parse(String(alarm?.canonical)).reason, /^entry 41 \(.*\) was deleted$/);
    await trail.audit.sequence();
  });

  it("still proves later entries", async () => {
    await aTrail();
    await trail.spoil(`delete from audit_leaves where leaf_index = 41`);
    await trail.recordInBatches(20);
    const report = await trail.audit.verify();
    assert.equal(report.proven, 10 + 60);
  });

  it("reports an entry that was deleted while pending", async () => {
    await aTrail();
    const [id] = await trail.record(2);
    await trail.spoil(`delete from audit_entries where id = '${id}'`);
    assert.equal(await trail.audit.sequence(), 2);
    assert.equal(await trail.audit.sequence(), 1, "the alarm gets its own place");
    assert.match(alarmsLogged()[0] ?? "", new RegExp(`entry ${id} was deleted before it was added to the log`));
  });
});

describe("the audit trail at start", () => {
  it("raises no alarm when the database matches the checkpoint file or has grown since", async () => {
    await aTrail();
    await trail.audit.stop();
    const early = readFile();
    trail = await restarted(trail);
    await trail.recordInBatches(1);
    await trail.audit.stop();
    writeFileSync(trail.checkpointPath, early);
    trail = await restarted(trail);
    assert.equal(await trail.audit.sequence(), 0);
    assert.deepEqual(alarmsLogged(), []);
  });

  it("stops when the database was rolled back, raises the alarm once, and stays stopped after a restart", async () => {
    await aTrail();
    await trail.audit.stop();
    await trail.spoil(...attacks["cuts the log back to an earlier checkpoint"]!.sql);
    trail = await restarted(trail);
    assert.equal(await trail.audit.sequence(), null);
    const gone = `the log ends at 60 but the checkpoint in the data folder signed 100 entries: entries 60 to 99 are gone`;
    assert.match(alarmsLogged()[0] ?? "", new RegExp(gone));
    assert.equal((await alarmsRecorded()).length, 1);

    trail = await restarted(trail);
    await trail.record(60);
    assert.equal(await trail.audit.sequence(), null, "it stays stopped");
    assert.equal((await alarmsRecorded()).length, 1);
    assert.ok((await trail.said()).some((said) => said.includes("entries 60 to 99 are gone")));
  });

  it("raises the alarm when the trail was rewritten", async () => {
    await aTrail();
    await trail.audit.stop();
    const other = await audited();
    await other.recordInBatches(120);
    await other.audit.stop();
    writeFileSync(other.checkpointPath, readFile());
    const swapped = await restarted(other);
    await swapped.audit.sequence();
    assert.match(
      alarmsOf(swapped)[0] ?? "",
      /the checkpoint in the data folder is of another log, strongroom\/audit\/.* of 100 entries/,
    );
    await swapped.close();
  });

  it("raises the alarm when the checkpoint file was changed", async () => {
    await aTrail();
    await trail.audit.stop();
    writeFileSync(trail.checkpointPath, readFile().replace("\n100\n", "\n90\n"));
    trail = await restarted(trail);
    await trail.audit.sequence();
    assert.match(alarmsLogged()[0] ?? "", /the checkpoint in the data folder was changed/);
  });

  it("signs nothing that contradicts the newest checkpoint, and reports it in the server's health", async () => {
    await aTrail();
    await trail.audit.stop();
    await trail.spoil("update audit_nodes set hash = sha256('x') where level = 5");
    trail = await restarted(trail);
    await trail.record(1);
    assert.equal(await trail.audit.sequence(), null);
    assert.equal(await trail.audit.sequence(), null);
    const problem = "the first 100 entries of the log are not those that the checkpoint in the data folder signed";
    assert.equal(await trail.audit.health.problem(), `The audit trail is stopped: ${problem}`);
    assert.equal(alarmsLogged().length, 1);
  });

  it("signs nothing when checkpoints or the key are missing", async () => {
    await aTrail();
    await trail.audit.stop();
    for (const statement of [
      "delete from audit_checkpoints where size = 100",
      "delete from audit_checkpoints",
      "delete from audit_log",
    ]) {
      await trail.spoil(statement);
      trail = await restarted(trail);
      await trail.record(1);
      assert.equal(await trail.audit.sequence(), null, statement);
      assert.equal(alarmsLogged().length >= 1, true, statement);
    }
  });
});

const readFile = () => readFileSync(trail.checkpointPath, "utf8");
const alarmsOf = ({ logLines }: Audited) => logLines.filter((line) => line.includes("tampered with"));
const alarmsLogged = () => alarmsOf(trail);

const alarmsRecorded = () =>
  trail.database.db.selectFrom("audit_entries").selectAll().where("event", "=", "audit.tampering-found").execute();

async function idsInOrder(): Promise<string[]> {
  const rows = await trail.database.db.selectFrom("audit_leaves").select("entry_id").orderBy("leaf_index").execute();
  return rows.map(({ entry_id }) => entry_id);
}

async function verifierKey(): Promise<string> {
  const line = JSON.parse((await trail.exported())[0] ?? "") as { verifierKey: string };
  return line.verifierKey;
}
