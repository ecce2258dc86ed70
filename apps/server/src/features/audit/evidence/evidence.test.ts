// HTTP tests of evidence bundles, checked by an auditor who has only the public key.
import { exportEvidenceBundle, listAuditEntries, readCheckpoint, rotateAccount } from "@strongroom/contract";
import type { EvidenceSubject } from "@strongroom/contract";
import { verifyExport } from "@strongroom/auditlog";
import type { AuditEntry } from "@strongroom/auditlog";
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { aRequestableAccount, requestsOf } from "#features/access-requests/testing/requestable-account.ts";
import type { RequestableSetup } from "#features/access-requests/testing/requestable-account.ts";
import { firstAdmin } from "#testing/people.ts";
import { testApp } from "#testing/test-app.ts";
import type { TestApp } from "#testing/test-app.ts";
import { eventually } from "#testing/waiting.ts";

let app: TestApp;
let admin: string;
let lending: RequestableSetup;
let other: RequestableSetup;
let requestId: string;

before(async () => {
  app = await testApp();
  admin = (await firstAdmin(app)).token;
  const people = requestsOf(app);
  [lending, other] = [await aRequestableAccount(app), await aRequestableAccount(app)];
  const { asker, approvers, account, owner } = lending;
  await people.retrieve(owner, account);
  const { body: asked } = await people.ask(asker, account);
  requestId = asked.id;
  await people.approve(approvers[0]!, asked, "Go ahead");
  assert.equal((await people.retrieve(asker, account)).status, 200);
  await people.retrieve(other.owner, other.account);
  await people.revoke(owner, asked);
  await app.call(rotateAccount, { params: { id: account.id }, body: {}, as: owner.token });
  const { body: denied } = await people.ask(asker, account);
  await people.deny(approvers[0]!, denied, "Not again");
  await settled();
});
after(() => app.close());

const settled = () =>
  eventually(async () => ((await app.call(readCheckpoint, { as: admin })).body.pending === 0 ? true : null));

const bundle = (about: EvidenceSubject, id: string, more: object = {}) =>
  app.call(exportEvidenceBundle, { query: { about, id, ...more }, as: admin });

/** Returns the entries of a bundle after checking it with the offline verifier. */
async function story(about: EvidenceSubject, id: string): Promise<AuditEntry[]> {
  const answer = await bundle(about, id);
  assert.equal(answer.status, 200, answer.text);
  const { verifier_key } = (await app.call(readCheckpoint, { as: admin })).body;
  const lines = answer.text.trimEnd().split("\n");
  const report = await verifyExport(lines, verifier_key);
  assert.deepEqual(report.findings, []);
  assert.deepEqual([report.isIntact, report.about, report.proven], [true, { type: about, id }, report.entries]);
  return lines.flatMap((line) => (JSON.parse(line) as { entry?: AuditEntry }).entry ?? []);
}

const saidOf = (entries: AuditEntry[], id: string): string[] =>
  entries.filter(({ target }) => target?.id === id).map(({ event }) => event);

describe("an evidence bundle", () => {
  test("contains the entries of an access request from creation to password rotation, and none of other requests", async () => {
    const { account, asker } = lending;
    const entries = await story("access-request", requestId);
    const request = ["access-request.created", "access-request.approved", "access-request.revoked"];
    assert.deepEqual(saidOf(entries, requestId), request);
    const happened = saidOf(entries, account.id);
    assert.ok(happened.includes("account.retrieved") && happened.includes("account.rotation-asked"), String(happened));
    const retrieved = entries.filter(({ event }) => event === "account.retrieved");
    assert.deepEqual(
      retrieved.map(({ actor, details }) => [(actor as { id: string }).id, details?.["request"]]),
      [[asker.id, requestId]],
    );
    const own = new Set([requestId, account.id]);
    assert.ok(entries.every(({ target }) => own.has(target?.id ?? "")));
  });

  test("contains all actions on an account and every request for the account", async () => {
    const { account } = lending;
    const entries = await story("account", account.id);
    assert.ok(saidOf(entries, account.id).includes("account.created"));
    assert.equal(entries.filter(({ event }) => event === "account.retrieved").length, 2);
    const events = entries.map(({ event }) => event);
    assert.ok(events.includes("access-request.denied") && events.includes("access-request.approved"));
    assert.deepEqual(saidOf(entries, other.account.id), []);
  });

  test("contains a user's actions and other users' decisions on that user's requests", async () => {
    const { asker, approvers } = lending;
    const entries = await story("user", asker.id);
    const by = (id: string) =>
      entries.filter(({ actor }) => "id" in actor && actor.id === id).map(({ event }) => event);
    assert.ok(by(asker.id).includes("session.started") && by(asker.id).includes("account.retrieved"));
    assert.deepEqual(by(approvers[0]!.id), ["access-request.approved", "access-request.denied"]);
  });

  test("is rejected by the verifier after any change", async () => {
    const { verifier_key } = (await app.call(readCheckpoint, { as: admin })).body;
    const lines = (await bundle("access-request", requestId)).text.trimEnd().split("\n");
    const changed = lines.map((line) => line.replace("account.retrieved", "account.validated"));
    assert.notDeepEqual(changed, lines);
    const report = await verifyExport(changed, verifier_key);
    assert.deepEqual([report.isIntact, report.findings.map(({ kind }) => kind)], [false, ["changed"]]);
  });

  test("can be limited in time, is audited, and requires permission to read the whole trail", async () => {
    const none = await bundle("account", lending.account.id, { to: "2020-01-01T00:00:00.000Z" });
    assert.equal(none.status, 404, none.text);
    assert.equal((await bundle("account", randomUUID())).status, 404);
    const query = { about: "account", id: lending.account.id } as const;
    assert.equal((await app.call(exportEvidenceBundle, { query, as: lending.owner.token })).status, 403);
    const recorded = { target_id: lending.account.id, event: "audit.exported" };
    const { logs } = (await app.call(listAuditEntries, { query: recorded, as: admin })).body;
    assert.deepEqual(logs.map(({ result }) => result).toSorted(), ["failure", "success"]);
  });
});
