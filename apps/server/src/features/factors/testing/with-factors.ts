// Test helpers for users with second factors.
import { addFactor, beginFactor, completeSignIn, login, updateSignInPolicy } from "@strongroom/contract";
import type { FactorProof, Role, SecondStep } from "@strongroom/contract";
import assert from "node:assert/strict";
import { firstAdmin } from "#testing/people.ts";
import type { TestPerson } from "#testing/people.ts";
import { usualPolicy } from "#testing/sign-in-policy.ts";
import type { TestApp } from "#testing/test-app.ts";
import { hotp, stepAt } from "../methods/totp.ts";
import { anAuthenticator } from "./authenticator.ts";

export const ORIGIN = "https://vault.example.com";

const BASE32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/** Decodes base32 as an authenticator app does. */
function fromBase32(text: string): Buffer {
  const bits = Array.from(text, (each) => BASE32.indexOf(each).toString(2).padStart(5, "0")).join("");
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
}

/** The code that an app with this key shows at the server's time, shifted by `steps` time steps. */
export const codeAt = (app: TestApp, key: string, steps = 0): string =>
  hotp(fromBase32(key), stepAt(app.kernel.clock.now()) + steps);

/** Adds an authenticator app. Returns its key and the recovery codes that came with the first factor. */
export async function withApp(
  app: TestApp,
  person: Pick<TestPerson, "token">,
): Promise<{ key: string; codes: string[] }> {
  const started = await app.call(beginFactor, { body: { kind: "totp" }, as: person.token });
  assert.equal(started.status, 200, started.text);
  const key = started.body.totp!.key;
  // Use the previous step's code, so that the current step is still unused.
  const body = { kind: "totp", name: "A phone", code: codeAt(app, key, -1) } as const;
  const added = await app.call(addFactor, { body, as: person.token });
  assert.equal(added.status, 201, added.text);
  return { key, codes: added.body.recovery_codes ?? [] };
}

export async function withPasskey(app: TestApp, person: TestPerson, name = "A key") {
  const device = anAuthenticator(ORIGIN);
  const started = await app.call(beginFactor, { body: { kind: "passkey" }, as: person.token });
  assert.equal(started.status, 200, started.text);
  const response = device.register(started.body.passkey!);
  const added = await app.call(addFactor, { body: { kind: "passkey", name, response }, as: person.token });
  assert.equal(added.status, 201, added.text);
  return { device, id: added.body.factor.id, codes: added.body.recovery_codes };
}

/** Signs in with the correct password and returns the required second step. */
export async function firstStep(app: TestApp, person: TestPerson, from = "127.0.0.1"): Promise<SecondStep> {
  const reply = await app.call(login, { body: { email: person.email, password: person.password }, from });
  assert.equal(reply.status, 200, reply.text);
  assert.deepEqual(Object.keys(reply.body), ["second_step"], "no token with it");
  assert.equal(reply.headers["set-cookie"], undefined);
  return reply.body.second_step!;
}

export const secondStep = (app: TestApp, { pending }: SecondStep, proof: FactorProof, from = "127.0.0.1") =>
  app.call(completeSignIn, { body: { pending, proof }, from });

export async function requireFactorOf(app: TestApp, ...roles: Role[]): Promise<void> {
  const admin = await firstAdmin(app);
  const body = { ...usualPolicy, mfa_required_roles: roles };
  const reply = await app.call(updateSignInPolicy, { body, as: admin.token });
  assert.equal(reply.status, 200, reply.text);
}
