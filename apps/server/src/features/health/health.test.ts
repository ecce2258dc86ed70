// What machines and people are told of the state of a server.
import { createCredential, readHealth, readLiveness, readReadiness } from "@strongroom/contract";
import type { Problem } from "@strongroom/contract";
import { keyFileProvider, parseSealRecord, rekeyRoot } from "@strongroom/keys";
import assert from "node:assert/strict";
import { renameSync } from "node:fs";
import { test } from "node:test";
import { rootKeyChanged } from "#kernel/keys/follow-rekeys.ts";
import { createKekStore, readSealRecord } from "#kernel/keys/kek-store.ts";
import { aCredential } from "#testing/credentials.ts";
import { aPerson } from "#testing/people.ts";
import { testApp } from "#testing/test-app.ts";
import type { TestApp } from "#testing/test-app.ts";

const LEFT_BEHIND = /^The root key was changed, and the new one cannot be had here\. Put its key file in place/;

/** What the command line does, on a machine whose new key file this server does not see. */
async function rekeyElsewhere(app: TestApp, keptAt: string): Promise<void> {
  const { keyFile } = app.config;
  const current = await keyFileProvider(keyFile).open(parseSealRecord(await readSealRecord(app.database)));
  await rekeyRoot(createKekStore(app.database), current, keyFileProvider(keyFile));
  renameSync(keyFile, keptAt);
  await app.database.transaction((tx) => app.kernel.events.publish(tx, rootKeyChanged));
}

test("API-20: a server that lacks the new key file is not ready and says why, and goes on with what it has", async () => {
  const app = await testApp();
  const person = await aPerson(app);
  assert.equal((await app.call(readReadiness)).status, 200);
  const keptAt = `${app.config.keyFile}.elsewhere`;
  await rekeyElsewhere(app, keptAt);

  const ready = await app.call(readReadiness);
  assert.equal(ready.status, 503);
  const problem = ready.body as unknown as Problem;
  assert.equal(problem.code, "health.not-ready");
  assert.match(problem.message, LEFT_BEHIND);
  const health = (await app.call(readHealth)).body;
  assert.equal(health.status, "degraded");
  assert.match(health.summary, LEFT_BEHIND);
  assert.equal(health.checks.find(({ name }) => name === "root key")?.state, "failing");
  assert.equal((await app.call(readLiveness)).status, 200);
  // The first secret of a vault needs a further key.
  const body = { name: "Needs a new key", type: "application", value: "a secret value" } as const;
  assert.equal((await app.call(createCredential, { body, as: person.token })).status, 503);

  renameSync(keptAt, app.config.keyFile);
  const { database, dataFolder } = await app.stopOnly();
  const again = await testApp({ database, dataFolder });
  assert.equal((await again.call(readReadiness)).status, 200);
  assert.equal((await again.call(readHealth)).body.status, "healthy");
  await aCredential(again, person);
  await again.close();
});
