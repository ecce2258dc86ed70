// Attacks with other users' proofs: replayed, expired and stolen tickets, other users' keys, and rights that have ended.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { addSshKey, removeSafeMember, startPrivilegedSession } from "@strongroom/contract";
import type { AccountId, SafeId } from "@strongroom/contract";
import { needs, unixUsersAvailable } from "@strongroom/connectors/testing";
import { gatewayHostKey } from "@strongroom/server/features/sessions/index.ts";
import { aPerson, type TestPerson } from "@strongroom/server/testing/people.ts";
import { aMember } from "@strongroom/server/testing/safes.ts";
import { sql } from "kysely";
import { startGatewayWorld, type GatewayWorld } from "../../testing/gateway-world.ts";
import { openssh, type Openssh } from "../../testing/openssh.ts";

describe("a stolen or outdated proof", needs(unixUsersAvailable()), () => {
  let world: GatewayWorld;
  let client: Openssh;
  let safeId: SafeId;

  before(async () => {
    world = await startGatewayWorld();
    client = openssh(world.sshPort, (await gatewayHostKey(world.app.kernel)).publicLine);
    const { rows } = await sql<{ safe_id: SafeId }>`
      select safe_id from credentials where id = ${world.accountId}`.execute(world.app.database.db);
    safeId = rows[0]!.safe_id;
  });
  after(async () => {
    client.remove();
    await world.stop();
  });

  async function aTicket(as: TestPerson = world.owner): Promise<string> {
    const params = { id: world.accountId as AccountId };
    const made = await world.app.call(startPrivilegedSession, { params, body: { client: "native" }, as: as.token });
    assert.equal(made.status, 201, made.text);
    return made.body.ticket;
  }

  const run = (name: string, secret: string, options: string[] = []) =>
    client.ssh(name, ["echo ran"], { answers: { "API token": secret, assword: secret }, options });

  const nameFor = (email: string) => `${email}%${world.user.username}%${world.sshd.host}`;

  test("only one of ten clients that replay a ticket at the same time runs its command", async () => {
    const ticket = await aTicket();
    const all = await Promise.all(Array.from({ length: 10 }, () => run(world.accountId, ticket)));
    assert.equal(all.filter(({ stdout }) => stdout === "ran\n").length, 1);
    assert.equal((await run(world.accountId, ticket)).stdout, "");
  });

  test("an expired ticket is refused", async () => {
    const ticket = await aTicket();
    await sql`update session_tickets set expires_at = access_time() - interval '1 second' where used_at is null`.execute(
      world.app.database.db,
    );
    assert.equal((await run(world.accountId, ticket)).status, 255);
  });

  test("a ticket is refused from another address", async () => {
    const ticket = await aTicket();
    const stolen = await run(world.accountId, ticket, ["-b", "127.0.0.2"]);
    assert.deepEqual([stolen.status, stolen.stdout], [255, ""]);
    assert.equal((await run(world.accountId, ticket)).stdout, "ran\n", "its owner can still use it");
  });

  test("a user cannot use another user's ticket", async () => {
    const thief = await aPerson(world.app);
    const ticket = await aTicket();
    assert.equal((await run(nameFor(thief.email), ticket)).status, 255);
  });

  test("the ticket of a user who has since been disabled is refused", async () => {
    const user = await aPerson(world.app);
    await aMember(world.app, world.owner, { id: safeId }, user, ["list", "use"]);
    const ticket = await aTicket(user);
    await sql`update users set status = 'disabled' where id = ${user.id}`.execute(world.app.database.db);
    assert.equal((await run(world.accountId, ticket)).stdout, "");
  });

  test("rights that are lost on a shared connection refuse its next program", async () => {
    const user = await aPerson(world.app);
    const member = await aMember(world.app, world.owner, { id: safeId }, user, ["list", "use"]);
    const path = join(client.folder, "shared-key");
    execFileSync("ssh-keygen", ["-q", "-N", "", "-t", "ed25519", "-f", path]);
    const body = { name: "laptop", public_key: readFileSync(`${path}.pub`, "utf8"), expires_in_days: 30 };
    assert.equal((await world.app.call(addSshKey, { body, as: user.token })).status, 201);
    const control = ["-o", `ControlPath=${join(client.folder, "shared")}`, "-o", "ControlPersist=60"];
    const options = ["-i", path, "-o", "IdentitiesOnly=yes", ...control];
    const shared = (command: string, more: string[] = []) =>
      client.ssh(world.accountId, [command], { options: [...options, ...more] });
    const first = await shared("echo first", ["-o", "ControlMaster=yes"]);
    assert.equal(first.stdout, "first\n", first.stderr);
    const params = { id: safeId, member_id: member.id };
    const removed = await world.app.call(removeSafeMember, { params, as: world.owner.token });
    assert.equal(removed.status, 200, removed.text);
    const second = await shared("echo second");
    assert.notEqual(second.stdout, "second\n");
    await client.ssh(world.accountId, [], { options: [...options, "-O", "exit"] });
  });
});
