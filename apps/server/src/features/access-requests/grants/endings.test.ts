// HTTP tests of how access ends: at its set time, by revocation, or by a change to the account, the user or the membership.
import {
  AccountEdit,
  checkInAccount,
  deleteAccount,
  deleteUser,
  listSafeMembers,
  moveAccount,
  readAccountDetails,
  removeSafeMember,
  setUserStatus,
  updateAccount,
  updateSafe,
} from "@strongroom/contract";
import type { AccessRequest } from "@strongroom/contract";
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { anAccount } from "#testing/accounts.ts";
import { aPerson, firstAdmin, signIn } from "#testing/people.ts";
import type { TestPerson } from "#testing/people.ts";
import { aGroup, aMember, aSafe } from "#testing/safes.ts";
import { testApp } from "#testing/test-app.ts";
import type { TestApp } from "#testing/test-app.ts";
import { eventually, liveEvents } from "#testing/waiting.ts";
import { aRequestableAccount, endAfter, entriesOf, requestsOf } from "../testing/requestable-account.ts";
import type { RequestableSetup } from "../testing/requestable-account.ts";

let app: TestApp;
let admin: TestPerson;
let requests: ReturnType<typeof requestsOf>;
before(async () => {
  app = await testApp();
  admin = await firstAdmin(app);
  requests = requestsOf(app);
});
after(() => app.close());

async function granted(lending: RequestableSetup): Promise<AccessRequest> {
  const asked = await requests.ask(lending.asker, lending.account);
  const approved = await requests.approve(lending.approvers[0]!, asked.body);
  assert.equal(approved.body.status, "active", approved.text);
  return approved.body;
}

/** The request as shown to an administrator. */
const now = async (request: AccessRequest) => (await requests.read(admin, request)).body;

const hasEnded = (request: AccessRequest) =>
  eventually(async () => {
    const shown = await now(request);
    return shown.ended_at === null ? null : shown;
  });

describe("the end of access", () => {
  test("access ends when it expires; all affected users are notified, and the end is audited", async () => {
    const lending = await aRequestableAccount(app);
    const request = await granted(lending);
    const heard = await liveEvents(app, lending.asker);
    const overheard = await liveEvents(app, lending.approvers[0]!);
    assert.equal((await requests.retrieve(lending.asker, lending.account)).status, 200);
    await endAfter(app, request, 300);
    for (const ears of [heard, overheard]) {
      const { data } = await ears.next(({ data }) => data["request_id"] === request.id && data["change"] === "ended");
      assert.equal(data["status"], "expired");
      ears.close();
    }
    const ended = await now(request);
    assert.deepEqual([ended.status, ended.ended_because, ended.can], ["expired", "Access expired", []]);
    assert.equal((await requests.retrieve(lending.asker, lending.account)).status, 403);
    const entries = await entriesOf(app, request.id);
    const last = entries.at(-1)!;
    assert.equal(last.event, "access-request.ended");
    assert.deepEqual(last.actor, { system: "access-requests" });
    assert.equal(last.details?.["how"], "expired");
  });

  test("access ends when its safe is deactivated, and stays ended when the safe is reactivated", async () => {
    const lending = await aRequestableAccount(app);
    const request = await granted(lending);
    const { safe, owner } = lending;
    const setTo = async (status: "active" | "inactive") => {
      const body = { name: safe.name, description: safe.description, status };
      const reply = await app.call(updateSafe, { params: { id: safe.id }, body, as: owner.token });
      assert.equal(reply.status, 200, reply.text);
    };
    await setTo("inactive");
    assert.notEqual((await requests.retrieve(lending.asker, lending.account)).status, 200);
    const ended = await now(request);
    assert.deepEqual([ended.status, ended.ended_because], ["revoked", "The safe was deactivated"]);
    await setTo("active");
    assert.equal((await requests.retrieve(lending.asker, lending.account)).status, 403);
    assert.equal((await now(request)).status, "revoked");
  });

  test("access ends before its end is recorded: no retrieval succeeds in between", async () => {
    const lending = await aRequestableAccount(app);
    const request = await granted(lending);
    await endAfter(app, request, -1);
    const reply = await requests.retrieve(lending.asker, lending.account);
    assert.equal(reply.status, 403, reply.text);
    assert.equal((await now(request)).status, "expired");
  });

  test("access and pending requests end when their account is deleted, moved to another safe or disabled", async () => {
    const ways = {
      "The account was deleted": ({ owner, account }: RequestableSetup) =>
        app.call(deleteAccount, { params: { id: account.id }, as: owner.token }),
      "The account was moved to another safe": async ({ owner, account }: RequestableSetup) => {
        const { id } = await aSafe(app, owner);
        return app.call(moveAccount, { params: { id: account.id }, body: { safe_id: id }, as: owner.token });
      },
      "The account was disabled": ({ owner, account }: RequestableSetup) => {
        const { name, username, platform_id, system_type, connection_method, hostname_ip: hostname } = account;
        const fields = { name, username, platform_id, system_type, connection_method, hostname };
        const body = AccountEdit.parse({ ...fields, status: "disabled" });
        return app.call(updateAccount, { params: { id: account.id }, body, as: owner.token });
      },
    };
    for (const [because, end] of Object.entries(ways)) {
      const lending = await aRequestableAccount(app);
      const second = await aPerson(app);
      await aMember(app, lending.owner, lending.safe, second, ["list"]);
      const request = await granted(lending);
      const asked = (await requests.ask(second, lending.account)).body;
      const reply = await end(lending);
      assert.equal(reply.status, 200, reply.text);
      for (const each of [request, asked]) {
        const ended = await now(each);
        assert.deepEqual([ended.status, ended.ended_because, ended.approval], ["revoked", because, null]);
      }
      const retrieval = await requests.retrieve(lending.asker, lending.account);
      assert.ok([403, 404, 409].includes(retrieval.status), retrieval.text);
    }
  });

  test("access ends when the user is disabled, and stays ended when the user is enabled again", async () => {
    const lending = await aRequestableAccount(app);
    const request = await granted(lending);
    const status = (to: "active" | "disabled") =>
      app.call(setUserStatus, { params: { id: lending.asker.id }, body: { status: to }, as: admin.token });
    assert.equal((await status("disabled")).status, 200);
    const ended = await now(request);
    assert.deepEqual([ended.status, ended.ended_because], ["revoked", "The user was disabled"]);
    await status("active");
    const token = await signIn(app, lending.asker.email);
    assert.equal((await requests.retrieve({ ...lending.asker, token }, lending.account)).status, 403);
  });

  test("access ends when the user is deleted, and no active grant or pending request remains", async () => {
    const lending = await aRequestableAccount(app);
    const request = await granted(lending);
    const account = await anAccount(app, lending.owner, lending.safe, { platform_id: lending.account.platform_id });
    const asked = (await requests.ask(lending.asker, account)).body;
    const reply = await app.call(deleteUser, { params: { id: lending.asker.id }, as: admin.token });
    assert.equal(reply.status, 200, reply.text);
    for (const each of [request, asked]) assert.equal((await now(each)).status, "revoked");
  });

  test("access ends on time, and the end is published, even if the secret is retrieved continuously", async () => {
    const lending = await aRequestableAccount(app);
    const request = await granted(lending);
    const heard = await liveEvents(app, lending.asker);
    const told = new AbortController();
    await endAfter(app, request, 200);
    const loops = [1, 2, 3, 4].map(async () => {
      while (!told.signal.aborted) await requests.retrieve(lending.asker, lending.account);
    });
    await heard.next(({ data }) => data["change"] === "ended").finally(() => told.abort());
    await Promise.all(loops);
    heard.close();
  });

  test("access ends when the membership is removed or expires", async () => {
    const lending = await aRequestableAccount(app);
    const request = await granted(lending);
    const params = { id: lending.safe.id };
    const { members } = (await app.call(listSafeMembers, { params, as: lending.owner.token })).body;
    const { id: member_id } = members.find(({ user_id }) => user_id === lending.asker.id)!;
    await app.call(removeSafeMember, { params: { ...params, member_id }, as: lending.owner.token });
    const ended = await now(request);
    assert.deepEqual([ended.status, ended.ended_because], ["revoked", "The user is no longer a member of the safe"]);
    assert.equal((await requests.retrieve(lending.asker, lending.account)).status, 404);

    const other = await aPerson(app);
    const expires_at = new Date(Date.now() + 3_600_000).toISOString();
    const membership = await aMember(app, lending.owner, lending.safe, other, ["list"], expires_at);
    const asked = await requests.ask(other, lending.account);
    await requests.approve(lending.approvers[0]!, asked.body);
    assert.equal((await requests.retrieve(other, lending.account)).status, 200);
    await app.database.pool.query("update safe_members set expires_at = now() where id = $1", [membership.id]);
    assert.equal(
      (await requests.retrieve(other, lending.account)).status,
      404,
      "immediately, before anything noted it",
    );
    assert.equal((await hasEnded(asked.body)).ended_because, "The user is no longer a member of the safe");
  });

  test("access ends only when the last of two memberships ends", async () => {
    const lending = await aRequestableAccount(app);
    const group = await aGroup(app, [lending.asker]);
    await aMember(app, lending.owner, lending.safe, group, ["list"]);
    const request = await granted(lending);
    const params = { id: lending.safe.id };
    const { members } = (await app.call(listSafeMembers, { params, as: lending.owner.token })).body;
    const { id: member_id } = members.find(({ user_id }) => user_id === lending.asker.id)!;
    await app.call(removeSafeMember, { params: { ...params, member_id }, as: lending.owner.token });
    assert.equal((await now(request)).status, "active");
    assert.equal((await requests.retrieve(lending.asker, lending.account)).status, 200);
  });

  test("the end of access checks in the account and rotates a revealed secret", async () => {
    const lending = await aRequestableAccount(app, { exclusive_check_out: true, rotate_after_check_in: true });
    const request = await granted(lending);
    assert.equal((await requests.retrieve(lending.asker, lending.account)).status, 200);
    const { id } = lending.account;
    const details = async () => (await app.call(readAccountDetails, { params: { id }, as: admin.token })).body;
    assert.equal((await details()).check_out?.user_id, lending.asker.id);
    await requests.revoke(lending.approvers[0]!, request);
    const after = await details();
    assert.deepEqual([after.check_out, after.rotation_status], [null, "overdue"]);
    assert.equal((await app.call(checkInAccount, { params: { id }, as: lending.owner.token })).status, 409);
  });

  test("the end of access causes no rotation if the secret was never used", async () => {
    const lending = await aRequestableAccount(app, { rotate_after_check_in: true });
    await requests.revoke(lending.asker, await granted(lending));
    const params = { id: lending.account.id };
    const { body } = await app.call(readAccountDetails, { params, as: admin.token });
    assert.notEqual(body.rotation_status, "overdue");
  });
});

describe("the start of access", () => {
  test("OPEN-99: access begins at the requested time, and browsers are notified", async () => {
    const lending = await aRequestableAccount(app);
    const starts_at = new Date(Date.now() + 3_600_000).toISOString();
    const asked = await requests.ask(lending.asker, lending.account, { starts_at });
    await requests.approve(lending.approvers[0]!, asked.body);
    const heard = await liveEvents(app, lending.asker);
    await app.database.pool.query(
      `update access_requests set starts_at = now() + interval '200 ms',
       ends_at = now() + interval '200 ms' + (ends_at - starts_at) where id = $1`,
      [asked.body.id],
    );
    const { data } = await heard.next(({ data }) => data["change"] === "started");
    assert.deepEqual([data["request_id"], data["status"]], [asked.body.id, "active"]);
    assert.equal((await requests.retrieve(lending.asker, lending.account)).status, 200);
    heard.close();
  });
});
