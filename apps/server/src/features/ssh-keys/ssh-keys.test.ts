// Tests of users' SSH keys: adding and removing them, and what ends them.
import {
  addSshKey,
  changePassword,
  deleteUser,
  endOtherSessions,
  endUserSessions,
  listNotifications,
  listSshKeys,
  removeSshKey,
  resetFactors,
  setUserStatus,
  updateTokenPolicy,
} from "@strongroom/contract";
import type { SshKeyId } from "@strongroom/contract";
import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { after, before, test } from "node:test";
import { aPendingPerson, aPerson, firstAdmin } from "#testing/people.ts";
import type { TestPerson } from "#testing/people.ts";
import { testApp } from "#testing/test-app.ts";
import type { TestApp } from "#testing/test-app.ts";
import { eventually } from "#testing/waiting.ts";
import { notifyOfExpiry } from "./notify-ssh-keys.ts";

let app: TestApp;
let admin: TestPerson;
before(async () => {
  app = await testApp();
  admin = await firstAdmin(app);
});
after(() => app.close());

/** A new Ed25519 public key (RFC 8709 §4). */
function aPublicKey(): string {
  const { x = "" } = generateKeyPairSync("ed25519").publicKey.export({ format: "jwk" });
  const field = (bytes: Buffer) => Buffer.concat([Buffer.from([0, 0, 0, bytes.length]), bytes]);
  return `ssh-ed25519 ${Buffer.concat([field(Buffer.from("ssh-ed25519")), field(Buffer.from(x, "base64url"))]).toString("base64")}`;
}

const send = (who: Pick<TestPerson, "token">, publicKey = aPublicKey(), days = 30) =>
  app.call(addSshKey, { body: { name: "laptop", public_key: publicKey, expires_in_days: days }, as: who.token });

async function withKey(who: TestPerson): Promise<SshKeyId> {
  const added = await send(who);
  assert.equal(added.status, 201, added.text);
  return added.body.id;
}

const countKeys = async ({ id }: Pick<TestPerson, "id">): Promise<number> =>
  (await app.database.pool.query("select from ssh_keys where user_id = $1", [id])).rowCount ?? 0;

test("a user lists and removes only their own keys", async () => {
  const [owner, other] = [await aPerson(app), await aPerson(app)];
  const id = await withKey(owner);
  const own = await app.call(listSshKeys, { as: owner.token });
  assert.deepEqual(
    own.body.data.map((key) => [key.id, key.name, key.type, key.bits, key.state, key.last_used_at]),
    [[id, "laptop", "ssh-ed25519", 256, "active", null]],
  );
  assert.match(own.body.data[0]!.fingerprint, /^SHA256:[A-Za-z0-9+/]{43}$/);
  assert.deepEqual((await app.call(listSshKeys, { as: other.token })).body.data, []);
  assert.equal((await app.call(removeSshKey, { params: { id }, as: other.token })).status, 404);
  assert.equal((await app.call(removeSshKey, { params: { id }, as: owner.token })).status, 200);
  assert.equal(await countKeys(owner), 0);
});

test("a new key is audited and reported to its user", async () => {
  const owner = await aPerson(app);
  const id = await withKey(owner);
  await eventually(async () => {
    const { notifications } = (await app.call(listNotifications, { as: owner.token })).body;
    return notifications.find(({ title }) => title === "An SSH key was added to your account") ?? null;
  });
  const { rows } = await app.database.pool.query<{ event: string }>(
    "select event from audit_entries where target_id = $1",
    [id],
  );
  assert.deepEqual(rows, [{ event: "ssh-key.added" }]);
});

test("adding a key requires recent authentication", async () => {
  const owner = await aPerson(app);
  await app.database.pool.query("update sign_in_sessions set proved_at = 'epoch' where user_id = $1", [owner.id]);
  const reply = await send(owner);
  assert.deepEqual([reply.status, (reply.body as { code?: string }).code], [403, "step-up.required"]);
});

test("a user who waits for activation has no keys", async () => {
  assert.equal((await send(await aPendingPerson(app))).status, 403);
});

test("a key belongs to one user", async () => {
  const [owner, other] = [await aPerson(app), await aPerson(app)];
  const text = aPublicKey();
  assert.equal((await send(owner, text)).status, 201);
  for (const who of [owner, other]) {
    const again = await send(who, `${text} another comment`);
    assert.deepEqual([again.status, (again.body as { code?: string }).code], [409, "ssh-key.known"]);
  }
});

test("a private key that was pasted by mistake is neither stored nor logged", async () => {
  const owner = await aPerson(app);
  const pem = generateKeyPairSync("ed25519").privateKey.export({ format: "pem", type: "pkcs8" }).toString();
  const reply = await send(owner, pem);
  assert.equal(reply.status, 400);
  assert.match(reply.text, /This is a private key/);
  const [, secret = ""] = pem.split("\n");
  assert.ok(!reply.text.includes(secret));
  assert.ok(app.logLines.every((line) => !line.includes(secret)));
  const { rows } = await app.database.pool.query<{ text: string }>(
    "select convert_from(canonical, 'UTF8') as text from audit_entries",
  );
  assert.ok(rows.every(({ text }) => !text.includes(secret)));
});

test("a point that is not on its curve is refused", async () => {
  const field = (bytes: Buffer) => Buffer.concat([Buffer.from([0, 0, 0, bytes.length]), bytes]);
  const point = Buffer.concat([Buffer.from([4]), Buffer.alloc(64, 7)]);
  const blob = Buffer.concat([Buffer.from("ecdsa-sha2-nistp256"), Buffer.from("nistp256"), point].map(field));
  const reply = await send(await aPerson(app), `ecdsa-sha2-nistp256 ${blob.toString("base64")}`);
  assert.equal(reply.status, 400);
  assert.match(reply.text, /damaged/);
});

test("the owner is notified once, a week before a key expires", async () => {
  const owner = await aPerson(app);
  const id = await withKey(owner);
  const run = () => app.database.transaction((tx) => notifyOfExpiry(app.kernel, tx));
  const notifiedAt = async (): Promise<Date | null> =>
    (await app.database.pool.query<{ at: Date | null }>("select notified_at as at from ssh_keys where id = $1", [id]))
      .rows[0]!.at;
  await run();
  assert.equal(await notifiedAt(), null, "a month is left");
  await app.database.pool.query(
    "update ssh_keys set created_at = now() - interval '24 days', expires_at = now() + interval '6 days' where id = $1",
    [id],
  );
  await run();
  const first = await notifiedAt();
  assert.ok(first);
  await run();
  assert.deepEqual(await notifiedAt(), first);
  await eventually(async () => {
    const { notifications } = (await app.call(listNotifications, { as: owner.token })).body;
    return notifications.find(({ title }) => title === "An SSH key expires soon") ?? null;
  });
});

test("the policy on the lifetime of API tokens limits new and existing keys", async () => {
  const owner = await aPerson(app);
  await withKey(owner);
  const policy = (days: number) =>
    app.call(updateTokenPolicy, { body: { person_days: days, machine_days: 365 }, as: admin.token });
  assert.equal((await policy(7)).status, 200);
  try {
    const refused = await send(owner);
    assert.match(refused.text, /at most 7 days/);
    const { data, most_days } = (await app.call(listSshKeys, { as: owner.token })).body;
    assert.equal(most_days, 7);
    assert.ok(Date.parse(data[0]!.expires_at) <= Date.now() + 7 * 86_400_000);
  } finally {
    await policy(365);
  }
});

const byAdmin = ({ id }: TestPerson) => ({ params: { id }, as: admin.token });

for (const [what, act] of [
  ["an administrator resets their factors", (who: TestPerson) => app.call(resetFactors, byAdmin(who))],
  ["an administrator ends their sessions", (who: TestPerson) => app.call(endUserSessions, byAdmin(who))],
  ["they end their other sessions", (who: TestPerson) => app.call(endOtherSessions, { as: who.token })],
  [
    "they are disabled",
    (who: TestPerson) => app.call(setUserStatus, { ...byAdmin(who), body: { status: "disabled" } }),
  ],
  ["they are deleted", (who: TestPerson) => app.call(deleteUser, byAdmin(who))],
] as const) {
  test(`the keys of a user end when ${what}`, async () => {
    const owner = await aPerson(app);
    const id = await withKey(owner);
    const reply = await act(owner);
    assert.equal(reply.status, 200, reply.text);
    assert.equal(await countKeys(owner), 0);
    const { rows } = await app.database.pool.query<{ event: string }>(
      "select event from audit_entries where target_id = $1 order by seq",
      [id],
    );
    assert.deepEqual(
      rows.map(({ event }) => event),
      ["ssh-key.added", "ssh-key.removed"],
    );
  });
}

test("a change of the password ends the keys that the user does not keep", async () => {
  const owner = await aPerson(app);
  await withKey(owner);
  const change = (from: string, to: string, isKept: boolean) =>
    app.call(changePassword, {
      body: { current_password: from, new_password: to, keep_ssh_keys: isKept },
      as: owner.token,
    });
  const another = "an entirely different passphrase";
  assert.equal((await change(owner.password, another, true)).status, 200);
  assert.equal(await countKeys(owner), 1);
  const reply = await change(another, owner.password, false);
  assert.match(reply.body.message, /1 SSH key ended/);
  assert.equal(await countKeys(owner), 0);
});
