// Tests that the setup checklist is computed from the state of the installation, for administrators only.
import { dismissSetupStep, readSetup } from "@strongroom/contract";
import type { SetupStep } from "@strongroom/contract";
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { anAccount } from "#testing/accounts.ts";
import { aPerson, firstAdmin } from "#testing/people.ts";
import type { TestPerson } from "#testing/people.ts";
import { aSafe } from "#testing/safes.ts";
import { manifestPath } from "#kernel/embedded/backup-manifest.ts";
import { testApp } from "#testing/test-app.ts";
import type { TestApp } from "#testing/test-app.ts";

let app: TestApp;
let admin: TestPerson;
const backups = mkdtempSync(join(tmpdir(), "strongroom-backups-"));
before(async () => {
  app = await testApp();
  admin = await firstAdmin(app);
});
after(async () => {
  await app.close();
  rmSync(backups, { recursive: true });
});

async function steps(): Promise<Map<SetupStep["id"], SetupStep>> {
  const reply = await app.call(readSetup, { as: admin.token });
  assert.equal(reply.status, 200, reply.text);
  return new Map(reply.body.steps.map((step) => [step.id, step]));
}

const isDone = async (id: SetupStep["id"]) => (await steps()).get(id)?.is_done;

test("each step counts as done exactly when its state is reached", async () => {
  assert.equal(await isDone("safe"), false);
  assert.equal(await isDone("account"), false);
  assert.equal(await isDone("verification"), false);
  assert.equal(await isDone("people"), false);
  const owner = await aPerson(app);
  assert.equal(await isDone("people"), true);
  const safe = await aSafe(app, owner);
  assert.equal(await isDone("safe"), true);
  const { id } = await anAccount(app, owner, safe);
  assert.equal(await isDone("account"), true);
  assert.equal(await isDone("verification"), false, "the account has not been verified");
  await app.database.pool.query("update credentials set verified_at = now() where id = $1", [id]);
  assert.equal(await isDone("verification"), true);
  await app.database.pool.query("update credentials set deleted_at = now() where id = $1", [id]);
  assert.equal(await isDone("account"), false, "a step can become open again");
});

test("sign-up is a step as long as anyone can sign up", async () => {
  const setRule = (rule: string) => app.database.pool.query("update sign_in_policy set sign_up = $1", [rule]);
  await setRule("open");
  assert.equal(await isDone("sign-up"), false);
  await setRule("closed");
  assert.equal(await isDone("sign-up"), true);
});

test("backups and the root key must lie outside the data folder, and a backup must be complete", async () => {
  assert.equal(await isDone("backups"), false);
  assert.equal(await isDone("root-key"), false);
  const apart = await testApp({ config: { backupFolder: backups, keyFile: join(backups, "root.key") } });
  try {
    const as = (await firstAdmin(apart)).token;
    const read = async (id: SetupStep["id"]) =>
      (await apart.call(readSetup, { as })).body.steps.find((step) => step.id === id)?.is_done;
    assert.equal(await read("root-key"), true);
    const backup = join(backups, "20261121T093000Z");
    mkdirSync(backup);
    assert.equal(await read("backups"), false, "a folder without a manifest is not a backup");
    writeFileSync(manifestPath(backup), "{}");
    assert.equal(await read("backups"), true);
  } finally {
    await apart.close();
  }
});

test("a step can be dismissed and shown again, and all open steps at once", async () => {
  const dismiss = (body: { step: SetupStep["id"] | "all"; is_dismissed?: boolean }) =>
    app.call(dismissSetupStep, { body, as: admin.token });
  const one = await dismiss({ step: "provider" });
  assert.equal(one.status, 200, one.text);
  assert.equal((await steps()).get("provider")?.is_dismissed, true);
  await dismiss({ step: "provider", is_dismissed: false });
  assert.equal((await steps()).get("provider")?.is_dismissed, false);
  await dismiss({ step: "all" });
  for (const step of (await steps()).values()) assert.equal(step.is_done || step.is_dismissed, true, step.id);
});

test("managers and users can neither read nor dismiss the steps", async () => {
  for (const person of [await aPerson(app), await aPerson(app, "manager")]) {
    assert.equal((await app.call(readSetup, { as: person.token })).status, 403);
    const body = { step: "safe" } as const;
    assert.equal((await app.call(dismissSetupStep, { body, as: person.token })).status, 403);
  }
});
