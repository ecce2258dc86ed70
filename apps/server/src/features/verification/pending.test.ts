// Tests that the vault of a user who is waiting for activation works and sends nothing to targets.
import { revealCredential, updateCredential, verifyCredential } from "@strongroom/contract";
import assert from "node:assert/strict";
import { createServer } from "node:net";
import type { AddressInfo, Server } from "node:net";
import { after, before, test } from "node:test";
import { sql } from "kysely";
import { aCredential, asStored, databaseAt } from "#testing/credentials.ts";
import { aPendingPerson, activate } from "#testing/people.ts";
import { testApp } from "#testing/test-app.ts";
import type { TestApp } from "#testing/test-app.ts";
import { eventually } from "#testing/waiting.ts";
import { createVerificationContext } from "./context.ts";
import { runSchedule } from "./verification.jobs.ts";

let app: TestApp;
let target: Server;
let connections = 0;
before(async () => {
  app = await testApp();
  target = createServer((socket) => {
    connections += 1;
    socket.destroy();
  });
  await new Promise<void>((resolve) => target.listen(0, "127.0.0.1", resolve));
});
after(async () => {
  await app.close();
  target.close();
});

const noAccounts = {
  factsOf: async () => null,
  isPasswordUnknown: async () => false,
  audiencesOf: async () => new Map(),
  verifiableBy: () => sql`(select null::uuid where false)`,
};
const keep = () => runSchedule(createVerificationContext(app.kernel, noAccounts));
const attempts = async (id: string) =>
  (await app.database.pool.query("select from verification_attempts where credential_id = $1", [id])).rows.length;
/** Waits until this server has no verification job that is queued or active. */
const jobsDone = () =>
  eventually(async () => {
    const { rows } = await app.database.pool.query<{ count: number }>(
      "select count(*)::integer as count from jobs.job where state in ('created', 'retry', 'active') and name like 'verification%' and start_after <= now()",
    );
    return rows[0]!.count === 0 ? true : null;
  });

test("a pending user can store, change and reveal credentials, and no connection is opened", async () => {
  const waiting = await aPendingPerson(app);
  const fields = { ...databaseAt((target.address() as AddressInfo).port), type: "application" } as const;
  const credential = await aCredential(app, waiting, fields);
  const params = { id: credential.id };
  const revealed = await app.call(revealCredential, { params, body: {}, as: waiting.token });
  assert.equal(revealed.status, 200, revealed.text);
  const body = {
    ...fields,
    name: "Renamed",
    value: "another secret",
    additional_params: null,
    connection_string: null,
    environment: "development" as const,
    ssl_enabled: false,
  };
  const edited = await app.call(updateCredential, { params, body, as: waiting.token });
  assert.equal(edited.status, 200, edited.text);
  assert.equal((await app.call(verifyCredential, { params, as: waiting.token })).status, 403);
  // No connection is opened even when a row is due.
  await app.database.pool.query(
    "update credentials set type = 'postgresql', verify_after = now() - interval '1 hour' where id = $1",
    [credential.id],
  );
  await keep();
  await jobsDone();
  assert.deepEqual([connections, await attempts(credential.id)], [0, 0]);

  await activate(app, waiting);
  await keep();
  await eventually(async () => ((await attempts(credential.id)) > 0 ? true : null));
  await eventually(async () =>
    (await asStored(app, waiting, credential.id)).last_verification_attempt === null ? null : true,
  );
  assert.ok(connections > 0, "the schedule verifies it after activation");
});
