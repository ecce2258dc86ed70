// Updates one dependent with the new password: stores, writes, sets or announces it, and verifies the result.
import { sendNotice, writeFile } from "@strongroom/connectors";
import type { ChangeResult, VerifyContext, VerifyResult } from "@strongroom/connectors";
import { openSecret } from "@strongroom/keys";
import type { Secret } from "@strongroom/keys";
import type { DependentConfig } from "@strongroom/contract";
import { createHmac } from "node:crypto";
import { openEnvelope } from "#features/secrets/index.ts";
import type { SecretRow } from "#features/secrets/index.ts";
import { connectorOf, loginTargetOf } from "#features/verification/index.ts";
import type { DependentRow } from "./dependents.store.ts";
import { SIGNING_KEYS, SIGNING_PURPOSE } from "./dependents.ts";
import type { RotationContext } from "../context.ts";

const TIMEOUT_MS = 20_000;

/** A credential and its active secret, still sealed. */
export interface OpenableSecret {
  credential: SecretRow;
  envelope: Buffer;
}

/** The use of the secrets is already recorded. */
export interface DependentTask {
  row: DependentRow;
  account: OpenableSecret;
  /** The account that delivers the password or takes it over; null: none. */
  other: OpenableSecret | null;
}

export interface Updated {
  isDone: boolean;
  message: string;
}

/**
 * `takeOver` stores the secret in another account. Returns an outcome for every failure of a target; no message
 * contains a secret.
 */
export async function updateOne(
  site: RotationContext,
  task: DependentTask,
  signal: AbortSignal,
  takeOver: (secret: Secret) => Promise<Updated>,
): Promise<Updated> {
  const { clock } = site.kernel;
  const context = { timeoutMs: TIMEOUT_MS, signal, network: site.network, now: () => clock.now() };
  using secret = await open(site, task.account);
  const { config } = task.row;
  switch (config.kind) {
    case "account":
      return await takeOver(secret);
    case "webhook":
      return told(await tell(site, task, config.url, context));
    case "ssh-file":
      return told(await write(site, task, config, secret, context));
    case "linked-user":
      return await set(site, task, config.username, secret, context);
  }
}

const open = ({ kernel }: RotationContext, { credential, envelope }: OpenableSecret): Promise<Secret> => {
  const { id, user_id, safe_id, secret_version: version } = credential;
  return openEnvelope(kernel, { id, user_id, safe_id, version, envelope });
};

const told = (result: ChangeResult | VerifyResult): Updated => ({
  isDone: result.outcome === "verified" || result.outcome === "changed",
  message: result.message,
});

/** The body never contains the password: it announces a new version. */
async function tell(
  { kernel }: RotationContext,
  { row, account }: DependentTask,
  url: string,
  context: VerifyContext,
): Promise<VerifyResult> {
  const { id, name, username, host, secret_version: version } = account.credential;
  const body = JSON.stringify({
    event: "account.rotated",
    account: { id, name, username, host },
    version,
    at: kernel.clock.now().toISOString(),
  });
  const kek = await kernel.keys.kekFor(SIGNING_KEYS);
  using key = openSecret(kek, { purpose: SIGNING_PURPOSE, recordId: row.id, version: 1 }, row.signing_key!);
  const signature = createHmac("sha256", key.reveal()).update(body, "utf8").digest("hex");
  return sendNotice(url, body, { "strongroom-signature": `sha256=${signature}` }, context);
}

async function write(
  site: RotationContext,
  { account, other }: DependentTask,
  { path, mode, template, reload_unit }: Extract<DependentConfig, { kind: "ssh-file" }>,
  secret: Secret,
  context: VerifyContext,
): Promise<ChangeResult | VerifyResult> {
  const via = other!;
  if (connectorOf(via.credential).id !== "linux") return unfit(`"${via.credential.name}" does not log in over SSH.`);
  using login = await open(site, via);
  const filled = { username: account.credential.username ?? "", password: secret.reveal() };
  const content = template.replaceAll(/\{\{(username|password)\}\}/g, (_, word: keyof typeof filled) => filled[word]);
  const file = { path, mode, content, reloadUnit: reload_unit };
  return await writeFile(loginTargetOf(via.credential), login, file, context);
}

const WITH_USERS: ReadonlySet<string> = new Set(["postgresql", "mysql"]);

/** The other account sets the password on its target, and a fresh login proves it. */
async function set(
  site: RotationContext,
  { other }: DependentTask,
  username: string,
  secret: Secret,
  context: VerifyContext,
): Promise<Updated> {
  const via = other!;
  const connector = connectorOf(via.credential);
  // With other connectors, the account's settings could decide which commands are typed in the session.
  if (!WITH_USERS.has(connector.id) || connector.reconcile === undefined)
    return told(unfit(`"${via.credential.name}" cannot set other users' passwords.`));
  const target = { ...loginTargetOf(via.credential), username };
  using login = await open(site, via);
  const by = { username: via.credential.username ?? "", secret: login };
  const change = await connector.reconcile(target, by, secret, context);
  if (change.outcome !== "changed") return told(change);
  return told(await connector.verify(target, secret, context));
}

const unfit = (message: string): VerifyResult => ({
  outcome: "misconfigured",
  code: "bad-input",
  message,
  durationMs: 0,
});
