// Tests that dependents of an account are updated and verified after its password was rotated.
import {
  AccountEdit,
  addDependent,
  listDependents,
  removeDependent,
  updateAccount,
  updateDependent,
} from "@strongroom/contract";
import type { Account, AccountId, Dependent, DependentConfig, InputOf } from "@strongroom/contract";
import {
  logInBare,
  mariadbAvailable,
  needs,
  sshdAvailable,
  startMariadb,
  startSshd,
  unixUsersAvailable,
} from "@strongroom/connectors/testing";
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, test } from "node:test";
import { anAccount } from "#testing/accounts.ts";
import { aPerson } from "#testing/people.ts";
import type { TestPerson } from "#testing/people.ts";
import { aMember } from "#testing/safes.ts";
import { eventually } from "#testing/waiting.ts";
import { DATABASE, onPostgresql } from "../testing/on-postgresql.ts";
import type { PostgresqlSetup } from "../testing/on-postgresql.ts";

let place: PostgresqlSetup;
let owner: TestPerson;
before(async () => {
  place = await onPostgresql();
  owner = await aPerson(place.app);
});
after(() => place.close());

const asStored = ({ name, hostname_ip: hostname, username, platform_id }: Account) => ({
  ...DATABASE,
  name,
  hostname,
  port: place.target.port,
  username,
  platform_id,
});

type Body = NonNullable<InputOf<typeof addDependent>["body"]>;

async function depends(id: AccountId, config: Body["config"], as = owner) {
  return place.app.call(addDependent, { params: { id }, body: { name: `A ${config.kind}`, config }, as: as.token });
}

/** Waits for a dependent in this state and returns it. */
const inState = (id: AccountId, state: Dependent["state"]) =>
  eventually(async () => {
    const { body } = await place.app.call(listDependents, { params: { id }, as: owner.token });
    return body.dependents.find((each) => each.state === state) ?? null;
  });

test("a webhook receives a signed call without the password; the call is repeated until the webhook answers", async () => {
  const heard: { body: string; signature: string }[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk: Buffer) => (body += chunk.toString()));
    request.on("end", () => {
      heard.push({ body, signature: String(request.headers["strongroom-signature"]) });
      response.writeHead(heard.length === 1 ? 500 : 204).end();
    });
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  try {
    const { account } = await place.anAccountThere(owner);
    const { port } = server.address() as AddressInfo;
    const added = await depends(account.id, { kind: "webhook", url: `http://127.0.0.1:${port}/changed` });
    assert.equal(added.status, 201, added.text);
    assert.equal((await place.rotate(owner, account.id)).state, "rotated");
    const dependent = await inState(account.id, "current");
    assert.equal(dependent.tries, 0);
    assert.equal(heard.length, 2, "once refused, once taken");
    const [{ body, signature }] = heard.slice(-1) as [(typeof heard)[number]];
    const expected = createHmac("sha256", added.body.signing_key!).update(body).digest("hex");
    assert.equal(signature, `sha256=${expected}`);
    assert.equal((JSON.parse(body) as { version: number }).version, 2);
    assert.ok(!body.includes(await place.passwordOf(owner, account.id)));
    const listed = await place.app.call(listDependents, { params: { id: account.id }, as: owner.token });
    assert.ok(!listed.text.includes(added.body.signing_key!), "the key is told once");
    const params = { id: account.id, dependentId: dependent.id };
    assert.equal((await place.app.call(removeDependent, { params, as: owner.token })).status, 200);
    assert.equal((await place.app.call(updateDependent, { params, as: owner.token })).status, 404);
  } finally {
    server.close();
  }
});

test("a dependent account stores the new password, and another stored account sets it for a linked user", async () => {
  const { account, safe, platform } = await place.anAccountThere(owner);
  const twin = await place.anAccountThere(owner, { safe });
  const { superuser, host: hostname, port } = place.target;
  const via = await anAccount(place.app, owner, safe, {
    ...DATABASE,
    ...superuser,
    hostname,
    port,
    platform_id: platform.id,
  });
  const linked = await place.target.addRole();
  for (const config of [
    { kind: "account", account_id: twin.account.id },
    { kind: "linked-user", via_account_id: via.id, username: linked.username },
  ] satisfies DependentConfig[]) {
    assert.equal((await depends(account.id, config)).status, 201);
  }
  assert.equal((await depends(account.id, { kind: "account", account_id: account.id })).status, 422);
  assert.equal((await place.rotate(owner, account.id)).state, "rotated");
  const password = await place.passwordOf(owner, account.id);
  await eventually(async () => {
    const { body } = await place.app.call(listDependents, { params: { id: account.id }, as: owner.token });
    return body.dependents.every(({ state }) => state === "current") ? true : null;
  });
  assert.equal(await place.passwordOf(owner, twin.account.id), password);
  assert.equal(await place.logsIn(linked.username, password), true);

  const body = AccountEdit.parse({ ...asStored(account), password: "stored-by-hand-1" });
  assert.equal(
    (await place.app.call(updateAccount, { params: { id: account.id }, body, as: owner.token })).status,
    200,
  );
  const { dependents } = (await place.app.call(listDependents, { params: { id: account.id }, as: owner.token })).body;
  for (const { state, message } of dependents) {
    assert.equal(state, "attention");
    assert.match(message ?? "", /does not have it yet/);
  }
  assert.equal(
    await place.passwordOf(owner, twin.account.id),
    password,
    "an unverified secret is not sent to dependents",
  );
});

test("a linked user's password is not sent to a different host until a user with access to both accounts requests it", async () => {
  const { account, platform } = await place.anAccountThere(owner);
  const { safe } = await place.anAccountThere(owner);
  const { superuser, host: hostname, port } = place.target;
  const stored = { ...DATABASE, ...superuser, hostname, port, platform_id: platform.id };
  const via = await anAccount(place.app, owner, safe, stored);
  const linked = await place.target.addRole();
  const config = { kind: "linked-user", via_account_id: via.id, username: linked.username } as const;
  const added = await depends(account.id, config);
  assert.equal(added.status, 201, added.text);
  const editor = await aPerson(place.app);
  await aMember(place.app, owner, safe, editor, ["list", "retrieve", "update_properties"]);
  const redirect = (to: string) => {
    const { password: _kept, ...rest } = stored;
    const body = AccountEdit.parse({ ...rest, name: via.name, hostname: to });
    return place.app.call(updateAccount, { params: { id: via.id }, body, as: editor.token });
  };
  const moved = await redirect("localhost");
  assert.equal(moved.status, 200, moved.text);
  assert.equal((await place.rotate(owner, account.id)).state, "rotated");
  assert.match((await inState(account.id, "waiting")).message ?? "", /address of the account .* was changed/);
  assert.equal(await place.logsIn(linked.username, await place.passwordOf(owner, account.id)), false);

  const params = { id: account.id, dependentId: added.body.id };
  assert.equal((await place.app.call(updateDependent, { params, as: owner.token })).status, 200);
  await inState(account.id, "current");
  assert.equal(await place.logsIn(linked.username, await place.passwordOf(owner, account.id)), true);
});

test("adding a dependent requires the permission to retrieve the secret; a dependent whose account was deleted needs attention", async () => {
  const { account, safe } = await place.anAccountThere(owner);
  const steward = await aPerson(place.app);
  await aMember(place.app, owner, safe, steward, ["list", "update_properties", "manage_secret"]);
  const hook = { kind: "webhook", url: "https://example.com/hook" } as const;
  assert.equal((await depends(account.id, hook, steward)).status, 403);
  assert.equal((await depends(account.id, hook, await aPerson(place.app))).status, 404);
  const foreign = await place.anAccountThere(await aPerson(place.app));
  const elsewhere = { kind: "account", account_id: foreign.account.id } as const;
  assert.equal((await depends(account.id, elsewhere)).status, 404);

  const unreachable = { kind: "webhook", url: "http://127.0.0.1:1/" } as const;
  const added = await depends(account.id, unreachable);
  const params = { id: account.id, dependentId: added.body.id };
  const seen = async (as: TestPerson) =>
    (await place.app.call(listDependents, { params: { id: account.id }, as: as.token })).body.dependents[0];
  const viewer = await aPerson(place.app);
  await aMember(place.app, owner, safe, viewer, ["list", "retrieve"]);
  assert.deepEqual((await seen(steward))?.config, unreachable);
  assert.deepEqual([(await seen(viewer))?.name, (await seen(viewer))?.config], ["A webhook", null]);
  assert.equal((await place.app.call(updateDependent, { params, as: owner.token })).status, 200);
  const waiting = await inState(account.id, "waiting");
  assert.match(waiting.message ?? "", /refused the connection/);
  await place.sql("update account_dependents set tries = 7, next_at = now() where id = $1", added.body.id);
  assert.equal((await inState(account.id, "attention")).next_at, null);
});

test("INVARIANT: a dependent never exceeds its requester's permissions: the engine skips secrets that the requester may no longer retrieve", async () => {
  const { account } = await place.anAccountThere(owner);
  const keeper = await aPerson(place.app);
  const { account: via, safe } = await place.anAccountThere(keeper);
  await aMember(place.app, keeper, safe, owner, ["list", "retrieve"]);
  const config = { kind: "ssh-file", via_account_id: via.id, path: "/etc/cron.d/x", template: "{{password}}" } as const;
  const added = await depends(account.id, config);
  assert.equal(added.status, 201, added.text);
  await place.sql("delete from safe_members where safe_id = $1 and user_id = $2", safe.id, owner.id);
  const params = { id: account.id, dependentId: added.body.id };
  assert.equal((await place.app.call(updateDependent, { params, as: owner.token })).status, 200);
  assert.match((await inState(account.id, "waiting")).message ?? "", /can no longer retrieve the secrets/);
  const used = await place.sql(
    "select from audit_entries where target_id = $1 and event = 'rotation.secret-used'",
    via.id,
  );
  assert.equal(used.length, 0, "it was opened");
});

test("a secret whose active version was set back in the database is not used for a dependent, and raises an alarm", async () => {
  for (const which of ["account", "via"] as const) {
    const { account, safe } = await place.anAccountThere(owner);
    const { account: via } = await place.anAccountThere(owner, { safe });
    const tampered = { account, via }[which];
    assert.equal((await place.rotate(owner, tampered.id)).state, "rotated");
    const config = {
      kind: "ssh-file",
      via_account_id: via.id,
      path: "/etc/app.conf",
      template: "{{password}}",
    } as const;
    const added = await depends(account.id, config);
    assert.equal(added.status, 201, added.text);
    const entries = (event: string) =>
      place.sql(
        "select target_id from audit_entries where target_id = any($1) and event = $2",
        [account.id, via.id],
        event,
      );
    const usedBefore = await entries("rotation.secret-used");
    await place.sql("update credentials set secret_version = 1 where id = $1", tampered.id);
    const params = { id: account.id, dependentId: added.body.id };
    assert.equal((await place.app.call(updateDependent, { params, as: owner.token })).status, 200);
    assert.match((await inState(account.id, "waiting")).message ?? "", /was changed in the database/);
    const alarms = await eventually(async () => {
      const found = await entries("credential.version-mismatch");
      return found.length > 0 ? found : null;
    });
    assert.deepEqual(alarms, [{ target_id: tampered.id }]);
    assert.deepEqual(await entries("rotation.secret-used"), usedBefore, which);
  }
});

test(
  "the engine writes the new password to a file on a host over SSH",
  needs(sshdAvailable(), unixUsersAvailable()),
  async () => {
    const sshd = await startSshd();
    try {
      const user = await sshd.addUser();
      const { account, safe } = await place.anAccountThere(owner);
      const login = { hostname: sshd.host, port: sshd.port, username: user.username, password: user.password };
      const via = await anAccount(place.app, owner, safe, { ...login, system_type: "Linux", connection_method: "SSH" });
      const path = `/tmp/${user.username} it's.conf`;
      const template = "user={{username}}\npassword={{password}}\n";
      const added = await depends(account.id, { kind: "ssh-file", via_account_id: via.id, path, template });
      assert.equal(added.status, 201, added.text);
      assert.equal((await place.rotate(owner, account.id)).state, "rotated");
      await inState(account.id, "current");
      const { readFileSync, rmSync, statSync } = await import("node:fs");
      const password = await place.passwordOf(owner, account.id);
      assert.equal(readFileSync(path, "utf8"), `user=${account.username}\npassword=${password}\n`);
      assert.equal(statSync(path).mode & 0o777, 0o600);
      rmSync(path);
    } finally {
      await sshd.stop();
    }
  },
);

test("a stored account sets the new password of a linked MariaDB user", needs(mariadbAvailable()), async () => {
  const elsewhere = await startMariadb();
  try {
    const { host: hostname, port } = elsewhere;
    const [administrator, linked] = [await elsewhere.addUser(), await elsewhere.addUser()];
    await elsewhere.sql(`grant all on *.* to ${administrator.username}@'127.0.0.1' with grant option`);
    const { account, safe } = await place.anAccountThere(owner);
    const via = await anAccount(place.app, owner, safe, {
      ...administrator,
      hostname,
      port,
      system_type: "mysql",
      connection_method: "SQL",
      database_name: "app",
    });
    const config = { kind: "linked-user", via_account_id: via.id, username: linked.username } as const;
    assert.equal((await depends(account.id, config)).status, 201);
    assert.equal((await place.rotate(owner, account.id)).state, "rotated");
    await inState(account.id, "current");
    const login = { system: "MariaDB", host: hostname, port, username: linked.username } as const;
    await logInBare({ ...login, password: await place.passwordOf(owner, account.id) });
    await assert.rejects(logInBare({ ...login, password: linked.password }), /Access denied/);
  } finally {
    await elsewhere.stop();
  }
});
