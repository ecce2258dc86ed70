// Tests that no call reveals whether an object exists to a caller who may not see it: the reply for its id equals the reply
// for an id that does not exist. Every endpoint of the contract is called with the id of every kind of object.
import {
  SCOPES_IN_SAFES,
  allowDiscoveryNetwork,
  createDiscoveryTarget,
  createToken,
  startDiscoveryScan,
  startRangeScan,
} from "@strongroom/contract";
import { endpoints } from "@strongroom/contract/all";
import type { NamedEndpoint } from "@strongroom/contract/all";
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, test } from "node:test";
import { anAccount } from "./accounts.ts";
import { aGivenAccessWorld } from "./given-access-world.ts";
import { aPerson, firstAdmin } from "./people.ts";
import { sampleBody } from "./sample-bodies.ts";
import { testApp } from "./test-app.ts";
import type { TestApp } from "./test-app.ts";

/** Present in the sample bodies as the id of an object that does not exist. */
const SAMPLE_ID = "0190c0de-0000-7000-8000-00000000beef";
/** Its reply is a stream that stays open. */
const STREAM = "streamEvents";

let app: TestApp;
let owner: Awaited<ReturnType<typeof aGivenAccessWorld>>["owner"];
let away: string;
/** By kind. All belong to the owner, or are in safes of the owner other than `away`. */
let hidden: Record<string, string>;
before(async () => {
  app = await testApp();
  const world = await aGivenAccessWorld(app);
  ({ owner } = world);
  away = world.away.id;
  const login = { system_type: "Linux", connection_method: "SSH", hostname: "server1.example.com" } as const;
  const scanner = await anAccount(app, owner, world.home, login);
  const body = {
    name: "A target",
    targetType: "linux",
    connectionMethod: "ssh",
    hostname: "server1.example.com",
    credentialId: scanner.id,
    safeId: world.home.id,
  } as const;
  const target = await app.call(createDiscoveryTarget, { body, as: owner.token });
  assert.equal(target.status, 201, target.text);
  const start = { params: { id: target.body.id }, body: { scanSettings: {} }, as: owner.token };
  const scan = await app.call(startDiscoveryScan, start);
  assert.equal(scan.status, 202, scan.text);
  const network = { body: { network: "127.79.0.0/16" }, as: (await firstAdmin(app)).token };
  assert.equal((await app.call(allowDiscoveryNetwork, network)).status, 201);
  const range = { name: "A range", safeId: world.home.id, ranges: ["127.79.0.1"], ports: [1] };
  const ranged = await app.call(startRangeScan, { body: range, as: owner.token });
  assert.equal(ranged.status, 202, ranged.text);
  const { home, closed, account, guarded, credential, request, membership, group } = world;
  const objects = { home, closed, account, guarded, credential, request, membership, group };
  hidden = {
    ...Object.fromEntries(Object.entries(objects).map(([kind, { id }]) => [kind, id])),
    user: owner.id,
    target: target.body.id,
    scan: scan.body.id,
    range: ranged.body.id,
  };
});
after(() => app.close());

const namesAnObject = (named: NamedEndpoint): boolean =>
  named.endpoint.path.includes(":id") || JSON.stringify(sampleBody(named) ?? null).includes(SAMPLE_ID);

/** The calls that name an object in their path or body. */
const called = endpoints.filter(
  (named) => named.endpoint.needs !== "public" && named.name !== STREAM && namesAnObject(named),
);

/** The reply without the parts that differ between any two calls: ids and times. */
const comparable = ({ status, text }: { status: number; text: string }): string =>
  `${status} ${text
    .replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "ID")
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "TIME")}`;

async function send(named: NamedEndpoint, id: string, as: string) {
  const { endpoint } = named;
  const names = [...endpoint.path.matchAll(/:(\w+)/g)].map(([, each]) => each!);
  const others = names.map((each) => [each, each === "version" ? "1" : randomUUID()]);
  const body = sampleBody(named);
  return app.call(endpoint, {
    params: { ...Object.fromEntries(others), id },
    body: body === undefined ? undefined : JSON.parse(JSON.stringify(body).replaceAll(SAMPLE_ID, id)),
    as,
  });
}

/** Calls that answer differently for the id of a hidden object than for an unknown one. */
async function revealing(tokenOf: () => Promise<string>, kinds: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  let token = await tokenOf();
  for (const named of called) {
    for (const kind of kinds) {
      const ask = async (id: string) => {
        const reply = await send(named, id, token);
        // Some calls end the caller's session.
        if (reply.status !== 401) return reply;
        token = await tokenOf();
        return send(named, id, token);
      };
      const [real, none] = [await ask(hidden[kind]!), await ask(randomUUID())];
      if (comparable(real) !== comparable(none)) found.push(`${named.name} of ${kind}: ${real.text} / ${none.text}`);
    }
  }
  return found;
}

test("an ordinary user without access learns of no object from any call", { timeout: 300_000 }, async () => {
  assert.deepEqual(await revealing(async () => (await aPerson(app)).token, Object.keys(hidden)), []);
});

test("a token limited to one safe learns of no object outside that safe", { timeout: 300_000 }, async () => {
  const body = { name: "limited", scopes: [...SCOPES_IN_SAFES], safe_ids: [away as never], expires_in_days: 1 };
  const made = await app.call(createToken, { body, as: owner.token });
  assert.equal(made.status, 201, made.text);
  const { token } = made.body;
  const inSafes = ["home", "closed", "account", "guarded", "request", "membership", "target", "scan", "range"];
  assert.deepEqual(await revealing(() => Promise.resolve(token), inSafes), []);
});
