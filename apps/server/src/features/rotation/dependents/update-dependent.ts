// Updates one dependent with the new password: stores, writes, sets or announces it, and verifies the result.
import { replaceInFile, sendNotice, writeFile } from "@strongroom/connectors";
import type { ChangeResult, FileEdit, VerifyContext, VerifyResult } from "@strongroom/connectors";
import { openSecret } from "@strongroom/keys";
import type { Secret } from "@strongroom/keys";
import type { AccountId, DependentConfig } from "@strongroom/contract";
import { createHmac } from "node:crypto";
import { openEnvelope, readEnvelope } from "#features/secrets/index.ts";
import type { SecretRow } from "#features/secrets/index.ts";
import { connectorOf, loginTargetOf } from "#features/verification/index.ts";
import type { DependentRow } from "./dependents.store.ts";
import { DEPENDENT_KEYS } from "./dependent-mac.ts";
import { SIGNING_PURPOSE } from "./dependents.ts";
import type { Updated } from "./dependents.ts";
import type { RotationContext } from "../context.ts";
import { replaceValue, replaceWithReference } from "./replace-value.ts";
import { updateAuthorizedKey } from "./update-authorized-key.ts";

const TIMEOUT_MS = 20_000;

/** A stored secret with its active version, still sealed. */
export interface OpenableSecret {
  secretRow: SecretRow;
  envelope: Buffer;
}

/** A dependent to update. The use of its secrets is already recorded. */
export interface DependentTask {
  row: DependentRow;
  account: OpenableSecret;
  /** The account that delivers the password or takes it over, or null. */
  other: OpenableSecret | null;
}

/**
 * `takeOver` stores the secret in another account. Returns an outcome for every failure of a target; no message
 * contains a secret.
 */
export async function updateOne(
  context: RotationContext,
  task: DependentTask,
  signal: AbortSignal,
  takeOver: (secret: Secret) => Promise<Updated>,
): Promise<Updated> {
  const { clock } = context.kernel;
  const verifyContext = { timeoutMs: TIMEOUT_MS, signal, network: context.network, now: () => clock.now() };
  using secret = await open(context, task.account);
  const { config } = task.row;
  switch (config.kind) {
    case "account":
      return await takeOver(secret);
    case "authorized-key":
      return await replaceAuthorizedKey(context, task, config, secret, verifyContext);
    case "webhook":
      return updatedBy(await sendWebhook(context, task, config.url, verifyContext));
    case "ssh-file":
      return updatedBy(await writeSecretFile(context, task, config, secret, verifyContext));
    case "file-value":
      return updatedBy(await replaceInValue(context, task, config.path, secret, verifyContext));
    case "file-reference":
      return updatedBy(await replaceByReference(context, task, config.path, verifyContext));
    case "linked-user":
      return await setPassword(context, task, config.username, secret, verifyContext);
  }
}

const open = ({ kernel }: RotationContext, { secretRow, envelope }: OpenableSecret): Promise<Secret> => {
  const { id, user_id, safe_id, secret_version: version } = secretRow;
  return openEnvelope(kernel, { id, user_id, safe_id, version, envelope });
};

const updatedBy = (result: ChangeResult | VerifyResult): Updated => ({
  isDone: result.outcome === "verified" || result.outcome === "changed",
  message: result.message,
});

/** The body only announces a new version; it never contains the password. */
async function sendWebhook(
  { kernel }: RotationContext,
  { row, account }: DependentTask,
  url: string,
  verifyContext: VerifyContext,
): Promise<VerifyResult> {
  const { id, name, username, host, secret_version: version } = account.secretRow;
  const body = JSON.stringify({
    event: "account.rotated",
    account: { id, name, username, host },
    version,
    at: kernel.clock.now().toISOString(),
  });
  const kek = await kernel.keys.kekFor(DEPENDENT_KEYS);
  using key = openSecret(kek, { purpose: SIGNING_PURPOSE, recordId: row.id, version: 1 }, row.signing_key!);
  const signature = createHmac("sha256", key.reveal()).update(body, "utf8").digest("hex");
  return sendNotice(url, body, { "strongroom-signature": `sha256=${signature}` }, verifyContext);
}

async function writeSecretFile(
  context: RotationContext,
  { account, other }: DependentTask,
  { path, mode, template, reload_unit }: Extract<DependentConfig, { kind: "ssh-file" }>,
  secret: Secret,
  verifyContext: VerifyContext,
): Promise<ChangeResult | VerifyResult> {
  const via = other!;
  if (connectorOf(via.secretRow).id !== "linux") return unfit(`"${via.secretRow.name}" does not log in over SSH.`);
  using login = await open(context, via);
  const filled = { username: account.secretRow.username ?? "", password: secret.reveal() };
  const content = template.replaceAll(/\{\{(username|password)\}\}/g, (_, word: keyof typeof filled) => filled[word]);
  const file = { path, mode, content, reloadUnit: reload_unit };
  return await writeFile(loginTargetOf(via.secretRow), login, file, verifyContext);
}

async function replaceInValue(
  context: RotationContext,
  task: DependentTask,
  path: string,
  secret: Secret,
  verifyContext: VerifyContext,
): Promise<ChangeResult | VerifyResult> {
  const after = secret.reveal();
  return editFile(context, task, verifyContext, (before) => ({
    path,
    edit: (content) => replaceValue(content, { path, before, after }),
  }));
}

/** INVARIANT: no copy of the file with the secret stays beside it. */
async function replaceByReference(
  context: RotationContext,
  task: DependentTask,
  path: string,
  verifyContext: VerifyContext,
): Promise<ChangeResult | VerifyResult> {
  const accountId = task.account.secretRow.id as AccountId;
  return editFile(context, task, verifyContext, (before) => ({
    path,
    keepsBackup: false,
    written: "a reference to the account",
    edit: (content) => replaceWithReference(content, { path, before, accountId }),
  }));
}

/** The secret that the dependent has since its last update; null when it is no longer stored. */
async function openPrevious(context: RotationContext, { row, account }: DependentTask): Promise<Secret | null> {
  if (row.version === null) return null;
  const envelope = await readEnvelope(context.kernel.database.db, account.secretRow.id, row.version);
  if (envelope === null) return null;
  return open(context, { secretRow: { ...account.secretRow, secret_version: row.version }, envelope });
}

async function replaceAuthorizedKey(
  context: RotationContext,
  task: DependentTask,
  config: Extract<DependentConfig, { kind: "authorized-key" }>,
  secret: Secret,
  verifyContext: VerifyContext,
): Promise<Updated> {
  using previous = await openPrevious(context, task);
  if (previous === null) return updatedBy(unfit("The key that this login trusts is no longer stored."));
  const keys = { previous, secret };
  return await updateAuthorizedKey(task.account.secretRow, config, keys, verifyContext);
}

/** The previous password, as the file has it since the last update, shows what to replace. */
async function editFile(
  context: RotationContext,
  task: DependentTask,
  verifyContext: VerifyContext,
  editOf: (before: string) => FileEdit,
): Promise<ChangeResult | VerifyResult> {
  const via = task.other!;
  if (connectorOf(via.secretRow).id !== "linux") return unfit(`"${via.secretRow.name}" does not log in over SSH.`);
  using previous = await openPrevious(context, task);
  if (previous === null) return unfit("The password that the file contains is no longer stored.");
  using login = await open(context, via);
  return await replaceInFile(loginTargetOf(via.secretRow), login, editOf(previous.reveal()), verifyContext);
}

const WITH_USERS: ReadonlySet<string> = new Set(["postgresql", "mysql"]);

/** The other account sets the password on its target, and a fresh login verifies it. */
async function setPassword(
  context: RotationContext,
  { other }: DependentTask,
  username: string,
  secret: Secret,
  verifyContext: VerifyContext,
): Promise<Updated> {
  const via = other!;
  const connector = connectorOf(via.secretRow);
  // With other connectors, the account's settings could decide which commands are typed in the session.
  if (!WITH_USERS.has(connector.id) || connector.reconcile === undefined)
    return updatedBy(unfit(`"${via.secretRow.name}" cannot set other users' passwords.`));
  const target = { ...loginTargetOf(via.secretRow), username };
  using login = await open(context, via);
  const by = { username: via.secretRow.username ?? "", secret: login };
  const change = await connector.reconcile(target, by, secret, verifyContext);
  if (change.outcome !== "changed") return updatedBy(change);
  return updatedBy(await connector.verify(target, secret, verifyContext));
}

const unfit = (message: string): VerifyResult => ({
  outcome: "misconfigured",
  code: "bad-input",
  message,
  durationMs: 0,
});
