// Tests of the audit trail's lists, exports, proofs and verification.
import { exportAudit, exportEvidence, listAuditEntries, readCheckpoint, verifyAudit } from "@strongroom/contract";
import type { AuditEntryId } from "@strongroom/contract";
import { decodeEntry, verifyExport } from "@strongroom/auditlog";
import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it } from "node:test";
import { appendAudit } from "#kernel/audit/append.ts";
import { callEntry } from "#kernel/audit/entry.ts";
import { newId } from "#kernel/id.ts";
import { openTrail } from "./index.ts";
import { ADA, audited } from "#testing/audited.ts";
import type { Audited } from "#testing/audited.ts";

let trail: Audited;
beforeEach(async () => {
  trail = await audited();
});
afterEach(() => trail.close());

const billing = { type: "credential", id: "0190c0de-0000-7000-8000-00000000c0de", name: "Billing database" };

/** Records an action of the user Ada as a call would; returns the entry's id. */
async function adaDid(event: string, note: Parameters<typeof callEntry>[3] = {}, at = "2026-11-21T09:00:00.000Z") {
  const actor = { ...ADA, role: "admin", sessionId: newId(), token: null } as Parameters<typeof callEntry>[1];
  const request = { id: newId(), ip: "192.0.2.7", agent: "Firefox" };
  const entry = callEntry(event, actor, request, note, new Date(at));
  await trail.database.transaction((tx) => appendAudit(tx, [entry]));
  return entry.id as AuditEntryId;
}

async function listed(query: Record<string, unknown> = {}) {
  const { body, status, text } = await trail.call(listAuditEntries, { query, as: "manager" } as never);
  assert.equal(status, 200, text);
  return body as {
    logs: { id: string; summary: string; action: string; metadata: object }[];
    next_cursor: string | null;
  };
}

describe("the audit trail in lists", () => {
  it("SHELL-30, SHELL-31, SHELL-33, SHELL-35, AUDIT-13, AUDIT-16: shows action, result, reason, actor, time and all recorded details", async () => {
    const id = await adaDid("credential.revealed", {
      target: billing,
      reason: "incident 7",
      details: { environment: "production" },
    });
    await trail.audit.sequence();
    const [entry] = (await listed()).logs;
    assert.ok(entry);
    const { request_id, session_id, ...metadata } = entry.metadata as Record<string, unknown>;
    assert.equal(typeof request_id, "string");
    assert.equal(typeof session_id, "string");
    assert.deepEqual(
      { ...entry, metadata },
      {
        id,
        action: "Credential revealed",
        event: "credential.revealed",
        result: "success",
        summary: "Billing database",
        metadata: { environment: "production", reason: "incident 7", ip: "192.0.2.7", agent: "Firefox", role: "admin" },
        user: { id: ADA.id, name: "Ada", email: "ada@example.com" },
        timestamp: "2026-11-21T09:00:00.000Z",
        target: billing,
        leaf_index: 0,
        event_type: null,
        status: "success",
        account_name: "Billing database",
        session_name: null,
        user_email: "ada@example.com",
        verification_method: null,
        error_message: null,
        details: { hostname: null, system_type: null, duration_ms: null, severity: "low", triggered_by: "Ada" },
      },
    );
  });

  it('CRED-12: labels a verification "Credential Verification" and shows its message', async () => {
    await adaDid("credential.verified", { target: billing, details: { message: "logged in within 120 ms" } });
    const [entry] = (await listed()).logs;
    assert.equal(entry?.action, "Credential Verification");
    assert.equal(entry?.summary, "Billing database: logged in within 120 ms");
  });

  it("states a refusal in the summary", async () => {
    await adaDid("credential.deleted", { target: billing, result: "failure", reason: "role.insufficient" });
    assert.equal((await listed()).logs[0]?.summary, "Billing database: refused (role.insufficient)");
  });

  it("returns the newest entries first, page by page, and each entry once while new ones arrive", async () => {
    const ids: string[] = [];
    for (let i = 0; i < 25; i++)
      ids.unshift(await adaDid("credential.revealed", {}, `2026-11-21T09:00:${10 + i}.000Z`));
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const page: Awaited<ReturnType<typeof listed>> = await listed({
        limit: 7,
        ...(cursor === null ? {} : { cursor }),
      });
      seen.push(...page.logs.map(({ id }) => id));
      cursor = page.next_cursor;
      await adaDid("credential.revealed", {}, "2026-11-21T10:00:00.000Z");
    } while (cursor !== null);
    assert.deepEqual(seen, ids);
  });

  it("filters by event, result, user, target and time, both ends of the period included", async () => {
    const at = (second: number) => `2026-11-21T09:00:0${second}.000Z`;
    const [a, b, c, d] = [
      await adaDid("credential.revealed", { target: billing }, at(1)),
      await adaDid("credential.deleted", { target: billing, result: "failure" }, at(2)),
      await adaDid("credential.revealed", { target: { ...billing, id: "other" } }, at(3)),
      ...(await trail.record(1)),
    ];
    const idsOf = async (query: Record<string, unknown>) => (await listed(query)).logs.map(({ id }) => id).toSorted();
    assert.deepEqual(await idsOf({ event: "credential.revealed" }), [a, c, d!].toSorted());
    assert.deepEqual(await idsOf({ result: "failure" }), [b]);
    assert.deepEqual(await idsOf({ result: "success" }), [a, c, d!].toSorted());
    assert.deepEqual(await idsOf({ actor_id: ADA.id }), [a, b, c].toSorted());
    assert.deepEqual(await idsOf({ target_id: billing.id }), [a, b].toSorted());
    assert.deepEqual(await idsOf({ from: at(2), to: at(3) }), [b, c].toSorted());
    assert.deepEqual(await idsOf({ from: at(2), to: at(2) }), [b]);
    assert.deepEqual(await idsOf({ event: "credential.revealed", result: "failure" }), []);
  });

  it("refuses a cursor that the server did not issue", async () => {
    for (const cursor of ["x", "a'b", "AAAAAAAAAAAAAAAAAAAAAA=="]) {
      const { status, text } = await trail.call(listAuditEntries, { query: { cursor }, as: "admin" } as never);
      assert.equal(status, 400, text);
      assert.match(text, /cursor.invalid/);
    }
  });

  it("returns the history of one target to other features, without excluded events", async () => {
    const revealed = await adaDid("credential.revealed", { target: billing });
    await adaDid("verification.started", { target: billing });
    await adaDid("credential.revealed", { target: { ...billing, type: "account" } });
    const verified = await adaDid("credential.verified", { target: billing }, "2026-11-21T09:00:01.000Z");
    const { db } = trail.database;
    const page = { limit: 1, without: ["verification.started"] };
    const first = await trail.audit.historyOfTarget(db, billing, page);
    assert.deepEqual(
      first.history.map(({ id }) => id),
      [verified],
    );
    const second = await trail.audit.historyOfTarget(db, billing, { ...page, cursor: first.next_cursor! });
    assert.deepEqual(
      second.history.map(({ id }) => id),
      [revealed],
    );
    assert.equal(second.next_cursor, null);
  });

  it("still lists the other entries when a row contains invalid data", async () => {
    const id = await adaDid("credential.revealed", { target: billing });
    await adaDid("credential.revealed", { target: billing });
    await trail.spoil(`update audit_entries set canonical = '{"v":1}' where id = '${id}'`);
    const { logs } = await listed();
    assert.deepEqual(logs.map(({ action }) => action).toSorted(), ["Credential revealed", "Unreadable entry"]);
  });

  it("OPEN-133: is readable by admins and managers only", async () => {
    const [id] = await trail.record(1);
    for (const endpoint of [listAuditEntries, readCheckpoint, exportAudit, exportEvidence, verifyAudit]) {
      const given = { params: { id } } as never;
      assert.equal((await trail.call(endpoint as typeof listAuditEntries, given)).status, 401);
      assert.equal(
        (await trail.call(endpoint as typeof listAuditEntries, { ...(given as object), as: "user" })).status,
        403,
      );
    }
  });
});

describe("verification of the audit trail by an outside auditor", () => {
  it("shows the newest checkpoint, the key and the number of pending entries", async () => {
    await trail.recordInBatches(3);
    await trail.record(2);
    const { body } = await trail.call(readCheckpoint, { as: "manager" });
    assert.equal(body.size, 3);
    assert.equal(body.pending, 2);
    assert.equal(body.signed_at, "2026-11-21T09:00:00.000Z");
    assert.match(body.verifier_key, /^strongroom\/audit\/[0-9a-f-]{36}\+[0-9a-f]{8}\+[A-Za-z0-9+/]+=*$/);
    assert.match(body.checkpoint ?? "", /\n3\n/);
  });

  it("exports the whole trail, which verifies with only the public key, and audits the export", async () => {
    await trail.recordInBatches(70, 1500, 5);
    const { body } = await trail.call(readCheckpoint, { as: "manager" });
    const answer = await trail.call(exportAudit, { as: "admin" });
    assert.equal(answer.status, 200);
    assert.match(String(answer.headers["content-type"]), /^application\/jsonl/);
    assert.match(
      String(answer.headers["content-disposition"]),
      /attachment; filename="strongroom-audit-2026-11-21.jsonl"/,
    );
    const report = await verifyExport(answer.text.trimEnd().split("\n"), body.verifier_key, [body.checkpoint!]);
    assert.deepEqual(report.findings, []);
    assert.deepEqual([report.isIntact, report.entries, report.proven], [true, 1575, 1575]);
    const [newest] = (await listed({ event: "audit.exported" })).logs;
    assert.equal(newest?.action, "Audit trail exported");
  });

  it("exports the same trail on the command line without a server", async () => {
    const { database, keys, clock } = trail.kernel;
    const opened = openTrail({ database, keys, clock });
    assert.equal((await opened.checkpoint()).checkpoint, null);
    await assert.rejects(opened.exportTrail(), /proof is not available yet/);
    await trail.recordInBatches(30);
    const { verifier_key, size } = await opened.checkpoint();
    let text = "";
    for await (const piece of await opened.exportTrail()) text += piece;
    const report = await verifyExport(text.trimEnd().split("\n"), verifier_key);
    assert.deepEqual([report.isIntact, report.entries, size], [true, 30, 30]);
  });

  it("exports the rest of a trail that was tampered with, and the offline verifier reports the damage", async () => {
    await trail.recordInBatches(70);
    const { body } = await trail.call(readCheckpoint, { as: "manager" });
    await trail.spoil(
      "delete from audit_entries where id = (select entry_id from audit_leaves where leaf_index = 41)",
      `update audit_entries set canonical = replace(convert_from(canonical, 'UTF8'), 'rotation', 'somebody')::bytea
       where id = (select entry_id from audit_leaves where leaf_index = 50)`,
    );
    const report = await verifyExport(await trail.exported(), body.verifier_key);
    assert.equal(report.isIntact, false);
    assert.deepEqual(
      report.findings.map(({ message }) => message),
      ["entry 41 is missing", "entry 50 was changed"],
    );
  });

  it("exports evidence for one entry, proven against the newest checkpoint and dated by the first checkpoint that covers the entry", async () => {
    await trail.recordInBatches(5);
    const id = await adaDid("credential.revealed", { target: billing });
    await trail.audit.sequence();
    trail.at("2026-11-21T12:00:00.000Z");
    await trail.recordInBatches(300);
    const { body } = await trail.call(readCheckpoint, { as: "manager" });
    const { text, headers } = await trail.call(exportEvidence, { params: { id }, as: "manager" });
    assert.match(String(headers["content-disposition"]), new RegExp(`strongroom-evidence-${id}.jsonl`));
    const lines = text.trimEnd().split("\n");
    const report = await verifyExport(lines, body.verifier_key);
    assert.deepEqual(report.findings, []);
    assert.deepEqual([report.isIntact, report.entries, report.proven, report.checkpoints], [true, 1, 1, 2]);
    assert.deepEqual(decodeEntry(Buffer.from(/"entry":(.*),"index"/.exec(lines[1]!)![1]!)).target, billing);
  });

  it("has no evidence for a pending or missing entry", async () => {
    const [id] = await trail.record(1);
    const waiting = await trail.call(exportEvidence, { params: { id: id as AuditEntryId }, as: "admin" });
    assert.equal(waiting.status, 409, waiting.text);
    assert.equal(waiting.headers["retry-after"], "1");
    const absent = await trail.call(exportEvidence, { params: { id: newId() }, as: "admin" });
    assert.equal(absent.status, 404, absent.text);
    assert.equal((await trail.call(exportAudit, { as: "admin" })).status, 409);
  });

  it("checks all stored entries on request and audits the result", async () => {
    await trail.recordInBatches(12);
    const intact = await trail.call(verifyAudit, { as: "manager" });
    assert.equal(intact.status, 200, intact.text);
    assert.deepEqual([intact.body.is_intact, intact.body.checked, intact.body.findings], [true, 12, []]);
    await trail.spoil("delete from audit_entries where id = (select entry_id from audit_leaves where leaf_index = 3)");
    trail.at("2026-11-21T09:00:01.000Z");
    const { body } = await trail.call(verifyAudit, { as: "manager" });
    assert.equal(body.is_intact, false);
    assert.deepEqual(
      body.findings.map(({ kind, leaf_index }) => [kind, leaf_index]),
      [["deleted", 3]],
    );
    const recorded = (await listed({ event: "audit.verified" })).logs.map(
      ({ metadata }) => metadata as { findings: number },
    );
    assert.deepEqual(
      recorded.map(({ findings }) => findings),
      [1, 0],
    );
  });

  it("checks all stored entries every night", async () => {
    await trail.recordInBatches(4);
    await trail.spoil("delete from audit_entries where id = (select entry_id from audit_leaves where leaf_index = 3)");
    await trail.kernel.jobs.start();
    await trail.database.transaction((tx) => trail.kernel.jobs.enqueue(tx, "audit.verify", {}));
    const found = () => trail.logLines.some((line) => line.includes("the audit trail was tampered with: entry 3"));
    for (let waited = 0; !found() && waited < 20_000; waited += 20)
      await new Promise((resolve) => setTimeout(resolve, 20));
    await trail.kernel.jobs.stop();
    assert.ok(found());
  });
});
