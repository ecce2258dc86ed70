// HTTP tests of requesting, approving, extending and returning access.
import {
  listAccessRequests,
  listSafeMembers,
  removeSafeMember,
  setUserStatus,
  updatePlatform,
} from "@strongroom/contract";
import type { AccessRequest } from "@strongroom/contract";
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { aPlatform } from "#testing/accounts.ts";
import { aPerson, firstAdmin } from "#testing/people.ts";
import type { TestPerson } from "#testing/people.ts";
import { aMember } from "#testing/safes.ts";
import { testApp } from "#testing/test-app.ts";
import type { TestApp } from "#testing/test-app.ts";
import { aRequestableAccount, entriesOf, requestsOf } from "./testing/requestable-account.ts";
import type { RequestableSetup } from "./testing/requestable-account.ts";

let app: TestApp;
let admin: TestPerson;
let requests: ReturnType<typeof requestsOf>;
before(async () => {
  app = await testApp();
  admin = await firstAdmin(app);
  requests = requestsOf(app);
});
after(() => app.close());

const codeOf = (reply: { body: unknown }): string | undefined => (reply.body as { code?: string }).code;
const HOUR = 3_600_000;

async function pending(lending: RequestableSetup): Promise<AccessRequest> {
  const asked = await requests.ask(lending.asker, lending.account);
  assert.equal(asked.status, 201, asked.text);
  assert.equal(asked.body.status, "pending");
  return asked.body;
}

async function takeOut(lending: RequestableSetup, person: TestPerson): Promise<void> {
  const { safe, owner } = lending;
  const { body } = await app.call(listSafeMembers, { params: { id: safe.id }, as: owner.token });
  const member = body.members.find(({ user_id }) => user_id === person.id)!;
  const params = { id: safe.id, member_id: member.id };
  assert.equal((await app.call(removeSafeMember, { params, as: owner.token })).status, 200);
}

describe("a request for an account", () => {
  test("JIT-22: is approved by another user and then gives access to the secret for the requested time", async () => {
    const { account, asker, approvers } = await aRequestableAccount(app);
    assert.equal((await requests.retrieve(asker, account)).status, 403);
    const asked = await requests.ask(asker, account, { durationMinutes: 30, ticket: "INC-7" });
    assert.equal(asked.status, 201, asked.text);
    assert.deepEqual([asked.body.status, asked.body.can, asked.body.resource], ["pending", ["revoke"], account.name]);
    const approved = await requests.approve(approvers[0]!, asked.body, "Go ahead");
    assert.equal(approved.status, 200, approved.text);
    assert.equal(approved.body.status, "active");
    assert.equal(Date.parse(approved.body.expires_at!) - Date.parse(approved.body.starts_at!), HOUR / 2);
    assert.ok(approved.body.time_remaining! > 1790 && approved.body.time_remaining! <= 1800);
    assert.equal(approved.body.decisions[0]!.comment, "Go ahead");
    const retrieved = await requests.retrieve(asker, account);
    assert.equal(retrieved.body.password, account.password);
    const back = await requests.revoke(asker, asked.body);
    assert.deepEqual([back.body.status, back.body.ended_because], ["revoked", "Ended early by the requester"]);
    assert.equal((await requests.retrieve(asker, account)).status, 403);
  });

  test("JIT-22: is denied by one approver and stays denied", async () => {
    const lending = await aRequestableAccount(app, { approvers: 2, approvals_level_1: 2 });
    const asked = await pending(lending);
    const denied = await requests.deny(lending.approvers[0]!, asked, "Not today");
    assert.deepEqual([denied.body.status, denied.body.approval, denied.body.can], ["denied", null, []]);
    for (const person of [lending.approvers[1]!, admin]) {
      const late = await requests.approve(person, asked);
      assert.deepEqual([late.status, codeOf(late)], [409, "access-request.wrong-state"]);
    }
    assert.equal((await requests.retrieve(lending.asker, lending.account)).status, 403);
    const again = await requests.ask(lending.asker, lending.account);
    assert.equal(again.status, 201, "a denial does not keep anybody from asking again");
  });

  test("OPEN-21: is never decided by its requester, even if they are an administrator or an approver", async () => {
    const lending = await aRequestableAccount(app);
    for (const person of [admin, lending.approvers[0]!]) {
      const asked = await requests.ask(person, lending.account);
      for (const reply of [await requests.approve(person, asked.body), await requests.deny(person, asked.body)]) {
        assert.deepEqual([reply.status, codeOf(reply)], [403, "access-request.own"]);
      }
      assert.equal((await requests.read(person, asked.body)).body.status, "pending");
      assert.equal((await requests.revoke(person, asked.body)).body.status, "revoked");
    }
  });

  test("needs as many approvers as the platform requires, each counted once: some at level 1, then different ones at level 2", async () => {
    const lending = await aRequestableAccount(app, { approvers: 4, approvals_level_1: 2, approvals_level_2: 2 });
    const [ada, ben, cleo, dan] = lending.approvers as [TestPerson, TestPerson, TestPerson, TestPerson];
    const asked = await pending(lending);
    // The owner and the administrator can approve too.
    assert.deepEqual(asked.approval, { level: 1, needed: 2, given: 0, eligible: 6 });
    const first = await requests.approve(ada, asked);
    assert.deepEqual(first.body.approval, { level: 1, needed: 2, given: 1, eligible: 5 });
    assert.equal(codeOf(await requests.approve(ada, asked)), "access-request.already-decided");
    const second = await requests.approve(ben, asked);
    assert.deepEqual(second.body.approval, { level: 2, needed: 2, given: 0, eligible: 4 });
    assert.equal(codeOf(await requests.approve(ben, asked)), "access-request.already-decided");
    assert.equal((await requests.approve(cleo, asked)).body.status, "pending");
    assert.equal((await requests.approve(dan, asked)).body.status, "active");
    assert.equal((await requests.retrieve(lending.asker, lending.account)).status, 200);
  });

  test("is granted immediately if the platform requires no approval and the user may retrieve the secret anyway; other users need one approval", async () => {
    const lending = await aRequestableAccount(app, { approvals_level_1: 0 });
    const member = await aPerson(app);
    await aMember(app, lending.owner, lending.safe, member, "user");
    assert.equal((await requests.ask(member, lending.account)).body.status, "active");
    const asked = await pending(lending);
    assert.deepEqual([asked.approval!.level, asked.approval!.needed], [1, 1]);
  });

  test("starts at the requested time", async () => {
    const { asker, account, approvers } = await aRequestableAccount(app);
    const starts_at = new Date(Date.now() + 2 * HOUR).toISOString();
    const asked = await requests.ask(asker, account, { starts_at });
    assert.equal(asked.body.starts_at, starts_at);
    const approved = await requests.approve(approvers[0]!, asked.body);
    assert.deepEqual([approved.body.status, approved.body.starts_at], ["approved", starts_at]);
    assert.equal(Date.parse(approved.body.expires_at!) - Date.parse(starts_at), HOUR);
    assert.equal((await requests.retrieve(asker, account)).status, 403);
    assert.equal(codeOf(await requests.extend(asker, asked.body)), "access-request.wrong-state");
    assert.deepEqual(approved.body.can, ["revoke"]);
  });

  test("shows approvers its start, duration, ticket and system, and a later retrieval asks for neither reason nor ticket", async () => {
    const lending = await aRequestableAccount(app, { reason_required: true, ticket_required: true });
    const { asker, account } = lending;
    const approver = lending.approvers[0]!;
    const asked = await requests.ask(asker, account, { ticket: "CHG-4711", durationMinutes: 120 });
    const { body: seen } = await requests.read(approver, asked.body);
    assert.deepEqual([seen.ticket, seen.duration_minutes, seen.starts_at], ["CHG-4711", 120, null]);
    assert.match(seen.system ?? "", /^app\.example\.com · /);
    assert.equal((await requests.approve(approver, seen)).status, 200);
    const retrieved = await requests.retrieve(asker, account);
    assert.equal(retrieved.status, 200, retrieved.text);
    const entry = (await entriesOf(app, account.id)).findLast(({ event }) => event === "account.retrieved")!;
    assert.deepEqual([entry.details?.["ticket"], entry.details?.["request"]], ["CHG-4711", seen.id]);
  });

  test("can be withdrawn by its requester, while an approver can only deny it", async () => {
    const lending = await aRequestableAccount(app);
    const asked = await pending(lending);
    const other = await requests.revoke(lending.approvers[0]!, asked);
    assert.deepEqual([other.status, codeOf(other)], [409, "access-request.wrong-state"]);
    const back = await requests.revoke(lending.asker, asked);
    assert.deepEqual([back.body.status, back.body.ended_because], ["revoked", "Cancelled by the requester"]);
    assert.equal(codeOf(await requests.approve(lending.approvers[0]!, asked)), "access-request.wrong-state");
    assert.equal(codeOf(await requests.revoke(lending.asker, asked)), "access-request.wrong-state");
  });

  test("is created only once per user and account, even by two simultaneous calls", async () => {
    const { asker, account, approvers } = await aRequestableAccount(app);
    const replies = await Promise.all([1, 2, 3, 4].map(() => requests.ask(asker, account)));
    assert.deepEqual(
      replies.map(({ status }) => status).toSorted((a, b) => a - b),
      [201, 409, 409, 409],
    );
    const { body } = replies.find(({ status }) => status === 201)!;
    assert.equal((await requests.approve(approvers[0]!, body)).status, 200);
    assert.equal(codeOf(await requests.ask(asker, account)), "access-request.already-open");
  });

  test("JIT-27, JIT-28: is refused with the name of the field if a value is missing or invalid", async () => {
    const lending = await aRequestableAccount(app, { ticket_required: true, max_duration_minutes: 120 });
    const { asker, account } = lending;
    const path = (reply: { body: unknown }) => (reply.body as { errors?: { path: string }[] }).errors?.[0]?.path;
    const bad = async (fields: object, status: number, field: string) => {
      const reply = await requests.ask(asker, account, { ticket: "INC-1", ...fields });
      assert.deepEqual([reply.status, path(reply)], [status, field], reply.text);
    };
    await bad({ reason: "  " }, 400, "reason");
    await bad({ resource: "" }, 400, "resource");
    await bad({ reason: "x".repeat(2001) }, 400, "reason");
    await bad({ durationMinutes: 0 }, 400, "durationMinutes");
    await bad({ durationMinutes: 90.5 }, 400, "durationMinutes");
    await bad({ durationMinutes: "an hour" }, 400, "durationMinutes");
    await bad({ durationMinutes: 121 }, 422, "durationMinutes");
    await bad({ ticket: "" }, 422, "ticket");
    await bad({ starts_at: "2020-01-01T00:00:00.000Z" }, 400, "starts_at");
    await bad({ starts_at: new Date(Date.now() + 31 * 24 * HOUR).toISOString() }, 400, "starts_at");
    await bad({ starts_at: "tomorrow" }, 400, "starts_at");
    const unknown = await requests.ask(asker, { id: asker.id as never });
    assert.deepEqual([unknown.status, codeOf(unknown)], [404, "account.not-found"]);
  });

  test("is refused with the same reply for an account that the user cannot see as for a missing account, in every call", async () => {
    const lending = await aRequestableAccount(app);
    const stranger = await aPerson(app, "manager");
    const asked = await pending(lending);
    const replies = [
      await requests.ask(stranger, lending.account),
      await requests.read(stranger, asked),
      await requests.approve(stranger, asked),
      await requests.deny(stranger, asked),
      await requests.extend(stranger, asked),
      await requests.revoke(stranger, asked),
      await requests.map(stranger, asked, lending.account),
      await requests.review(stranger, asked),
      await requests.open(stranger, lending.account),
    ];
    assert.deepEqual(new Set(replies.map(({ status }) => status)), new Set([404]));
    for (const reply of replies) assert.ok(!reply.text.includes(lending.account.name));
  });

  test("cannot be decided by a member who can see the requests of the safe but may not approve them", async () => {
    const lending = await aRequestableAccount(app);
    const auditor = await aPerson(app);
    await aMember(app, lending.owner, lending.safe, auditor, "auditor");
    const asked = await pending(lending);
    assert.deepEqual((await requests.read(auditor, asked)).body.can, []);
    assert.equal(codeOf(await requests.approve(auditor, asked)), "access-request.not-approver");
    assert.equal((await requests.approve(lending.approvers[0]!, asked)).status, 200);
    assert.equal(codeOf(await requests.revoke(auditor, asked)), "access-request.not-approver");
  });

  test("is audited with requester, approvers, purpose, duration and ticket, but without the reason", async () => {
    const { asker, account, approvers } = await aRequestableAccount(app);
    const reason = "the word that nobody else writes";
    const asked = await requests.ask(asker, account, { durationMinutes: 30, ticket: "INC-42", reason });
    await requests.approve(approvers[0]!, asked.body);
    await requests.extend(asker, asked.body, 30);
    await requests.deny(approvers[0]!, asked.body);
    await requests.revoke(approvers[0]!, asked.body);
    const entries = await entriesOf(app, asked.body.id);
    assert.deepEqual(
      entries.map(({ event }) => event),
      ["created", "approved", "extended", "denied", "revoked"].map((word) => `access-request.${word}`),
    );
    for (const { target, details } of entries) {
      assert.equal(target?.name, account.name);
      assert.equal(details?.["account_id"], account.id);
      assert.equal(details?.["requester_id"], asker.id);
      assert.equal(details?.["duration_minutes"], 30);
      assert.equal(details?.["ticket"], "INC-42");
    }
    const text = JSON.stringify(entries);
    assert.ok(!text.includes(reason) && !text.includes(account.password));
  });
});

describe("the approvers of a request", () => {
  test("exclude the requester: the sole administrator's own request in a safe without approvers stays pending and shows that it has no approver", async () => {
    const { owner, account } = await aRequestableAccount(app, { approvers: 0 });
    await app.call(setUserStatus, { params: { id: owner.id }, body: { status: "disabled" }, as: admin.token });
    const asked = await requests.ask(admin, account);
    assert.deepEqual([asked.body.status, asked.body.approval!.eligible], ["pending", 0]);
    assert.equal(codeOf(await requests.approve(admin, asked.body)), "access-request.own");
    assert.equal((await requests.retrieve(admin, account)).status, 403);
    assert.equal((await requests.revoke(admin, asked.body)).status, 200);
  });

  test("lose an approval that they gave when they lose the permission to approve, and others have to replace it", async () => {
    const lending = await aRequestableAccount(app, { approvers: 3, approvals_level_1: 2 });
    const [ada, ben, cleo] = lending.approvers as [TestPerson, TestPerson, TestPerson];
    const asked = await pending(lending);
    assert.equal((await requests.approve(ada, asked)).body.approval!.given, 1);
    await takeOut(lending, ada);
    assert.equal((await requests.read(lending.asker, asked)).body.approval!.given, 0);
    const second = await requests.approve(ben, asked);
    assert.deepEqual([second.body.status, second.body.approval!.given], ["pending", 1]);
    assert.equal((await requests.retrieve(lending.asker, lending.account)).status, 403);
    assert.equal((await requests.approve(ada, asked)).status, 404);
    assert.equal((await requests.approve(cleo, asked)).body.status, "active");
  });

  test("decrease by one for each approver who is disabled or removed, and the request is not granted", async () => {
    const lending = await aRequestableAccount(app, { approvers: 2, approvals_level_1: 1 });
    const asked = await pending(lending);
    const eligible = async () => (await requests.read(lending.asker, asked)).body.approval!.eligible;
    assert.equal(await eligible(), 4);
    const params = { id: lending.approvers[0]!.id };
    await app.call(setUserStatus, { params, body: { status: "disabled" }, as: admin.token });
    await takeOut(lending, lending.approvers[1]!);
    assert.equal(await eligible(), 2);
    const owner = { id: lending.owner.id };
    await app.call(setUserStatus, { params: owner, body: { status: "disabled" }, as: admin.token });
    // Only the first administrator is left, and an administrator can always decide on requests of other users.
    assert.equal(await eligible(), 1);
    assert.equal((await requests.read(lending.asker, asked)).body.status, "pending");
    assert.equal((await requests.retrieve(lending.asker, lending.account)).status, 403);
  });

  test("decide only at their own level: a level 2 approver cannot decide at level 1", async () => {
    const lending = await aRequestableAccount(app, { approvals_level_1: 1, approvals_level_2: 1 });
    const second = await aPerson(app);
    await aMember(app, lending.owner, lending.safe, second, ["approve_level_2"]);
    const asked = await pending(lending);
    assert.equal(codeOf(await requests.approve(second, asked)), "access-request.other-level");
    assert.equal((await requests.approve(lending.approvers[0]!, asked)).body.approval!.level, 2);
    assert.equal((await requests.approve(second, asked)).body.status, "active");
  });

  test("must still approve a pending request after its platform stops requiring approval", async () => {
    const lending = await aRequestableAccount(app, { approvals_level_1: 1 });
    const asked = await pending(lending);
    const {
      account_count: _a,
      reconcile_readiness: _r,
      created_at: _b,
      updated_at: _c,
      id,
      ...policy
    } = await aPlatform(app);
    const platformId = lending.account.platform_id;
    const body = { ...policy, name: `Laxer ${id}`, approvals_level_1: 0 };
    const changed = await app.call(updatePlatform, { params: { id: platformId }, body, as: admin.token });
    assert.equal(changed.status, 200, changed.text);
    assert.equal((await requests.read(lending.asker, asked)).body.approval!.needed, 1);
    assert.equal((await requests.retrieve(lending.asker, lending.account)).status, 403);
  });
});

describe("JIT-23: an extension", () => {
  const granted = async (lending: RequestableSetup, durationMinutes = 60) => {
    const asked = await requests.ask(lending.asker, lending.account, { durationMinutes });
    const approved = await requests.approve(lending.approvers[0]!, asked.body);
    assert.equal(approved.body.status, "active", approved.text);
    return approved.body;
  };
  const lasts = (request: AccessRequest) => (Date.parse(request.expires_at!) - Date.parse(request.starts_at!)) / 60_000;

  test("JIT-20: waits for approval if the platform requires it, and adds its minutes to the end of the grant", async () => {
    const lending = await aRequestableAccount(app);
    const request = await granted(lending);
    const asked = await requests.extend(lending.asker, request, 30);
    assert.deepEqual([asked.body.status, asked.body.pending_extension_minutes], ["active", 30]);
    assert.equal(lasts(asked.body), 60);
    const isPending = async () => {
      const query = { status: "pending" as const };
      const { body } = await app.call(listAccessRequests, { query, as: lending.approvers[0]!.token });
      return body.requests.some(({ id }) => id === request.id);
    };
    assert.ok(await isPending(), "The extension is missing from the pending requests");
    assert.equal(codeOf(await requests.extend(lending.asker, request, 30)), "access-request.extension-pending");
    assert.equal(codeOf(await requests.approve(lending.asker, request)), "access-request.own");
    const approved = await requests.approve(lending.approvers[0]!, request);
    assert.deepEqual([lasts(approved.body), approved.body.pending_extension_minutes], [90, null]);
    assert.ok(!(await isPending()));
    const second = await requests.extend(lending.asker, request);
    assert.equal(second.body.pending_extension_minutes, 60, "JIT-30: an hour unless said otherwise");
    const denied = await requests.deny(lending.approvers[0]!, request);
    assert.deepEqual([denied.body.status, lasts(denied.body)], ["active", 90]);
    assert.equal((await requests.retrieve(lending.asker, lending.account)).status, 200);
  });

  test("is granted immediately if the platform requires no new approval, up to the platform's maximum in total", async () => {
    const lending = await aRequestableAccount(app, { approve_extensions: false, max_duration_minutes: 120 });
    const request = await granted(lending);
    assert.equal(lasts((await requests.extend(lending.asker, request, 30)).body), 90);
    const tooLong = await requests.extend(lending.asker, request, 60);
    assert.deepEqual([tooLong.status, codeOf(tooLong)], [422, "access-request.too-long"]);
    assert.equal(lasts((await requests.extend(lending.asker, request, 30)).body), 120);
    assert.equal((await requests.extend(lending.asker, request, 5)).status, 409);
  });

  test("is refused to every other user, and is withdrawn when the access ends", async () => {
    const lending = await aRequestableAccount(app);
    const request = await granted(lending);
    const other = await requests.extend(lending.approvers[0]!, request);
    assert.deepEqual([other.status, codeOf(other)], [403, "access-request.not-own"]);
    await requests.extend(lending.asker, request);
    const ended = await requests.revoke(lending.approvers[0]!, request);
    assert.deepEqual([ended.body.status, ended.body.approval], ["revoked", null]);
    assert.match(ended.body.ended_because!, /^Revoked by person/);
    assert.equal(codeOf(await requests.approve(lending.approvers[0]!, request)), "access-request.wrong-state");
    assert.equal((await requests.retrieve(lending.asker, lending.account)).status, 403);
  });
});
