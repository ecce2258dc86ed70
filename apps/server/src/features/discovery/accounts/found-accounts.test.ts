// Tests of the search, the filters and the counts of discovered accounts.
import { listDiscoveredAccounts } from "@strongroom/contract";
import type { DiscoveryTarget, InputOf } from "@strongroom/contract";
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, test } from "node:test";
import { anAccount } from "#testing/accounts.ts";
import { SSH, aDiscoveryWorld } from "../testing/discovery-world.ts";
import type { DiscoveryWorld } from "../testing/discovery-world.ts";

const HOST = "Web-01.internal";

let world: DiscoveryWorld;
let target: DiscoveryTarget;
before(async () => {
  world = await aDiscoveryWorld();
  const { app, linuxTarget, aTarget, anyCredential, owner, safe } = world;
  target = await aTarget(linuxTarget(await anyCredential(), { host: HOST, port: 22 }));
  await anAccount(app, owner, safe, { ...SSH, hostname: HOST, username: "Zebra_1" });
  // 1,200 ordinary accounts, and a few that searches and filters find among them.
  const names = [...Array.from({ length: 1200 }, (_, number) => `worker${number}`), "Zebra_1", "100%", "ops"];
  await app.database.pool.query(
    `insert into discovered_accounts (id, target_id, identity, account_name, hostname, system_type, status, is_privileged,
       privilege, is_locked, facts, changes, discovered_at, last_seen_at, missing_since, scan_id, last_scan_id)
     select gen_random_uuid(), $1, name, name, $2, 'linux', 'pending_approval', name = 'ops',
       case name when 'ops' then 'sudo-all' end, false, '{}', '[]', now(), now(),
       case name when '100%' then now() end, $3, $3
     from unnest($4::text[]) name`,
    [target.id, HOST, randomUUID(), names],
  );
});
after(() => world.app.close());

async function listed(query: InputOf<typeof listDiscoveredAccounts>["query"]) {
  const reply = await world.app.call(listDiscoveredAccounts, {
    query: { status: "all", limit: "5", ...query },
    as: world.owner.token,
  });
  assert.equal(reply.status, 200, reply.text);
  const { data, total, is_total_capped } = reply.body;
  return { names: data.map(({ account_name }) => account_name), total, isCapped: is_total_capped };
}

test("a search finds parts of names and hosts ignoring case, however rare or common", async () => {
  for (const search of ["zebra_1", "EBRA", "ra_", "_1"])
    assert.deepEqual(await listed({ search }), { names: ["Zebra_1"], total: 1, isCapped: false }, search);
  // Characters with a meaning in patterns are literal.
  for (const search of ["100%", "%"]) assert.deepEqual((await listed({ search })).names, ["100%"], search);
  assert.deepEqual(await listed({ search: "nowhere" }), { names: [], total: 0, isCapped: false });
  const common = await listed({ search: "WEB-01.INT" });
  assert.deepEqual([common.names.length, common.total, common.isCapped], [5, 1000, true]);
  assert.equal((await listed({ search: "worker1199" })).total, 1);
});

test("the total counts what each filter matches", async () => {
  assert.deepEqual(await listed({ managed: "true" }), { names: ["Zebra_1"], total: 1, isCapped: false });
  assert.deepEqual(await listed({ presence: "missing" }), { names: ["100%"], total: 1, isCapped: false });
  assert.deepEqual(await listed({ privilege: "sudo-all" }), { names: ["ops"], total: 1, isCapped: false });
  assert.deepEqual((await listed({ privilege: "root" })).total, 0);
  assert.deepEqual((await listed({ system: "windows" })).total, 0);
  const all = await listed({});
  assert.deepEqual([all.total, all.isCapped], [1203, false]);
});
