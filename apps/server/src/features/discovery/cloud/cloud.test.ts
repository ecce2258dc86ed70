// Tests of cloud discovery through the calls, against a fake AWS that checks signatures.
import { listCloudResources, readCloudResource, startCloudDiscovery } from "@strongroom/contract";
import type { CloudResource, DiscoveryTarget, InputOf } from "@strongroom/contract";
import { needs, opensslAvailable, startFakeAws } from "@strongroom/connectors/testing";
import type { FakeAws } from "@strongroom/connectors/testing";
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { anAccount } from "#testing/accounts.ts";
import { anAwsTarget } from "../testing/aws-target.ts";
import { aPerson } from "#testing/people.ts";
import { SSH, aDiscoveryWorld, byId } from "../testing/discovery-world.ts";
import type { DiscoveryWorld } from "../testing/discovery-world.ts";

describe("cloud discovery", needs(opensslAvailable()), () => {
  let world: DiscoveryWorld;
  let aws: FakeAws;
  let target: DiscoveryTarget;
  before(async () => {
    [world, aws] = await Promise.all([aDiscoveryWorld(), startFakeAws()]);
    target = await anAwsTarget(world, aws);
  });
  after(async () => {
    await Promise.all([world?.app.close(), aws?.stop()]);
  });

  const start = (targetId: DiscoveryTarget["id"], regions: string[] = [], who = world.owner) =>
    world.app.call(startCloudDiscovery, { body: { targetId, regions }, as: who.token });
  async function resources(query: InputOf<typeof listCloudResources>["query"] = {}): Promise<CloudResource[]> {
    const reply = await world.app.call(listCloudResources, { query, as: world.owner.token });
    assert.equal(reply.status, 200, reply.text);
    return reply.body.data;
  }
  const namesOf = (list: readonly CloudResource[]) => list.map(({ name }) => name).toSorted();

  test("API-69, API-70, API-71: a discovery stores what the account contains, with filters, and marks what is gone", async () => {
    aws.roles.set("deployer", "scanner");
    aws.secrets.set("eu-central-1", ["prod/database", "prod/mail"]);
    aws.parameters.set("eu-west-1", [{ name: "/app/token", isEncrypted: true }]);
    const regions = ["eu-central-1", "eu-west-1"];
    const started = await start(target.id, regions);
    assert.equal(started.status, 202, started.text);
    assert.equal((await world.ended(started.body)).status, "completed");
    assert.deepEqual(namesOf(await resources({ provider: "aws", region: "eu-central-1" })), [
      "prod/database",
      "prod/mail",
    ]);
    assert.deepEqual(namesOf(await resources({ kind: "iam_role" })), ["deployer"]);
    assert.deepEqual(namesOf(await resources({ search: "TOKEN" })), ["/app/token"]);
    const { body } = await world.app.call(listCloudResources, { query: { kind: "secret" }, as: world.owner.token });
    assert.deepEqual(body.regions, [...regions, "global"]);
    const [first] = await resources({ limit: "1" });
    const one = await world.app.call(readCloudResource, { ...byId(first!), as: world.owner.token });
    assert.deepEqual([one.status, one.body], [200, first]);
    const key = (await resources({ kind: "access_key" })).find(({ name }) => name === "scanner, key 1");
    assert.deepEqual(key?.facts["rotatedAt"], "2024-02-03T04:05:06.000Z");

    // A refused list says nothing about what is gone; a complete one does.
    aws.secrets.set("eu-central-1", ["prod/mail"]);
    aws.parameters.set("eu-west-1", []);
    aws.answerOnce("AmazonSSM.DescribeParameters", { code: "AccessDeniedException", status: 400 });
    const again = await start(target.id, ["eu-west-1", "eu-central-1"]);
    const ended = await world.ended(again.body);
    assert.ok(ended.metadata?.commands.some(({ success, error }) => !success && error !== ""));
    const gone = (await resources()).filter(({ missing_since }) => missing_since !== null);
    assert.deepEqual(namesOf(gone), ["prod/database"]);
  });

  test("INVARIANT: another user learns nothing about the resources, and no value is requested", async () => {
    const stranger = await aPerson(world.app, "manager");
    const [known] = await resources({ limit: "1" });
    const list = await world.app.call(listCloudResources, { as: stranger.token });
    assert.deepEqual([list.status, list.body.data], [200, []]);
    const one = await world.app.call(readCloudResource, { ...byId(known!), as: stranger.token });
    assert.equal(one.status, 404);
    assert.equal((await start(target.id, [], stranger)).status, 404);
    assert.ok(!aws.requests().some((action) => /GetSecretValue|GetParameter/.test(action)));
  });

  test("refuses targets of other types and invalid regions", async () => {
    const { app, owner, safe, linuxTarget, aTarget } = world;
    const account = await anAccount(app, owner, safe, { ...SSH, hostname: "scanned.example.com" });
    const host = await aTarget(linuxTarget(account, { host: "127.0.0.1", port: 1 }));
    const refused = await start(host.id);
    assert.equal(refused.status, 422);
    assert.match(refused.text, /discovery\.not-a-cloud/);
    for (const region of ["evil.example.com", "eu-central-1.evil", "../eu", ""])
      assert.equal((await start(target.id, [region])).status, 400, region);
  });
});
