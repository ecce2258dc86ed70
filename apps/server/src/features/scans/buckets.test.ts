// Tests of enhanced scans of S3 buckets over HTTP, against a fake of AWS that checks signatures. The comment at the top of
// the fake says what these tests do not prove.
import { readFinding, vaultFindings, verifyFinding } from "@strongroom/contract";
import type { DiscoveryTarget } from "@strongroom/contract";
import { needs, opensslAvailable, startFakeAws } from "@strongroom/connectors/testing";
import type { FakeAws } from "@strongroom/connectors/testing";
import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import { anAwsTarget } from "#features/discovery/testing/aws-target.ts";
import { aDiscoveryWorld, byId } from "#features/discovery/testing/discovery-world.ts";
import type { DiscoveryWorld } from "#features/discovery/testing/discovery-world.ts";
import { columnsWith } from "#testing/columns.ts";
import { aPassword } from "./testing/scanned-host.ts";
import { findingsOf, placesOf, scanned } from "./testing/scanned-target.ts";

describe("enhanced scans of S3 buckets", needs(opensslAvailable()), () => {
  let world: DiscoveryWorld;
  let aws: FakeAws;
  let target: DiscoveryTarget;
  before(async () => {
    [world, aws] = await Promise.all([aDiscoveryWorld(), startFakeAws()]);
  });
  beforeEach(async () => {
    aws.buckets.byName.clear();
    target = await anAwsTarget(world, aws);
  });
  after(async () => {
    await Promise.all([world?.app.close(), aws?.stop()]);
  });

  test("SCAN-29: secrets in objects are found, kept while the object stays the same, and closed when they are gone", async () => {
    const [database, moved] = [aPassword(), aPassword()];
    const bucket = aws.addBucket("app-config", {
      "prod/app.env": `DB_HOST=db.internal\nDB_PORT=5432\nDB_USER=shop\nDB_PASSWORD=${database}\n`,
      "prod/mail.ini": `[smtp]\npassword = ${moved}\n`,
      "notes.txt": `password=${aPassword()}`,
    });
    bucket.isPublic = true;
    const first = await scanned(world, target);
    assert.equal(first.status, "completed", first.error_message ?? "");
    assert.deepEqual([first.coverage.files_read, first.coverage.way, first.coverage.unread_count], [2, null, 0]);
    const found = await findingsOf(world, target);
    assert.deepEqual(placesOf(found), ["s3://app-config/prod/app.env", "s3://app-config/prod/mail.ini"]);
    const [ofEnv] = found.filter(({ finding_data }) => finding_data.file_path.endsWith(".env"));
    assert.match(ofEnv!.title, /Password in app\.env/);
    const { app, owner } = world;
    const { body: details } = await app.call(readFinding, { ...byId(ofEnv!), as: owner.token });
    assert.ok(details.risk_factors.some(({ factor }) => factor === "Everyone can read the bucket"));
    assert.match(
      details.remediation_steps.join(" "),
      /put-public-access-block --bucket app-config .* earlier versions/is,
    );
    for (const secret of [database, moved]) assert.deepEqual(await columnsWith(app.database.pool, secret), []);

    bucket.objects.set("prod/mail.ini", { content: "[smtp]\nhost = mail\n" });
    bucket.objects.delete("prod/app.env");
    const second = await scanned(world, target);
    assert.deepEqual([second.results.fixed_findings, second.coverage.files_read], [2, 1]);
    assert.equal((await findingsOf(world, target, "remediated")).length, 2);
    const third = await scanned(world, target);
    assert.deepEqual([third.coverage.files_read, third.coverage.files_unchanged], [0, 1]);
  });

  test("FIND-13: the secret of an object is stored with the host that the object names; a local address names none", async () => {
    const [remote, local] = [aPassword(), aPassword()];
    aws.addBucket("app-config", {
      "remote.env": `DB_HOST=db.internal\nDB_PORT=5432\nDB_USER=shop\nDB_PASSWORD=${remote}\n`,
      "local.env": `DB_HOST=localhost\nDB_PORT=5432\nDB_USER=blog\nDB_PASSWORD=${local}\n`,
    });
    await scanned(world, target);
    const { app, owner } = world;
    const found = await findingsOf(world, target);
    const ofRemote = found.find(({ finding_data }) => finding_data.file_path.endsWith("remote.env"))!;
    const ofLocal = found.find(({ finding_data }) => finding_data.file_path.endsWith("local.env"))!;
    const vaulted = await vault(ofRemote.id);
    assert.equal(vaulted.status, 200, vaulted.text);
    assert.equal(vaulted.body.vaulted, 1, vaulted.text);
    const refused = await vault(ofLocal.id);
    assert.match(refused.text, /names the host on which it is used/);
    const unknown = await app.call(verifyFinding, { ...byId(ofLocal), body: {}, as: owner.token });
    assert.match(unknown.text, /names the host on which it is used/);

    async function vault(id: typeof ofRemote.id) {
      const body = { findingIds: [id] };
      return app.call(vaultFindings, { body, as: owner.token });
    }
  });

  test("a bucket that the key may not read is reported, and its findings stay open", async () => {
    aws.addBucket("closed", { "a.env": `PASSWORD=${aPassword()}\n` });
    await scanned(world, target);
    assert.equal((await findingsOf(world, target)).length, 1);
    aws.buckets.denied.add("closed");
    const scan = await scanned(world, target);
    aws.buckets.denied.clear();
    assert.deepEqual(
      [scan.status, scan.coverage.unread, scan.results.fixed_findings],
      ["completed", ["s3://closed"], 0],
    );
    assert.equal((await findingsOf(world, target)).length, 1);
  });
});
