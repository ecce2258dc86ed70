// Tests that reveals are recorded before secrets are returned, share commits in groups, and get one reply per call.
import {
  CredentialEdit,
  deleteCredential,
  listCredentials,
  revealCredential,
  updateCredential,
} from "@strongroom/contract";
import { KeyRing } from "@strongroom/keys";
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { TestContext } from "node:test";
import { aCredential, aSecret, asStored } from "#testing/credentials.ts";
import { aPerson } from "#testing/people.ts";
import type { TestPerson } from "#testing/people.ts";
import { testApp } from "#testing/test-app.ts";
import type { TestApp } from "#testing/test-app.ts";
import { eventually } from "#testing/waiting.ts";

let app: TestApp;
before(async () => {
  app = await testApp();
});
after(() => app.close());

const reveal = (id: string, person: TestPerson) =>
  app.call(revealCredential, { params: { id: id }, body: {}, as: person.token });

async function entriesOf(id: string, event = "credential.revealed") {
  const { rows } = await app.database.pool.query(
    "select result, actor_id, convert_from(canonical, 'UTF8')::jsonb as entry from audit_entries where target_id = $1 and event = $2 order by id",
    [id, event],
  );
  return rows as { result: string; actor_id: string; entry: { reason?: string } }[];
}

describe("a reveal", () => {
  test("OPEN-55: returns the secret only once its audit entry is written", async () => {
    const owner = await aPerson(app);
    const stored = await aCredential(app, owner);
    const reply = await app.call(revealCredential, {
      params: { id: stored.id },
      body: { reason: "Deployment" },
      as: owner.token,
    });
    assert.deepEqual(reply.body, { value: stored.value });
    assert.deepEqual(
      (await entriesOf(stored.id)).map((each) => [each.result, each.actor_id, each.entry.reason]),
      [["success", owner.id, "Deployment"]],
    );
  });

  test("OPEN-58: updates the time of the last access, in the credential's details and in the list", async () => {
    const owner = await aPerson(app);
    const stored = await aCredential(app, owner);
    assert.equal(stored.last_accessed, null);
    const before = new Date().toISOString();
    await reveal(stored.id, owner);
    const { last_accessed } = await asStored(app, owner, stored.id);
    assert.ok(last_accessed !== null && last_accessed >= before);
    const list = await app.call(listCredentials, { as: owner.token });
    assert.equal(list.body.data[0]?.last_accessed, last_accessed);
  });

  test("gets the same reply for another user's credential as for a credential that does not exist", async () => {
    const [owner, admin] = [await aPerson(app), await aPerson(app, "admin")];
    const stored = await aCredential(app, owner);
    const [foreign, missing] = [await reveal(stored.id, admin), await reveal(crypto.randomUUID(), admin)];
    const without = (reply: typeof foreign) => ({ ...reply.body, request_id: null });
    assert.equal(foreign.status, 404);
    assert.deepEqual(without(foreign), without(missing));
    assert.equal((await asStored(app, owner, stored.id)).last_accessed, null);
  });
});

describe("a reveal during an edit", () => {
  const CORNER = 4711;

  /** Blocks every edit just before it commits, until the returned function is called. */
  async function holdEdits(context: TestContext): Promise<() => Promise<void>> {
    const holder = await app.database.pool.connect();
    await holder.query("select pg_advisory_lock($1)", [CORNER]);
    await app.database.pool.query(`
      create or replace function wait_at_the_corner() returns trigger language plpgsql as $$
      begin if new.event = 'credential.updated' then perform pg_advisory_xact_lock(${CORNER}); end if; return new; end $$;
      create or replace trigger corner before insert on audit_entries for each row execute function wait_at_the_corner()`);
    const unblock = async () => void (await holder.query("select pg_advisory_unlock_all()"));
    context.after(async () => {
      await unblock();
      holder.release();
      await app.database.pool.query("drop trigger corner on audit_entries");
    });
    return unblock;
  }

  const waitersFor = (type: string, count: number) =>
    eventually(async () => {
      const { rows } = await app.database.pool.query(
        `select from pg_locks join pg_stat_activity using (pid)
         where not granted and locktype = $1 and datname = current_database()`,
        [type],
      );
      return rows.length === count ? true : null;
    });

  test("waits for the edit and returns the new active secret", async (context) => {
    const owner = await aPerson(app);
    const [stored, other] = [await aCredential(app, owner), await aCredential(app, owner)];
    const value = aSecret();
    const unblock = await holdEdits(context);
    const body = CredentialEdit.parse({ name: stored.name, type: stored.type, value });
    const edit = app.call(updateCredential, { params: { id: stored.id }, body, as: owner.token });
    await waitersFor("advisory", 1);
    const reveals = [reveal(stored.id, owner), reveal(other.id, owner)];
    await waitersFor("transactionid", 1);
    await unblock();
    assert.equal((await edit).status, 200);
    assert.deepEqual(
      (await Promise.all(reveals)).map((reply) => reply.body),
      [{ value }, { value: other.value }],
    );
    assert.equal((await entriesOf(stored.id)).length, 1);
    assert.notEqual((await asStored(app, owner, stored.id)).last_accessed, null);
  });
});

describe("simultaneous reveals", () => {
  test("each call gets its own secret or its own refusal", async () => {
    const people = [await aPerson(app), await aPerson(app), await aPerson(app)];
    const stored = await Promise.all(
      people.flatMap((person) =>
        Array.from({ length: 5 }, () => aCredential(app, person).then((each) => ({ person, ...each }))),
      ),
    );
    const asks = stored.flatMap((each) =>
      people.map((person) => ({ each, person, isOwn: person.id === each.person.id })),
    );
    const mixed = [...asks, ...asks].toSorted((a, b) => a.each.id.slice(-4).localeCompare(b.each.id.slice(-4)));
    const replies = await Promise.all(mixed.map(({ each, person }) => reveal(each.id, person)));
    for (const [index, { each, isOwn }] of mixed.entries()) {
      assert.equal(replies[index]?.status, isOwn ? 200 : 404);
      if (isOwn) assert.equal(replies[index]?.body.value, each.value);
      else assert.ok(!replies[index]?.text.includes(each.value));
    }
    for (const each of stored) {
      const entries = await entriesOf(each.id);
      assert.equal(
        entries.filter((entry) => entry.result === "success" && entry.actor_id === each.person.id).length,
        2,
      );
      assert.equal(
        entries.filter((entry) => entry.result === "failure" && entry.actor_id !== each.person.id).length,
        4,
      );
    }
  });

  test("return 500 for an unreadable secret, record the failure, and return the other secrets", async () => {
    const owner = await aPerson(app);
    const [broken, ...whole] = [
      await aCredential(app, owner),
      await aCredential(app, owner),
      await aCredential(app, owner),
    ];
    await app.database.pool.query(
      "update secret_versions set envelope = set_byte(envelope, 70, get_byte(envelope, 70) # 1) where credential_id = $1",
      [broken.id],
    );
    const [refused, ...revealed] = await Promise.all([broken, ...whole].map((each) => reveal(each.id, owner)));
    assert.equal(refused?.status, 500);
    assert.ok(refused?.text.includes('"credential.unreadable"'), refused?.text);
    assert.deepEqual(
      revealed.map((reply) => reply.body.value),
      whole.map((each) => each.value),
    );
    assert.deepEqual(
      (await entriesOf(broken.id)).map((each) => [each.result, each.entry.reason]),
      [["failure", "credential.unreadable"]],
    );
  });

  test("all calls are refused when the audit trail cannot be written", async () => {
    const owner = await aPerson(app);
    const stored = [await aCredential(app, owner), await aCredential(app, owner)];
    await app.database.pool.query("alter table audit_pending rename to audit_pending_away");
    try {
      const replies = await Promise.all(stored.map((each) => reveal(each.id, owner)));
      for (const [index, reply] of replies.entries()) {
        assert.equal(reply.status, 500);
        assert.ok(!reply.text.includes(stored[index]?.value ?? "?"));
      }
    } finally {
      await app.database.pool.query("alter table audit_pending_away rename to audit_pending");
    }
    assert.equal((await asStored(app, owner, stored[0]!.id)).last_accessed, null);
    assert.deepEqual(await entriesOf(stored[0]!.id), []);
  });
});

describe("INVARIANT: an envelope opens only for the purpose, record, version and key that it was sealed for", () => {
  const isRefused = async (id: string, owner: TestPerson, values: string[], status = 500) => {
    const reply = await reveal(id, owner);
    assert.equal(reply.status, status, reply.text);
    for (const value of values) assert.ok(!reply.text.includes(value));
  };

  test("secrets swapped between two rows of one owner are refused", async () => {
    const owner = await aPerson(app);
    const [a, b] = [await aCredential(app, owner), await aCredential(app, owner)];
    await app.database.pool.query(
      "update secret_versions set envelope = (select envelope from secret_versions other where other.credential_id = any($1) and other.credential_id <> secret_versions.credential_id) where credential_id = any($1)",
      [[a.id, b.id]],
    );
    await isRefused(a.id, owner, [a.value, b.value]);
    await isRefused(b.id, owner, [a.value, b.value]);
  });

  test("a secret copied into another user's row is refused", async () => {
    const [owner, thief] = [await aPerson(app), await aPerson(app)];
    const [theirs, own] = [await aCredential(app, owner), await aCredential(app, thief)];
    await app.database.pool.query(
      "update secret_versions set envelope = (select envelope from secret_versions where credential_id = $1) where credential_id = $2",
      [theirs.id, own.id],
    );
    await isRefused(own.id, thief, [theirs.value, own.value]);
  });

  test("a row reassigned to another user is refused to that user", async () => {
    const [owner, thief] = [await aPerson(app), await aPerson(app)];
    const stored = await aCredential(app, owner);
    await aCredential(app, thief);
    await app.database.pool.query("update credentials set user_id = $1 where id = $2", [thief.id, stored.id]);
    // The active version was also authenticated under the original owner's key.
    await isRefused(stored.id, thief, [stored.value], 409);
  });

  test("an earlier version that replaces the active one is refused", async () => {
    const owner = await aPerson(app);
    const stored = await aCredential(app, owner);
    const value = aSecret();
    const body = CredentialEdit.parse({ name: "A credential", type: "application", value });
    await app.call(updateCredential, { params: { id: stored.id }, body, as: owner.token });
    await app.database.pool.query(
      "update secret_versions set envelope = (select envelope from secret_versions where credential_id = $1 and version = 1) where credential_id = $1 and version = 2",
      [stored.id],
    );
    await isRefused(stored.id, owner, [stored.value, value]);
  });

  test("a secret whose key is missing is refused, and other secrets are revealed", async () => {
    const [owner, other] = [await aPerson(app), await aPerson(app)];
    const [lost, kept] = [await aCredential(app, owner), await aCredential(app, other)];
    await app.database.pool.query(
      "update secret_versions set envelope = overlay(envelope placing decode('00112233445566778899aabbccddeeff', 'hex') from 5) where credential_id = $1",
      [lost.id],
    );
    const [refused, revealed] = await Promise.all([reveal(lost.id, owner), reveal(kept.id, other)]);
    assert.equal(refused.status, 500, refused.text);
    assert.equal(revealed.body.value, kept.value);
  });
});

describe("a concurrent reveal and deletion", () => {
  test("both complete, and no reveal is recorded after the deletion", async () => {
    const owner = await aPerson(app);
    for (let round = 0; round < 15; round++) {
      const stored = await aCredential(app, owner);
      const granted = async () => (await entriesOf(stored.id)).filter((entry) => entry.result === "success").length;
      const deletion = app.call(deleteCredential, { params: { id: stored.id }, as: owner.token });
      const grantedByThen = deletion.then(granted);
      const reveals = await Promise.all(Array.from({ length: 6 }, () => reveal(stored.id, owner)));
      assert.equal((await deletion).status, 200);
      const given = reveals.filter((reply) => reply.status === 200);
      assert.ok(given.every((reply) => reply.body.value === stored.value));
      assert.ok(reveals.every((reply) => reply.status === 200 || reply.status === 404));
      assert.equal(await grantedByThen, given.length);
      assert.equal(await granted(), given.length);
      assert.equal((await reveal(stored.id, owner)).status, 404);
    }
  });
});

test("a process that has not cached a vault's key reads the key from the database", async () => {
  const owner = await aPerson(app);
  const stored = await aCredential(app, owner);
  assert.ok(app.kernel.keys instanceof KeyRing);
  const second = await testApp({
    database: { ...app, connection: app.database.connection, drop: async () => {} },
    dataFolder: app.dataFolder,
  });
  try {
    const later = await aPerson(app);
    const fresh = await aCredential(app, later);
    for (const [person, each] of [
      [owner, stored],
      [later, fresh],
    ] as const) {
      const reply = await second.call(revealCredential, { params: { id: each.id }, body: {}, as: person.token });
      assert.equal(reply.body.value, each.value, reply.text);
    }
  } finally {
    await second.stopOnly();
  }
});
