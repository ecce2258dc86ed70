// Kills the server in the middle of a scan of an AWS account: the next process scans it again, and nothing is lost.
import {
  createAccount,
  createDiscoveryTarget,
  createSafe,
  listCloudResources,
  listDiscoveredAccounts,
  listPlatforms,
  readDiscoveryScan,
  startCloudDiscovery,
} from "@strongroom/contract";
import type { DiscoveryScan } from "@strongroom/contract";
import { needs, opensslAvailable, startFakeAws } from "@strongroom/connectors/testing";
import type { FakeAws } from "@strongroom/connectors/testing";
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { until } from "./testing/becomes.ts";
import { restartKilled } from "./testing/kill-at-write.ts";
import { aUser, ask, firstAdmin, tokenOf } from "./testing/people.ts";
import { startServer } from "./testing/server.ts";
import type { RunningServer } from "./testing/server.ts";

const REGION = "eu-central-1";
const USERS = ["scanner", "ada", "bob", "root-of-all"];
const SECRETS = ["prod/database", "prod/mail", "prod/queue"];
const byText = (a: readonly unknown[], b: readonly unknown[]) => (String(a) < String(b) ? -1 : 1);

describe("a cloud scan whose server is killed", needs(opensslAvailable()), () => {
  let server: RunningServer;
  let aws: FakeAws;
  before(async () => {
    aws = await startFakeAws();
    server = await startServer();
  });
  after(() => Promise.all([server?.close(), aws?.stop()]));

  test("continues in the next process, loses nothing, and marks no account as missing", async () => {
    await firstAdmin(server);
    const token = await tokenOf(server, await aUser(server, "mona@example.com"));
    const safe = await ask(server.url, createSafe, { body: { name: "Clouds" } }, token);
    const [{ secret }] = USERS.map((name) => aws.addUser(name)) as [ReturnType<FakeAws["addUser"]>];
    aws.secrets.set(REGION, [...SECRETS]);
    aws.roles.set("deployer", "ada");
    const login = { hostname: "iam.amazonaws.com", username: "scanner", password: secret, safe_id: safe.id };
    const { platforms } = await ask(server.url, listPlatforms, {}, token);
    const platform_id = platforms.find(({ system_type: system }) => system === "AWS")!.id;
    const kind = { name: "Scanner", system_type: "AWS", connection_method: "HTTPS", platform_id } as const;
    const account = await ask(
      server.url,
      createAccount,
      { body: { ...kind, ...login, additional_params: aws.params } },
      token,
    );
    const place = { hostname: aws.host, credentialId: account.id, safeId: safe.id, settings: { port: aws.port } };
    const ofAws = { name: "Production", targetType: "aws", connectionMethod: "aws_api" } as const;
    const target = await ask(server.url, createDiscoveryTarget, { body: { ...ofAws, ...place } }, token);

    const start = () =>
      ask(server.url, startCloudDiscovery, { body: { targetId: target.id, regions: [REGION] } }, token);
    const ended = ({ id }: DiscoveryScan): Promise<DiscoveryScan> =>
      until("the scan", async () => {
        const scan = await ask(server.url, readDiscoveryScan, { params: { id } }, token);
        return scan.status === "pending" || scan.status === "running" ? null : scan;
      });
    const stored = async () => {
      const query = { targetId: target.id, limit: "200" };
      const accounts = await ask(server.url, listDiscoveredAccounts, { query: { ...query, status: "all" } }, token);
      const resources = await ask(server.url, listCloudResources, { query }, token);
      return {
        accounts: accounts.data
          .map(({ id, account_name: name, missing_since: gone }) => [name, id, gone])
          .toSorted(byText),
        resources: resources.data
          .map(({ id, kind: type, name, missing_since: gone }) => [type, name, id, gone])
          .toSorted(byText),
      };
    };
    /** Kills the server while it waits for the answer to `action`, and starts another one with the same data. */
    const killDuring = async (action: string): Promise<DiscoveryScan> => {
      const request = aws.pauseOnce(action);
      const scan = await start();
      await request.received;
      await server.kill();
      request.resume();
      server = await restartKilled(server);
      return ended(scan);
    };

    const first = await killDuring("secretsmanager.ListSecrets");
    assert.equal(first.status, "completed", JSON.stringify(first));
    const before = await stored();
    const names = before.accounts.map(([name]) => name);
    assert.deepEqual(names, [...new Set(names)]);
    for (const name of USERS) assert.ok(names.includes(name), name);
    const kept = before.resources.filter(([type]) => type === "secret").map(([, name]) => name);
    assert.deepEqual(kept, SECRETS);
    assert.ok([...before.accounts, ...before.resources].every((row) => row.at(-1) === null));

    // A second scan of the same objects is killed too: ids stay, and nothing is listed twice or missing.
    const second = await killDuring("ListUsers");
    assert.equal(second.status, "completed", JSON.stringify(second));
    assert.deepEqual(await stored(), before);
  });
});
