// Stores the secrets of findings in a safe, and starts the rotation and the update of their files.
import { isFilePlace, NewAccount, placeName, VaultSettings } from "@strongroom/contract";
import type {
  AccountId,
  FindingFix,
  FindingId,
  RotationId,
  undoVaulting as undoEndpoint,
  vaultFindings as vaultEndpoint,
} from "@strongroom/contract";
import type { Kek, Secret } from "@strongroom/keys";
import { appendAudit } from "#kernel/audit/append.ts";
import { systemEntry } from "#kernel/audit/entry.ts";
import { absentActor } from "#kernel/authz/actor.ts";
import type { Tx } from "#kernel/db/database.ts";
import type { Call } from "#kernel/http/call.ts";
import type { SteppedCall } from "#kernel/http/implement.ts";
import { Refusal, refuse } from "#kernel/http/refuse.ts";
import { retrievableSafes } from "#features/accounts/index.ts";
import { requirePermission } from "#features/safes/index.ts";
import { keyOfSafe } from "#features/secrets/index.ts";
import { findUser } from "#features/users/index.ts";
import { addChange, lockManaged, publish } from "./change-findings.ts";
import { auditTarget } from "./findings.ts";
import type { FindingsContext } from "./findings.ts";
import { titleOf } from "./findings.policy.ts";
import { updateFinding } from "./findings.store.ts";
import { lockFindings } from "./lock-findings.store.ts";
import type { LockedFinding } from "./lock-findings.store.ts";
import {
  fingerprintOf,
  lockVaulting,
  newFindingsOf,
  otherFixOf,
  platformOf,
  readFix,
  saveFix,
  updateFix,
  versionOf,
} from "./fixes.store.ts";
import type { FixRow } from "./fixes.store.ts";
import { canUndo, toFix } from "./fixes.ts";
import { indexSecrets } from "./known-secrets.ts";
import { accountOfFix, accountWithSecret } from "./known-secrets.store.ts";
import { loginOf, tlsOfLogin } from "./login-of-finding.ts";
import type { LoginOfFinding } from "./login-of-finding.ts";
import { openTarget, readSecrets, scannedSystem } from "./secret-of-finding.ts";
import type { OpenedTarget } from "./secret-of-finding.ts";

type VaultCall = SteppedCall<typeof vaultEndpoint>;
type Order = Pick<VaultCall, "actor" | "body" | "signal">;

interface Ready {
  row: LockedFinding;
  opened: OpenedTarget;
  secret: Secret;
  safeId: string;
  kek: Kek;
  platformId: string;
}

/** Accounts by the fingerprint of their secret: one secret in several files is one account. */
type Stored = Map<string | null, { id: string; version: number }>;

/**
 * FIND-13. Findings whose secret cannot be read do not stop the others. Accounts, dependents and rotations of all others
 * are one transaction: a process that is killed before it stores nothing, and afterwards the rotation's and the dependent's
 * own journals continue.
 */
export async function vaultFindings(context: FindingsContext, call: VaultCall) {
  if (call.body.fixFiles && call.body.useReferences) {
    const message = "Either update the files or replace their secrets by references.";
    throw refuse(422, "finding.two-fixes", message, { errors: [{ path: "useReferences", msg: message }] });
  }
  const failed: { id: FindingId; code: string; message: string }[] = [];
  const fail = (id: string, { code, message }: { code: string; message: string }) =>
    void failed.push({ id: id as FindingId, code, message });
  // A secret that an account already has is linked, not stored twice.
  await indexSecrets(context.kernel);
  const ready = await readAll(context, call, fail);
  try {
    return await call.commit(async (tx) => {
      const accounts: { finding_id: FindingId; account_id: AccountId; rotation_id: RotationId | null }[] = [];
      const stored: Stored = new Map();
      await lockVaulting(
        tx,
        ready.map(({ row }) => row.fingerprint),
      );
      for (const each of ready) {
        accounts.push({ finding_id: each.row.id as FindingId, ...(await vaultOne(context, call, tx, each, stored)) });
      }
      await publish(
        context,
        tx,
        ready.map(({ row }) => row),
      );
      const vaulted = accounts.length;
      call.note({
        result: vaulted === 0 ? "failure" : "success",
        details: { accounts: accounts.map(({ account_id }) => account_id), vaulted, failed: failed.length },
      });
      return { vaulted, accounts, failed, message: `Vaulted ${vaulted} finding(s) successfully` };
    });
  } finally {
    for (const { secret } of ready) secret.dispose();
  }
}

/** The results of vaulting for one scan. A secret that was tried once is not tried again. */
export interface AutoVaulting {
  scanId: string;
  requesterId: string;
  tried: Set<string>;
}

/** OPEN-117: stores the secrets of new findings for the user who requested the scan. Returns how many. */
export async function vaultNew(
  context: FindingsContext,
  { scanId, requesterId, tried }: AutoVaulting,
  signal: AbortSignal,
): Promise<number> {
  const { kernel } = context;
  const person = await findUser(kernel.database.db, requesterId);
  const found = (await newFindingsOf(kernel.database.db, scanId)) as FindingId[];
  const findingIds = found.filter((id) => !tried.has(id));
  if (person?.status !== "active" || findingIds.length === 0) return 0;
  for (const id of findingIds) tried.add(id);
  const actor = absentActor(person);
  const order = {
    actor,
    body: { findingIds, vaultSettings: VaultSettings.parse({}), fixFiles: false, useReferences: false, login: {} },
    signal,
  };
  await indexSecrets(kernel);
  const ready = await readAll(context, order, () => {});
  const stored: Stored = new Map();
  let count = 0;
  try {
    for (const each of ready) {
      const { fingerprint } = each.row;
      const known = stored.get(fingerprint);
      try {
        await kernel.database.transaction(async (tx) => {
          await lockVaulting(tx, [fingerprint]);
          const { account_id } = await vaultOne(context, order, tx, each, stored);
          const details = { account: account_id, scan: scanId, requester: actor.id };
          const note = { target: auditTarget(each.row.id, each.row.path), details };
          await appendAudit(tx, [systemEntry("finding.auto-vaulted", "findings", note, kernel.clock.now())]);
        });
        count += 1;
      } catch (error) {
        // A secret that belongs to no known account stays a finding.
        if (!(error instanceof Refusal)) throw error;
        if (known === undefined) stored.delete(fingerprint);
        else stored.set(fingerprint, known);
      }
    }
    return count;
  } finally {
    for (const { secret } of ready) secret.dispose();
  }
}

async function readAll(
  context: FindingsContext,
  call: Order,
  fail: (id: string, refusal: { code: string; message: string }) => void,
): Promise<Ready[]> {
  const { kernel } = context;
  const ids = [...new Set(call.body.findingIds)];
  const rows = await kernel.database.transaction((tx) => lockFindings(tx, call.actor, ids));
  const known = new Map(rows.map((row) => [row.id, row]));
  for (const id of ids) {
    if (!known.has(id)) fail(id, { code: "finding.not-found", message: "Security finding not found" });
  }
  const ready: Ready[] = [];
  for (const targetId of new Set(rows.map(({ target_id }) => target_id))) {
    const ofTarget = rows.filter(({ target_id }) => target_id === targetId);
    try {
      const opened = await openTarget(context, call.actor, targetId);
      const safeId = call.body.safeId ?? opened.target.safe_id;
      await requirePermission(kernel.database.db, call.actor, safeId, "add");
      const kek = await kernel.keys.kekFor(keyOfSafe(safeId));
      const usual = call.body.platformId ?? (await platformOf(kernel.database.db, opened.credential.id));
      if (usual === null) throw refuse(422, "finding.no-platform", "Choose a platform for the account.");
      const secrets = await readSecrets(context, opened, ofTarget, call.signal);
      for (const row of ofTarget) {
        const secret = secrets.get(row.id)!;
        if (secret instanceof Refusal) fail(row.id, secret);
        else ready.push({ row, opened, secret, safeId, kek, platformId: usual });
      }
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      for (const { id } of ofTarget) fail(id, error);
    }
  }
  return ready;
}

async function vaultOne(context: FindingsContext, call: Order, tx: Tx, it: Ready, stored: Stored) {
  const { kernel, accounts, rotation } = context;
  const { actor, body } = call;
  const { row, opened } = it;
  const [now] = await lockFindings(tx, actor, [row.id]);
  if (now?.can_manage !== true) throw refuse(403, "finding.not-allowed", "You need permission to add accounts.");
  const earlier = await readFix(tx, row.id);
  if (earlier !== null && earlier.undone_at === null && earlier.active_version !== null) {
    throw refuse(409, "finding.vaulted", `"${titleOf(row)}" is already in a safe.`);
  }
  const comparer = { id: actor.id, safes: retrievableSafes(actor) };
  const known =
    stored.get(row.fingerprint) ??
    (await accountOfFix(tx, comparer, row.fingerprint)) ??
    (await accountWithSecret(tx, comparer, row.fingerprint, row.match_account_id));
  if (known !== null) await accounts.requireSecret(tx, actor, known.id);
  const account = known ?? { id: await storeAccount(context, call, tx, it), version: 1 };
  stored.set(row.fingerprint, account);
  let dependentId: string | null = null;
  if (body.fixFiles || body.useReferences) {
    const { credential, target } = opened;
    if (!isFilePlace(row.path)) {
      const message = "Strongroom changes only files of hosts. Vault the secret, then change the value yourself.";
      throw refuse(422, "finding.not-a-file", message);
    }
    if (credential.host?.toLowerCase() !== target.hostname.toLowerCase() || (credential.port ?? 22) !== target.port) {
      const message = `The credential of "${target.name}" logs in to another host, so it cannot change the file.`;
      throw refuse(409, "finding.credential-elsewhere", message);
    }
    dependentId = await rotation.addDependent(tx, {
      actor,
      accountId: account.id,
      name: `${row.path.slice(-80)} on ${target.name}`.slice(0, 100).toWellFormed(),
      config: {
        kind: body.useReferences ? "file-reference" : "file-value",
        via_account_id: credential.id as AccountId,
        path: row.path,
      },
      version: account.version,
    });
  }
  const mustRotate = body.fixFiles || body.vaultSettings.autoRotate;
  const rotationId = mustRotate ? await rotation.rotate(tx, actor, account.id) : null;
  await saveFix(tx, {
    finding_id: row.id,
    account_id: account.id,
    dependent_id: dependentId,
    rotation_id: rotationId,
    is_new_account: known === null,
    version: account.version,
    settings: JSON.stringify(body.vaultSettings),
    requested_by: actor.name,
    created_at: kernel.clock.now(),
  });
  // INVARIANT: users who see a twin learn nothing of the account, so the twin keeps its status.
  await updateFinding(tx, row.id, {
    account_id: account.id,
    auto_vaulted: true,
    status: now.status === "new" ? "investigating" : now.status,
  });
  await addChange(context, tx, call, row.id, { kind: "vaulted", from: null, to: account.id, reason: null });
  return { account_id: account.id as AccountId, rotation_id: rotationId as RotationId | null };
}

async function storeAccount(
  { kernel, accounts }: FindingsContext,
  { actor, body }: Order,
  tx: Tx,
  { row, opened, secret, safeId, kek, platformId }: Ready,
): Promise<string> {
  const scanned = scannedSystem(opened);
  const login = loginOf(row, scanned, body.login);
  if (typeof login === "string") throw refuse(422, "finding.login-unknown", login);
  const { username, hostname, port, systemType, connectionMethod, databaseName } = login;
  const { sslEnabled, additionalParams } = tlsOfLogin(login, scanned);
  const fields = NewAccount.safeParse({
    name: `${username} on ${hostname}`.slice(0, 100).toWellFormed(),
    username,
    hostname,
    port,
    system_type: systemType,
    connection_method: connectionMethod,
    database_name: databaseName,
    schema_name: usualSchema(login),
    ssl_enabled: sslEnabled,
    additional_params: additionalParams,
    platform_id: platformId,
    safe_id: safeId,
    password: secret.reveal(),
    notes: `Found in ${placeName(row.path)} on ${opened.target.name}.`,
  });
  if (!fields.success) {
    const [issue] = fields.error.issues;
    throw refuse(422, "finding.account-invalid", `${String(issue?.path[0])}: ${issue?.message ?? "invalid"}`);
  }
  const at = kernel.clock.now();
  return (await accounts.insert(tx, { fields: fields.data, actor, kek, at, reason: "imported" })).id;
}

const usualSchema = ({ systemType, username }: LoginOfFinding): string | null =>
  systemType === "postgresql" ? "public" : systemType === "oracle" ? username : null;

export async function undoVaulting(
  context: FindingsContext,
  call: Call<typeof undoEndpoint>,
  tx: Tx,
): Promise<FindingFix> {
  await lockVaulting(tx, [await fingerprintOf(tx, call.params.id)]);
  const row = await lockManaged(tx, call);
  const fix = await readFix(tx, row.id);
  if (fix === null) throw refuse(404, "finding.not-vaulted", "This finding was not vaulted.");
  if (!canUndo(fix)) throw secretChanged();
  if (fix.dependent_id !== null) await context.rotation.removeDependent(tx, fix.account_id!, fix.dependent_id);
  const removed = fix.is_new_account && (await removeUnlessShared(context, tx, call, fix));
  await updateFix(tx, row.id, { undone_at: context.kernel.clock.now() });
  await updateFinding(tx, row.id, { auto_vaulted: false, account_id: row.match_account_id });
  await addChange(context, tx, call, row.id, { kind: "vaulted", from: fix.account_id, to: null, reason: "Undone" });
  call.note({ details: { account: fix.account_id, removed } });
  await publish(context, tx, [row]);
  return toFix((await readFix(tx, row.id))!);
}

const secretChanged = () =>
  refuse(409, "finding.rotated", "The secret or the file was changed, so vaulting cannot be undone.");

/** Removes the account unless another finding needs it. Returns whether it was removed. */
async function removeUnlessShared(
  { accounts }: FindingsContext,
  tx: Tx,
  { actor }: Pick<Call, "actor">,
  fix: FixRow,
): Promise<boolean> {
  const other = await otherFixOf(tx, fix.account_id!, fix.finding_id);
  if (other !== null) {
    await updateFix(tx, other, { is_new_account: true });
    return false;
  }
  await accounts.remove(tx, actor, fix.account_id!);
  // INVARIANT: a rotation that ended while this waited for the account's lock keeps its password, which is in no file.
  if ((await versionOf(tx, fix.account_id!)) !== fix.version) throw secretChanged();
  return true;
}
