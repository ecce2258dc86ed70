// Asks for a rotation: of one's own credential, or of an account in whose safe one manages secrets.
import { canChange, connectorFor } from "@strongroom/connectors";
import type {
  ReplyOf,
  Rotation,
  RotationId,
  reconcileAccount as reconcileEndpoint,
  rotateAccount as rotateAccountEndpoint,
  rotateCredential as rotateCredentialEndpoint,
} from "@strongroom/contract";
import type { Tx } from "#kernel/db/database.ts";
import type { Call } from "#kernel/http/call.ts";
import { refuse } from "#kernel/http/refuse.ts";
import type { Refusal } from "#kernel/http/refuse.ts";
import { newId } from "#kernel/id.ts";
import { credentialNotFound, lockCredential } from "#features/credentials/index.ts";
import type { CredentialRow } from "#features/credentials/index.ts";
import { destinationOf, loginTargetOf, ownerOf } from "#features/verification/index.ts";
import { readCircumstances } from "./due.store.ts";
import type { Circumstances } from "./due.store.ts";
import { outOfReach } from "./reach.policy.ts";
import { after, planned } from "./rotation.policy.ts";
import type { By } from "./rotation.policy.ts";
import { changed } from "./rotation.ts";
import { insertRotations, readOpen, wake } from "./rotation.store.ts";
import type { Asker, NewRotation, ShownRotation } from "./rotation.store.ts";
import type { Site } from "./site.ts";
import { QUEUED } from "./words.ts";

type Started = ReplyOf<typeof rotateAccountEndpoint>;

export async function rotateCredential(site: Site, call: Call<typeof rotateCredentialEndpoint>, tx: Tx) {
  const { id } = call.params;
  call.note({ target: { type: "credential", id } });
  const row = await lockCredential(tx, call.actor, id);
  if (row === null) throw credentialNotFound();
  return start(site, call, tx, row, null);
}

export async function rotateAccount(site: Site, call: Call<typeof rotateAccountEndpoint>, tx: Tx) {
  return start(site, call, tx, await heldAccount(site, call, tx), null);
}

export async function reconcileAccount(site: Site, call: Call<typeof reconcileEndpoint>, tx: Tx) {
  return start(site, call, tx, await heldAccount(site, call, tx), "reconcile-account");
}

function heldAccount(
  { rotated }: Site,
  call: Call<typeof rotateAccountEndpoint> | Call<typeof reconcileEndpoint>,
  tx: Tx,
): Promise<CredentialRow> {
  const { id } = call.params;
  call.note({ target: { type: "account", id } });
  return rotated.hold(tx, call.actor, id, "manage_secret");
}

async function start(site: Site, call: Call, tx: Tx, row: CredentialRow, by: By | null): Promise<Started> {
  const { id: userId, name } = call.actor;
  const asked = { by, because: "asked", asker: { id: userId, name }, runId: null } as const;
  const rotation = await ask(site, tx, row, asked);
  const type = row.user_id === null ? "account" : "credential";
  call.note({
    target: { type, id: row.id, name: row.name },
    details: { rotation: rotation.id, by: rotation.journal.by },
  });
  const message = `Rotation process initiated for "${row.name}"`;
  return { success: true, rotation_id: rotation.id as RotationId, message };
}

export interface Asked {
  /** Null: as its platform says. */
  by: By | null;
  because: Rotation["because"];
  asker: Asker;
  runId: string | null;
}

/** The row is held. Goes on with the rotation that is open, if there is one. Throws 409 for what cannot be changed. */
export async function ask(site: Site, tx: Tx, row: CredentialRow, asked: Asked): Promise<ShownRotation> {
  const circumstances = await readCircumstances(tx, row.id);
  const refusal = hindrance(row, circumstances, asked.by);
  if (refusal !== null) throw refusal;
  const at = site.kernel.clock.now();
  const by = asked.by ?? circumstances.rotate_as ?? "account";
  const open = await readOpen(tx, row.id);
  if (open === null) {
    await insertRotations(tx, [newRotation(row, { ...asked, by }, at)]);
  } else if (open.state !== "running") {
    const tooOften = askedTooOften(open, at);
    if (tooOften !== null) throw tooOften;
    const journal = after(open.journal, { kind: "asked", by });
    const message = `${asked.asker.name} asked to go on.`;
    await wake(tx, open.id, { journal, message, asked_by: asked.asker, at });
  }
  const rotation = (await readOpen(tx, row.id))!;
  const { audience } = await ownerOf(site, tx, rotation);
  await site.kernel.events.publish(tx, changed(rotation, rotation.state, rotation.message, audience));
  return rotation;
}

/** The lock-out budget of people: so often in so long are refused secrets sent again because somebody asks. */
const MOST_ASKED = 2;
const ASKED_WITHIN_MS = 15 * 60_000;

function askedTooOften({ credential_name: name, journal, asked_again_at }: ShownRotation, at: Date): Refusal | null {
  if (journal.dead.length === 0) return null;
  const recent = asked_again_at.filter((each) => at.getTime() - each.getTime() < ASKED_WITHIN_MS);
  if (recent.length < MOST_ASKED) return null;
  const waitMs = recent.at(-MOST_ASKED)!.getTime() + ASKED_WITHIN_MS - at.getTime();
  const minutes = Math.ceil(waitMs / 60_000);
  const message = `The stored secrets of "${name}" were refused several times just now; trying them again could lock the account on its system. Store the right one, or try again in ${minutes} min.`;
  return refuse(409, "rotation.asked-often", message, { retryAfter: Math.ceil(waitMs / 1000) });
}

/** Null: it can be rotated. Throws nothing. */
export function hindrance(row: CredentialRow, now: Circumstances, wished: By | null): Refusal | null {
  const by = wished ?? now.rotate_as;
  if (now.account_status !== null && now.account_status !== "active") {
    return refuse(409, "account.not-active", `"${row.name}" is ${now.account_status}: its secret is not changed.`);
  }
  if (now.is_platform_active === false) {
    return refuse(409, "rotation.platform-inactive", "Its platform is not active: nothing of it is changed.");
  }
  const connector = connectorFor(loginTargetOf(row));
  const beyond = now.reconciler === null ? null : outOfReach(row, now.reconciler);
  const canReconcile = connector.reconcile !== undefined && now.reconciler !== null && beyond === null;
  if (by === "reconcile-account" && !canReconcile) {
    if (connector.reconcile !== undefined && beyond !== null) return refuse(409, beyond.code, beyond.message);
    const why =
      now.reconciler !== null ? "This kind of system knows no reconciling" : "Its platform names no reconcile account";
    return refuse(409, "rotation.no-reconcile-account", `${why}.`);
  }
  if (canChange(connector) || canReconcile) return null;
  const isKnown = connector.id !== "unsupported";
  const why = isKnown
    ? `Strongroom verifies ${connector.name} and cannot change it`
    : "No connector changes it on its system";
  return refuse(409, "rotation.not-supported", `The secret of "${row.name}" cannot be changed from here: ${why}.`);
}

export function newRotation(
  row: CredentialRow,
  { by, because, asker, runId }: Omit<Asked, "asker" | "by"> & { by: By; asker: Asker | null },
  at: Date,
): NewRotation {
  return {
    id: newId(at.getTime()),
    credential_id: row.id,
    user_id: row.user_id,
    credential_name: row.name,
    because,
    asked_by: asker,
    run_id: runId,
    target: destinationOf(row)?.toLowerCase() ?? null,
    journal: planned(row.secret_version, by),
    message: QUEUED,
    started_at: at,
  };
}
