// Measures how far targets that hang, answer garbage or send endless data delay other verifications of the same run.
import { startHostile, startTcp } from "@strongroom/connectors/testing";
import { cancelVerificationRun, verifyMultiple } from "@strongroom/contract";
import type { CredentialId } from "@strongroom/contract";
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after, before, test } from "node:test";
import { aCredential } from "#testing/credentials.ts";
import { aPerson } from "#testing/people.ts";
import type { TestPerson } from "#testing/people.ts";
import { testApp } from "#testing/test-app.ts";
import type { TestApp } from "#testing/test-app.ts";
import { eventually } from "#testing/waiting.ts";

const GOOD = 8;
const BAD = 8;
const MEGABYTE = 1_048_576;

let app: TestApp;
before(async () => {
  app = await testApp();
});
after(() => app.close());

/** Stores API tokens for the service at that port without the automatic verification. */
async function tokens(owner: TestPerson, port: number, count: number): Promise<CredentialId[]> {
  const ids: CredentialId[] = [];
  for (let index = 0; index < count; index++) ids.push((await aCredential(app, owner)).id);
  await app.database.pool.query(
    "update credentials set type = 'api_token', additional_params = $2 where id = any($1)",
    [ids, JSON.stringify({ check_url: `http://127.0.0.1:${port}/me` })],
  );
  return ids;
}

/** Verifies all of `chosen` in one run and returns the milliseconds until those of `awaited` were verified. */
async function timeOf(owner: TestPerson, awaited: readonly string[], chosen: readonly CredentialId[]): Promise<number> {
  const started = performance.now();
  const { body } = await app.call(verifyMultiple, { body: { credential_ids: [...chosen] }, as: owner.token });
  const taken = await eventually(async () => {
    const { rows } = await app.database.pool.query<{ count: number }>(
      "select count(*)::int as count from verification_attempts where run_id = $1 and outcome = 'verified' and credential_id = any($2)",
      [body.run_id, awaited],
    );
    return rows[0]?.count === awaited.length ? performance.now() - started : null;
  });
  await app.call(cancelVerificationRun, { params: { id: body.run_id }, as: owner.token });
  return taken;
}

async function aGoodTarget(): Promise<{ port: number; stop: () => void }> {
  const server = createServer((request, response) => {
    response.writeHead(request.headers.authorization === undefined ? 401 : 200).end();
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const address = server.address();
  assert.ok(typeof address === "object" && address !== null);
  return { port: address.port, stop: () => server.close().closeAllConnections() };
}

test("targets that hang, answer garbage or send endless data delay a run's other verifications only by seconds and do not exhaust memory", async (context) => {
  const owner = await aPerson(app);
  const good = await aGoodTarget();
  const hanging = await startHostile("black-hole");
  const garbage = await startHostile("garbage");
  const flood = Buffer.alloc(MEGABYTE);
  const pouring = await startTcp((socket) => {
    socket.write("HTTP/1.1 200 OK\r\ncontent-length: 104857600\r\n\r\n");
    const pour = () => {
      while (!socket.destroyed && socket.write(flood));
    };
    socket.on("drain", pour);
    pour();
  });
  context.after(async () => {
    good.stop();
    await Promise.all([hanging.stop(), garbage.stop(), pouring.stop()]);
  });

  // Whatever order the run uses, it reaches the bad targets before half of the good ones.
  const ids = await tokens(owner, good.port, GOOD);
  const bad = [
    ...(await tokens(owner, hanging.port, BAD)),
    ...(await tokens(owner, garbage.port, BAD)),
    ...(await tokens(owner, pouring.port, BAD)),
  ];
  ids.push(...(await tokens(owner, good.port, GOOD)));
  const alone = await timeOf(owner, ids, ids);
  const before = process.memoryUsage();
  const beside = await timeOf(owner, ids, [...bad, ...ids]);
  const { heapUsed, external } = process.memoryUsage();
  const grown = (heapUsed + external - before.heapUsed - before.external) / MEGABYTE;
  const taken = pouring.sent() / BAD / MEGABYTE;

  context.diagnostic(`alone ${alone.toFixed(0)} ms, beside ${3 * BAD} bad ones ${beside.toFixed(0)} ms`);
  context.diagnostic(`${taken.toFixed(1)} MB taken of each 100 MB; ${grown.toFixed(0)} MB of memory more`);
  // Eight targets that hang for 20 s each would block four workers for 40 s.
  assert.ok(beside - alone < 10_000, `the good ones waited ${beside.toFixed(0)} ms instead of ${alone.toFixed(0)}`);
  assert.ok(taken < 30, `${taken} MB were taken of each target`);
  assert.ok(grown < (BAD * 100) / 10, `${grown} MB of memory more`);
});
