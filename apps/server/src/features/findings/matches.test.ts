// Tests of the two findings of one secret, for users who may retrieve its account and for others, with a real sshd.
import {
  AccountEdit,
  assignFinding,
  changeFindingStatus,
  commentOnFinding,
  createFindingRule,
  createToken,
  deleteAccount,
  deleteFindingRule,
  listFindingRules,
  readFinding,
  undoVaulting,
  updateAccount,
  vaultFindings,
} from "@strongroom/contract";
import type { SecurityFinding } from "@strongroom/contract";
import { needs, unixUsersAvailable } from "@strongroom/connectors/testing";
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { SSH, byId } from "#features/discovery/testing/discovery-world.ts";
import { aPassword, aScannedHost } from "#features/scans/testing/scanned-host.ts";
import type { ScannedHost } from "#features/scans/testing/scanned-host.ts";
import { anAccount } from "#testing/accounts.ts";
import { aPerson } from "#testing/people.ts";
import type { TestPerson } from "#testing/people.ts";
import { aMember, aSafe } from "#testing/safes.ts";

const DUE = "2099-01-01T00:00:00.000Z";

describe("a finding and its match with a stored secret", needs(unixUsersAvailable()), () => {
  let host: ScannedHost;
  let as: string;
  /** May change findings, and retrieve no secret. */
  let member: TestPerson;
  /** A session of the owner that compares no secret. */
  let token: TestPerson;
  before(async () => {
    host = await aScannedHost();
    as = host.owner.token;
    member = await aPerson(host.app, "manager");
    await aMember(host.app, host.owner, host.safe, member, ["list", "add"]);
    const body = { name: "Pipeline", scopes: ["discovery.read", "discovery.manage"] as never, expires_in_days: 1 };
    const made = await host.app.call(createToken, { body, as });
    assert.equal(made.status, 201, made.text);
    token = { ...host.owner, token: made.body.token };
  });
  after(() => host.stop());

  const anAccountWith = async (password: string, safe = host.safe) =>
    anAccount(host.app, host.owner, safe, { ...SSH, username: "svc-pay", hostname: "pay.example.com", password });

  async function scan(who = host.owner, readAgain = false) {
    const started = await host.startScan({ scanConfig: { readAgain } }, who);
    assert.equal(started.status, 202, started.text);
    const ended = await host.ended(started.body.id);
    assert.equal(ended.status, "completed", ended.error_message ?? "");
    return ended;
  }
  async function foundIn(path: string, who = host.owner): Promise<SecurityFinding[]> {
    const all = [
      ...(await host.findings({ limit: "200" }, who)),
      ...(await host.findings({ limit: "200", status: "remediated" }, who)),
    ];
    const ids = new Map(all.map((finding) => [finding.id, finding]));
    return [...ids.values()].filter(({ finding_data }) => finding_data.file_path === path);
  }
  async function oneIn(path: string, who = host.owner): Promise<SecurityFinding> {
    const found = await foundIn(path, who);
    assert.equal(found.length, 1, JSON.stringify(found));
    return found[0]!;
  }
  /** A file with the password of a new account, with the finding that each user sees. */
  async function aMatch(name: string) {
    const password = aPassword();
    const account = await anAccountWith(password);
    const path = host.write(name, `password = ${password}\n`);
    await scan();
    const [match, plain] = [await oneIn(path), await oneIn(path, member)];
    assert.deepEqual([match.class, match.account_id], ["known_secret", account.id]);
    assert.deepEqual([plain.class, plain.account_id], ["password", null]);
    return { password, account, path, match, plain };
  }
  const setStatus = async (finding: SecurityFinding, status: "accepted" | "investigating", who: { token: string }) => {
    const body = { status, reason: `Set to ${status}` };
    const reply = await host.app.call(changeFindingStatus, { ...byId(finding), body, as: who.token });
    assert.equal(reply.status, 200, reply.text);
  };
  const historyOf = async (finding: SecurityFinding, who: TestPerson) => {
    const { body, text } = await host.app.call(readFinding, { ...byId(finding), as: who.token });
    return { text, entries: body.history.map(({ kind, to, reason }) => [kind, to, reason]) };
  };

  test("a match keeps the status, assignee, due date and history of the earlier finding", async () => {
    const password = aPassword();
    const path = host.write("continued/a.conf", `password = ${password}\n`);
    await scan();
    const before = await oneIn(path);
    await setStatus(before, "investigating", host.owner);
    const body = { assigneeId: host.owner.id, dueAt: DUE };
    await host.app.call(assignFinding, { ...byId(before), body, as });
    await host.app.call(commentOnFinding, { ...byId(before), body: { text: "Ask Ada" }, as });
    const account = await anAccountWith(password);
    const { results } = await scan(host.owner, true);
    assert.equal(results.new_findings, 0);
    const [match, plain] = [await oneIn(path), await oneIn(path, member)];
    assert.deepEqual([match.class, match.account_id, plain.class], ["known_secret", account.id, "password"]);
    assert.deepEqual([plain.id, match.created_at], [before.id, before.created_at]);
    for (const each of [match, plain]) {
      assert.deepEqual([each.status, each.assignee?.id, each.due_at], ["investigating", host.owner.id, DUE]);
    }
    const [ofMatch, ofPlain] = [await historyOf(match, host.owner), await historyOf(plain, member)];
    assert.deepEqual(ofMatch.entries, ofPlain.entries);
    assert.equal(ofPlain.entries.length, 5);
  });

  test("a decision about one of the two applies to both, and vaulting is shown only beside the match", async () => {
    const { account, path, match, plain } = await aMatch("decided/a.conf");
    await setStatus(match, "accepted", host.owner);
    await host.app.call(commentOnFinding, { ...byId(plain), body: { text: "Why?" }, as: member.token });
    await host.app.call(assignFinding, { ...byId(plain), body: { assigneeId: member.id }, as: member.token });
    const body = { findingIds: [match.id], vaultSettings: {}, login: {} };
    const vaulted = await host.app.call(vaultFindings, { body, as });
    assert.deepEqual([vaulted.status, vaulted.body.failed], [200, []], vaulted.text);
    assert.equal(vaulted.body.accounts[0]?.account_id, account.id);
    const { entries, text } = await historyOf(plain, member);
    assert.deepEqual(entries, [
      ["found", null, null],
      ["status", "accepted", "Set to accepted"],
      ["comment", null, "Why?"],
      ["assigned", "person2", null],
    ]);
    assert.ok(!text.includes(account.id) && !text.includes("svc-pay"), text);
    const after = await oneIn(path);
    assert.deepEqual([after.status, after.assignee?.id, after.account_id], ["accepted", member.id, account.id]);
    const undone = await host.app.call(undoVaulting, { ...byId(match), as });
    assert.equal(undone.status, 200, undone.text);
    assert.equal((await oneIn(path)).account_id, account.id);
  });

  test("no user can read or change the finding that another user sees", async () => {
    const { match, plain } = await aMatch("hidden/a.conf");
    const body = { status: "accepted" as const };
    for (const [finding, who] of [
      [match, member.token],
      [plain, as],
    ] as const) {
      const reply = await host.app.call(changeFindingStatus, { ...byId(finding), body, as: who });
      assert.equal(reply.status, 404, reply.text);
    }
  });

  test("a rule for the class of a match is listed only for users who may retrieve the account", async () => {
    const { match, path } = await aMatch("ruled/a.conf");
    const body = { kind: "class" as const, reason: "Rotated soon", reviewAt: DUE };
    const made = await host.app.call(createFindingRule, { ...byId(match), body, as });
    assert.equal(made.status, 201, made.text);
    const idsFor = async (who: string) =>
      (await host.app.call(listFindingRules, { as: who })).body.data.map(({ id }) => id);
    assert.deepEqual(
      [(await idsFor(as)).includes(made.body.id), (await idsFor(member.token)).includes(made.body.id)],
      [true, false],
    );
    assert.deepEqual([(await oneIn(path)).status, (await oneIn(path, member)).status], ["false_positive", "new"]);
    const refused = await host.app.call(deleteFindingRule, { ...byId(made.body), as: member.token });
    const deleted = await host.app.call(deleteFindingRule, { ...byId(made.body), as });
    assert.deepEqual([refused.status, deleted.status], [404, 200]);
  });

  test("a scan that does not compare the account keeps the match while the value is there, and closes both when it is gone", async () => {
    const { password, path } = await aMatch("closing/a.conf");
    host.write("closing/a.conf", `# moved\npassword = ${password}\n`);
    await scan(token);
    assert.deepEqual([(await oneIn(path)).class, (await oneIn(path)).status], ["known_secret", "new"]);
    assert.equal((await oneIn(path, member)).finding_data.line_number, 2);
    host.write("closing/a.conf", "# nothing\n");
    const gone = await scan(token);
    assert.deepEqual([(await oneIn(path)).status, (await oneIn(path, member)).status], ["remediated", "remediated"]);
    assert.equal(gone.results.fixed_findings, 1);
    host.write("closing/a.conf", `password = ${password}\n`);
    await scan(token);
    assert.equal((await oneIn(path, member)).status, "new");
    const shown = await foundIn(path);
    assert.deepEqual(
      new Map(shown.map(({ class: kind, status }) => [kind, status])),
      new Map([
        ["known_secret", "remediated"],
        ["password", "new"],
      ]),
    );
    await scan(host.owner, true);
    assert.deepEqual([(await oneIn(path)).class, (await oneIn(path)).status], ["known_secret", "new"]);
  });

  test("a match that others do not see stays open until a scan compares its account", async () => {
    const password = aPassword();
    await anAccountWith(password);
    const path = host.write("alone/a.conf", `Exec /opt/tool (${password}) now\n`);
    await scan();
    assert.equal((await oneIn(path)).class, "known_secret");
    assert.deepEqual(await foundIn(path, member), []);
    host.write("alone/a.conf", "Exec /opt/tool now\n");
    await scan(token);
    assert.equal((await oneIn(path)).status, "new");
    await scan(host.owner, true);
    assert.equal((await oneIn(path)).status, "remediated");
  });

  test("the end of the match shows the finding to all users: a new secret, and a deleted account", async () => {
    const changed = await aMatch("ended/a.conf");
    const { name, username, platform_id, system_type, connection_method, hostname_ip: hostname } = changed.account;
    const fields = { name, username, platform_id, system_type, connection_method, hostname };
    const body = AccountEdit.parse({ ...fields, status: "active", password: aPassword() });
    const set = await host.app.call(updateAccount, { ...byId(changed.account), body, as });
    assert.equal(set.status, 200, set.text);
    await scan(host.owner, true);
    const shown = (await foundIn(changed.path)).map(({ id, status }) => [id, status]);
    assert.deepEqual(
      new Map(shown as never),
      new Map([
        [changed.match.id, "remediated"],
        [changed.plain.id, "new"],
      ] as never),
    );
    const deleted = await aMatch("ended/b.conf");
    const reply = await host.app.call(deleteAccount, { ...byId(deleted.account), as });
    assert.equal(reply.status, 200, reply.text);
    assert.equal((await oneIn(deleted.path)).id, deleted.plain.id);
    await scan(host.owner, true);
    assert.equal((await oneIn(deleted.path)).id, deleted.plain.id);
  });

  test("a right that is given later shows the match", async () => {
    const { path, match } = await aMatch("given/a.conf");
    const reader = await aPerson(host.app, "manager");
    await aMember(host.app, host.owner, host.safe, reader, ["list", "retrieve", "view_audit"]);
    assert.equal((await oneIn(path, reader)).id, match.id);
  });

  test("of accounts with one secret, each user sees the match with their own", async () => {
    const password = aPassword();
    const [first, second] = [await aSafe(host.app, host.owner), await aSafe(host.app, host.owner)];
    const [one, other] = [await anAccountWith(password, first), await anAccountWith(password, second)];
    const reader = await aPerson(host.app, "manager");
    await aMember(host.app, host.owner, host.safe, reader, ["list", "view_audit"]);
    await aMember(host.app, host.owner, second, reader, ["list", "retrieve"]);
    const path = host.write("several/a.conf", `password = ${password}\n`);
    await scan();
    assert.equal((await oneIn(path)).account_id, one.id);
    assert.equal((await oneIn(path, reader)).account_id, other.id);
    assert.equal((await oneIn(path, member)).account_id, null);
  });
});
