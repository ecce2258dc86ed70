// A dependent of an account, and an update that shows whether the server still accepts its row.
import {
  addDependent,
  createAccount,
  createSafe,
  listDependents,
  listPlatforms,
  updateDependent,
} from "@strongroom/contract";
import type { AccountId, DependentId } from "@strongroom/contract";
import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import { call } from "./a-strongroom.ts";

export interface AddedDependent {
  id: AccountId;
  dependentId: DependentId;
}

/** A webhook whose address refuses every call. */
export async function aDependent(server: { url: string }, as: string): Promise<AddedDependent> {
  const safe = await call(server, createSafe, { as, body: { name: "Servers" } });
  assert.equal(safe.status, 201, JSON.stringify(safe.body));
  const platforms = (await call(server, listPlatforms, { as })).body.platforms;
  const account = await call(server, createAccount, {
    as,
    body: {
      name: "Billing",
      hostname: "billing.example.com",
      username: "billing",
      system_type: "Application",
      connection_method: "HTTPS",
      password: "a stored password 1",
      safe_id: safe.body.id,
      platform_id: platforms.find(({ system_type }) => system_type === "Application")!.id,
    },
  });
  assert.equal(account.status, 201, JSON.stringify(account.body));
  const { id } = account.body;
  const body = { name: "Deployment", config: { kind: "webhook", url: "http://127.0.0.1:1/" } } as const;
  const added = await call(server, addDependent, { as, params: { id }, body });
  assert.equal(added.status, 201, JSON.stringify(added.body));
  return { id, dependentId: added.body.id };
}

/** Requests an update and returns its message. */
export async function updatedMessage(server: { url: string }, as: string, params: AddedDependent): Promise<string> {
  const asked = await call(server, updateDependent, { as, params });
  assert.equal(asked.status, 200, JSON.stringify(asked.body));
  for (const end = Date.now() + 20_000; Date.now() < end; await delay(50)) {
    const [dependent] = (await call(server, listDependents, { as, params })).body.dependents;
    if (dependent?.message != null) return dependent.message;
  }
  throw new Error("the dependent was not updated");
}
