// Tests over HTTP of range scans, of listeners at loopback addresses and a real sshd.
import {
  allowDiscoveryNetwork,
  cancelRangeScan,
  disallowDiscoveryNetwork,
  listDiscoveryNetworks,
  listDiscoveryTargets,
  listRangeScanHosts,
  listRangeScans,
  readRangeScan,
  startRangeScan,
} from "@strongroom/contract";
import type { InputOf, RangeScan } from "@strongroom/contract";
import { needs, startSshd, unixUsersAvailable } from "@strongroom/connectors/testing";
import assert from "node:assert/strict";
import { createServer, type Server } from "node:net";
import { after, before, describe, test } from "node:test";
import { anAccount } from "#testing/accounts.ts";
import { aPerson, firstAdmin } from "#testing/people.ts";
import { aMember } from "#testing/safes.ts";
import { eventually } from "#testing/waiting.ts";
import { SSH, aDiscoveryWorld, byId } from "../testing/discovery-world.ts";
import type { DiscoveryWorld } from "../testing/discovery-world.ts";
import { endAbandonedRange, runRange } from "./run-range.ts";

type NewRange = NonNullable<InputOf<typeof startRangeScan>["body"]>;

let app: DiscoveryWorld["app"];
let owner: DiscoveryWorld["owner"];
let safe: DiscoveryWorld["safe"];
let world: DiscoveryWorld;
let admin: { token: string };
let listener: Server;
let port: number;
let connections: string[];
before(async () => {
  world = await aDiscoveryWorld();
  ({ app, owner, safe } = world);
  admin = await firstAdmin(app);
  connections = [];
  listener = createServer((socket) => {
    connections.push(socket.localAddress!);
    socket.on("error", () => undefined);
    socket.write("220 a listener\r\n");
  });
  await new Promise<void>((resolve) => listener.listen(0, "127.80.0.7", resolve));
  port = (listener.address() as { port: number }).port;
  const allowed = { body: { network: "127.80.0.0/16", description: "The lab" }, as: admin.token };
  const reply = await app.call(allowDiscoveryNetwork, allowed);
  assert.equal(reply.status, 201, reply.text);
});
after(async () => {
  listener.close();
  await app.close();
});

const aRange = (more: Partial<NewRange> = {}): NewRange => ({
  name: "The lab",
  safeId: safe.id,
  ranges: ["127.80.0.0/28"],
  ports: [port],
  rate: 2000,
  timeout: 500,
  ...more,
});
const start = (more: Partial<NewRange> = {}, as = owner.token) => app.call(startRangeScan, { body: aRange(more), as });
const ended = ({ id }: Pick<RangeScan, "id">): Promise<RangeScan> =>
  eventually(async () => {
    const { body } = await app.call(readRangeScan, { ...byId({ id }), as: owner.token });
    return ["pending", "running"].includes(body.status) ? null : body;
  });
async function ranged(more: Partial<NewRange> = {}): Promise<RangeScan> {
  const started = await start(more);
  assert.equal(started.status, 202, started.text);
  return ended(started.body);
}
const hostsOf = async (scan: Pick<RangeScan, "id">, query = {}) =>
  (await app.call(listRangeScanHosts, { ...byId(scan), query, as: owner.token })).body;

test("finds the hosts that listen, without excluded ones, and reports the progress", async () => {
  const scan = await ranged();
  assert.deepEqual(
    [scan.status, scan.addresses, scan.addresses_scanned, scan.hosts_found, scan.addresses_refused],
    ["completed", 16, 16, 1, 0],
  );
  const { data } = await hostsOf(scan);
  assert.deepEqual(
    data.map(({ address, services }) => [address, services.map((each) => [each.port, each.protocol, each.banner])]),
    [["127.80.0.7", [[port, "unknown", "220 a listener"]]]],
  );
  const mark = connections.length;
  const without = await ranged({ exclusions: ["127.80.0.6/31"] });
  assert.deepEqual([without.addresses, without.hosts_found], [14, 0]);
  assert.equal(connections.length, mark, "nothing is sent to an excluded address");
  const { body } = await app.call(listRangeScans, { query: { status: "completed" }, as: owner.token });
  assert.deepEqual(
    body.data.slice(0, 2).map(({ id }) => id),
    [without.id, scan.id],
  );
});

describe("INVARIANT: a range scan touches only networks that an administrator allowed", () => {
  test("a range outside them is refused, also partly", async () => {
    for (const range of ["10.0.0.0/24", "127.80.255.0-127.81.0.1", "::1", "127.0.0.0/8"]) {
      const reply = await start({ ranges: ["127.80.0.1", range] });
      assert.equal(reply.status, 422, reply.text);
    }
  });

  test("only administrators change the list; everyone sees it", async () => {
    const body = { network: "10.0.0.0/8" };
    assert.equal((await app.call(allowDiscoveryNetwork, { body, as: owner.token })).status, 403);
    const [lab] = (await app.call(listDiscoveryNetworks, { as: owner.token })).body.data;
    assert.equal(lab?.network, "127.80.0.0/16");
    assert.equal((await app.call(disallowDiscoveryNetwork, { ...byId(lab), as: owner.token })).status, 403);
    const wrong = await app.call(allowDiscoveryNetwork, { body: { network: "10.0.0.0/40" }, as: admin.token });
    assert.equal(wrong.status, 422);
  });

  test("a network that is no longer allowed ends a scan when its job restarts", async () => {
    const made = await app.call(allowDiscoveryNetwork, { body: { network: "127.81.0.0/24" }, as: admin.token });
    const { id } = await ranged({ ranges: ["127.81.0.0/30"] });
    await app.call(disallowDiscoveryNetwork, { ...byId(made.body), as: admin.token });
    const reopen = "update discovery_range_scans set status = 'running', completed_at = null where id = $1";
    await app.database.pool.query(reopen, [id]);
    const job = { id, data: {}, attempt: 2, signal: AbortSignal.timeout(10_000), progress: () => Promise.resolve() };
    await runRange({ kernel: app.kernel } as Parameters<typeof runRange>[0], job);
    assert.equal((await ended({ id })).error, "network-not-allowed");
    assert.equal((await start({ ranges: ["127.81.0.0/24"] })).status, 422);
  });

  test("addresses that the server's network policy refuses are counted and not touched", async () => {
    const allowed = await app.call(allowDiscoveryNetwork, { body: { network: "169.254.0.0/16" }, as: admin.token });
    assert.equal(allowed.status, 201);
    const scan = await ranged({ ranges: ["169.254.169.254", "127.80.0.7"] });
    assert.deepEqual([scan.addresses_refused, scan.hosts_found], [1, 1]);
  });
});

describe("limits", () => {
  const wrong: [string, () => Partial<NewRange>, number][] = [
    ["more than 65,536 addresses", () => ({ ranges: ["127.80.0.0/16", "127.80.0.0/15"] }), 422],
    ["text that is no range", () => ({ ranges: ["lab.example.com"] }), 422],
    ["exclusions that leave nothing", () => ({ exclusions: ["127.80.0.0/16"] }), 422],
    ["no range", () => ({ ranges: [] }), 400],
    ["33 ports", () => ({ ports: Array.from({ length: 33 }, (_, index) => index + 1) }), 400],
    ["a rate above 2,000", () => ({ rate: 2001 }), 400],
  ];
  for (const [what, more, status] of wrong) {
    test(`refuses ${what}`, async () => {
      assert.equal((await start(more())).status, status);
    });
  }
});

describe("permissions", () => {
  test("starting needs `add` in the safe; others do not see the scan or its hosts", async () => {
    const scan = await ranged();
    const outsider = await aPerson(app, "manager");
    const as = outsider.token;
    for (const reply of [
      await start({}, as),
      await app.call(readRangeScan, { ...byId(scan), as }),
      await app.call(listRangeScanHosts, { ...byId(scan), as }),
      await app.call(cancelRangeScan, { ...byId(scan), as }),
    ]) {
      assert.equal(reply.status, 404, reply.text);
    }
    assert.deepEqual((await app.call(listRangeScans, { as })).body.data, []);
    await aMember(app, owner, safe, outsider, ["list", "view_audit"]);
    assert.equal((await app.call(readRangeScan, { ...byId(scan), as })).body.can_manage, false);
    assert.equal((await app.call(cancelRangeScan, { ...byId(scan), as })).status, 403);
  });

  test("a rule needs permission to retrieve its credential", async () => {
    const account = await anAccount(app, owner, safe, { ...SSH, hostname: "scanned.example.com" });
    const user = await aPerson(app, "manager");
    await aMember(app, owner, safe, user, ["list", "use", "add"]);
    const credentials = [{ targetType: "linux", credentialId: account.id }] as const;
    assert.equal((await start({ credentials: [...credentials], createsTargets: true }, user.token)).status, 403);
  });
});

test("a running scan is cancelled once", async () => {
  const started = await start({ ranges: ["127.80.0.0/16"], ports: [1], rate: 50 });
  await eventually(async () => {
    const { body } = await app.call(readRangeScan, { ...byId(started.body), as: owner.token });
    return body.status === "running" && body.addresses_scanned > 0 ? true : null;
  });
  const cancel = () => app.call(cancelRangeScan, { ...byId(started.body), as: owner.token });
  assert.deepEqual([(await cancel()).body.status, (await cancel()).status], ["cancelled", 409]);
  await eventually(async () => {
    const { rows } = await app.database.pool.query("select state from job_runs where id = $1", [started.body.id]);
    return rows[0]?.state === "cancelled" ? true : null;
  });
});

test("a scan whose process was killed too often ends as interrupted", async () => {
  const { body } = await start();
  await ended(body);
  await app.database.pool.query(
    "update discovery_range_scans set status = 'running', completed_at = null where id = $1",
    [body.id],
  );
  await endAbandonedRange({ kernel: app.kernel } as Parameters<typeof endAbandonedRange>[0], body.id);
  assert.equal((await ended(body)).error, "interrupted");
});

test(
  "a found SSH host becomes a target by rule, with the host key that the scan saw",
  needs(unixUsersAvailable()),
  async () => {
    const sshd = await startSshd();
    try {
      const allowed = await app.call(allowDiscoveryNetwork, { body: { network: `${sshd.host}/32` }, as: admin.token });
      assert.equal(allowed.status, 201, allowed.text);
      const account = await anAccount(app, owner, safe, { ...SSH, hostname: "scanned.example.com" });
      const rule = {
        ranges: [sshd.host],
        ports: [sshd.port],
        credentials: [{ targetType: "linux" as const, credentialId: account.id }],
        createsTargets: true,
      };
      const scan = await ranged(rule);
      await ranged(rule);
      const { data } = (await app.call(listDiscoveryTargets, { as: owner.token })).body;
      assert.deepEqual(
        data.map((each) => [each.hostname, each.settings.port, each.target_type, each.credential_id, each.host_key]),
        [[sshd.host, sshd.port, "linux", account.id, await sshd.hostKey()]],
      );
      const [host] = (await hostsOf(scan, { protocol: "ssh" })).data;
      assert.deepEqual([host?.services[0]?.target_type, host?.services[0]?.target_id], ["linux", data[0]!.id]);
    } finally {
      await sshd.stop();
    }
  },
);
