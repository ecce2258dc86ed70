// Kills the server in the middle of scans of an S3 bucket (a fake of AWS) and of a real PostgreSQL: the next process finds every
// secret exactly once, and closes only the finding whose secret is gone.
import {
  createAccount,
  createDiscoveryTarget,
  createSafe,
  listFindings,
  listPlatforms,
  startEnhancedScan,
} from "@strongroom/contract";
import type { DiscoveryTargetId, EnhancedScanDetails, InputOf, SafeId, SecurityFinding } from "@strongroom/contract";
import {
  needs,
  opensslAvailable,
  postgresqlAvailable,
  startFakeAws,
  startPostgresql,
} from "@strongroom/connectors/testing";
import type { FakeAws, PostgresqlServer } from "@strongroom/connectors/testing";
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { runSql } from "./testing/database.ts";
import { killAtWrite } from "./testing/kill-at-write.ts";
import { aUser, ask, firstAdmin, tokenOf } from "./testing/people.ts";
import { completedScan } from "./testing/scan-target.ts";
import { startServer } from "./testing/server.ts";
import type { RunningServer } from "./testing/server.ts";

/** Results are stored in batches of 100: three of them, and the server is killed while the second or third is stored. */
const PLACES = 250;
const KILLED_AT = 150;
const FIXED = 7;

type Account = InputOf<typeof createAccount>["body"];
type Target = Pick<
  NonNullable<InputOf<typeof createDiscoveryTarget>["body"]>,
  "name" | "targetType" | "connectionMethod"
>;

const aPassword = (): string => `Tr0ub-${randomBytes(9).toString("base64url")}`;

const options = { ...needs(opensslAvailable() ?? postgresqlAvailable()), timeout: 600_000 };

describe("a scan whose server is killed", options, () => {
  let server: RunningServer;
  let aws: FakeAws;
  let database: PostgresqlServer;
  let token: string;
  let safeId: SafeId;

  before(async () => {
    [server, aws, database] = await Promise.all([startServer(), startFakeAws(), startPostgresql()]);
    await firstAdmin(server);
    token = await tokenOf(server, await aUser(server, "mona@example.com"));
    safeId = (await ask(server.url, createSafe, { body: { name: "Scanned" } }, token)).id;
  });
  after(() => Promise.all([server?.close(), aws?.stop(), database?.stop()]));

  /** Fields of every account: its safe, and the platform with this name. */
  async function placeOfAccount(platform: string) {
    const { platforms } = await ask(server.url, listPlatforms, {}, token);
    return { platform_id: platforms.find(({ name }) => name === platform)!.id, safe_id: safeId };
  }

  async function aTarget(
    account: Account,
    target: Target,
    { host, port }: { host: string; port: number },
  ): Promise<DiscoveryTargetId> {
    const { id } = await ask(server.url, createAccount, { body: account }, token);
    const body = { ...target, safeId, credentialId: id, hostname: host, settings: { port, timeout: 30_000 } };
    return (await ask(server.url, createDiscoveryTarget, { body }, token)).id;
  }

  /** Starts a scan, kills the server while it stores a batch of results, and waits until another process ended the scan. */
  async function killedScan(targetId: DiscoveryTargetId): Promise<EnhancedScanDetails> {
    const body = { scanConfig: { scanDepth: "quick" as const, readAgain: true } };
    const write = {
      name: "the scan to store its results",
      on: "update of files_read on scans",
      when: `new.files_read >= ${KILLED_AT}`,
    };
    const start = () => ask(server.url, startEnhancedScan, { params: { id: targetId }, body }, token);
    const killed = await killAtWrite(server, write, start);
    server = killed.server;
    const { id } = killed.result!;
    const partly = "select from scans where id = $1 and files_read between 1 and $2";
    assert.equal(await runSql(server, partly, [id, PLACES - 1]), 1, "the killed process stored a part");
    const scan = await completedScan(server, token, id);
    const continued = await runSql(server, "select from scans where id = $1 and logins = 2", [id]);
    assert.equal(continued, 1, "another process continued");
    return scan;
  }

  async function findingsOf(targetId: DiscoveryTargetId): Promise<SecurityFinding[]> {
    const query = { targetId, includeBelowThreshold: "true" as const, limit: "500" };
    return (await ask(server.url, listFindings, { query }, token)).data;
  }

  /** Kills a first scan, removes one secret, and kills a second scan. */
  async function killTwice(
    targetId: DiscoveryTargetId,
    placeOf: (number: number) => string,
    removeOne: () => Promise<unknown>,
  ): Promise<void> {
    const first = await killedScan(targetId);
    assert.deepEqual([first.results.new_findings, first.results.fixed_findings], [PLACES, 0]);
    const found = await findingsOf(targetId);
    const places = (of: readonly SecurityFinding[]) => of.map(({ finding_data }) => finding_data.file_path).toSorted();
    assert.deepEqual(places(found), Array.from({ length: PLACES }, (_, number) => placeOf(number)).toSorted());
    assert.ok(found.every(({ status }) => status === "new"));

    await removeOne();
    const second = await killedScan(targetId);
    assert.deepEqual([second.results.new_findings, second.results.fixed_findings], [0, 1]);
    const later = await findingsOf(targetId);
    assert.equal(later.length, PLACES);
    assert.deepEqual(places(later.filter(({ status }) => status !== "new")), [placeOf(FIXED)]);
  }

  test("SCAN-29: a bucket has every secret exactly once, and only the removed one is closed", async () => {
    const name = (number: number) => `app-${number}.env`;
    const objects = Array.from({ length: PLACES }, (_, number) => [name(number), `DB_PASSWORD=${aPassword()}\n`]);
    const bucket = aws.addBucket("app-config", Object.fromEntries(objects) as Record<string, string>);
    const account = {
      ...(await placeOfAccount("AWS")),
      name: "scanner of buckets",
      system_type: "AWS",
      connection_method: "HTTPS",
      hostname: "iam.amazonaws.com",
      username: "scanner",
      password: aws.addUser("scanner").secret,
      additional_params: aws.params,
    } as const;
    const target = { name: "buckets", targetType: "aws", connectionMethod: "aws_api" } as const;
    const targetId = await aTarget(account, target, aws);
    await killTwice(
      targetId,
      (number) => `s3://app-config/${name(number)}`,
      async () => bucket.objects.set(name(FIXED), { content: "DB_HOST=db\n" }),
    );
  });

  test("SCAN-29: a PostgreSQL has every secret exactly once, and only the removed one is closed", async () => {
    for (let number = 0; number < PLACES; number += 1)
      await database.sql(
        `create table app_${number} as select 1 as id, 'db' as host, '${aPassword()}'::text as smtp_password`,
      );
    const { host, port } = database;
    const account = {
      ...(await placeOfAccount("PostgreSQL")),
      name: "scanner of databases",
      system_type: "postgresql",
      connection_method: "SQL",
      database_name: "postgres",
      schema_name: "public",
      hostname: host,
      port,
      ...database.superuser,
    } as const;
    const target = { name: "db-01", targetType: "database", connectionMethod: "database" } as const;
    const targetId = await aTarget(account, target, database);
    await killTwice(
      targetId,
      (number) => `column:postgres.public.app_${number}.smtp_password`,
      () => database.sql(`update app_${FIXED} set smtp_password = null`),
    );
  });
});
