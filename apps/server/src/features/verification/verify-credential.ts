// Verifies one credential: puts it on record, logs in outside any transaction, records how that went.
import type { Endpoint, VerifyReply, verifyCredential } from "@strongroom/contract";
import { setTimeout as delay } from "node:timers/promises";
import { appendAudit } from "#kernel/audit/append.ts";
import { callEntry, systemEntry } from "#kernel/audit/entry.ts";
import type { AuditNote } from "#kernel/audit/entry.ts";
import type { Tx } from "#kernel/db/database.ts";
import type { Call } from "#kernel/http/call.ts";
import type { SteppedCall } from "#kernel/http/implement.ts";
import { refuse } from "#kernel/http/refuse.ts";
import type { Kernel } from "#kernel/kernel.ts";
import { credentialNotFound, lockAnyCredential, lockCredential } from "#features/credentials/index.ts";
import type { CredentialRow } from "#features/credentials/index.ts";
import { beginAttempt } from "./begin-attempt.ts";
import type { Untried, Wish } from "./begin-attempt.ts";
import { concludeAttempt } from "./conclude-attempt.ts";
import type { Tried } from "./conclude-attempt.ts";
import { tryLogin } from "./try-login.ts";
import type { Site } from "./site.ts";
import { destinationOf, noteOf, toReply } from "./verification.ts";
import { findUnderWay, readAttempt } from "./verification.store.ts";
import type { AttemptRow } from "./verification.store.ts";

/** A little longer than an attempt can keep a credential busy, so that an abandoned one can be taken over. */
const PATIENCE_MS = 35_000;
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 500;

/** Puts what happens on record, in whoever's name it happens. */
export interface Recorder {
  begin(tx: Tx, note: AuditNote): Promise<void>;
  /** Runs `work` in the transaction that also holds the entry of the result. */
  conclude(work: (tx: Tx) => Promise<{ note: AuditNote; value: Tried }>): Promise<Tried>;
}

/**
 * One attempt of a credential is under way at a time, in all processes: who comes second waits and shares its result.
 * Throws 409 when others keep the credential busy for too long, and 429 when no place becomes free (see `gate.ts`).
 */
export async function verify(site: Site, wish: Wish, recorder: Recorder): Promise<Tried | Untried> {
  const { askedBy, credentialId } = wish;
  const attempt = () => attemptInTurn(site, wish, recorder);
  if (askedBy === null) return attempt();
  // Checked with the caller's rights, so that a place in the queue reveals nothing about things they may not see.
  const credential = await site.kernel.database.swiftTransaction((tx) => wish.lock(tx, credentialId));
  if (credential === null) return { kind: "gone" };
  const signal = AbortSignal.any([askedBy.signal, wish.signal]);
  return site.gate({ personId: askedBy.id, credentialId, target: endpointOf(credential), signal }, attempt);
}

/** Where a login with this credential goes, such as `db1:5432`; without a port where the connector has its own. */
function endpointOf(credential: CredentialRow): string | null {
  const host = destinationOf(credential);
  if (host === null) return null;
  const port = URL.parse(credential.connection_string ?? "")?.port || credential.port;
  return `${host.toLowerCase()}:${port ?? ""}`;
}

async function attemptInTurn(site: Site, wish: Wish, recorder: Recorder): Promise<Tried | Untried> {
  const { kernel } = site;
  const until = performance.now() + PATIENCE_MS;
  while (performance.now() < until) {
    // First it holds the credential, which alone would do nothing.
    const begun = await kernel.database.swiftTransaction((tx) =>
      beginAttempt(site, tx, wish, (note) => recorder.begin(tx, note)),
    );
    if (begun.kind === "begun") {
      const result = await tryLogin(site, begun, wish.signal);
      return recorder.conclude((tx) => concludeAttempt(site, tx, begun.attempt, result, wish.askedBy?.id ?? null));
    }
    if (begun.kind !== "under-way") return begun;
    const other = await endOf(kernel, begun.attempt, until);
    // Of an attempt with what was stored before, nothing is learnt: begin again.
    if (other === null || other.is_outdated || other.revision !== begun.revision) continue;
    return recorder.conclude((tx) => share(tx, other));
  }
  throw refuse(409, "verification.under-way", "This credential is being verified already. Try again in a minute.");
}

/** Waits for somebody else's attempt. Null when it was abandoned, or does not end in time. */
async function endOf(kernel: Kernel, attempt: AttemptRow, until: number): Promise<AttemptRow | null> {
  const { db } = kernel.database;
  let pause = FIRST_PAUSE_MS;
  while (performance.now() < until) {
    const underWay = await findUnderWay(db, attempt.credential_id);
    if (underWay?.attempt.id !== attempt.id) return readAttempt(db, attempt.id);
    if (underWay.isAbandoned) return null;
    await delay(pause);
    pause = Math.min(pause * 1.5, LONGEST_PAUSE_MS);
  }
  return null;
}

/** What a second caller is told, and what the trail says of it. */
async function share(tx: Tx, attempt: AttemptRow): Promise<{ note: AuditNote; value: Tried }> {
  const credential = await lockAnyCredential(tx, attempt.credential_id);
  const isAlarm = credential !== null && credential.offered_host_key !== null;
  const note = noteOf(attempt, isAlarm);
  return {
    note: { ...note, details: { ...note.details, is_shared: true } },
    value: { kind: "tried", attempt, credential },
  };
}

/** Verify Now: for the person who asked, whatever was refused before. */
export async function verifyNow(
  site: Site,
  call: SteppedCall<typeof verifyCredential>,
  signal: AbortSignal,
): Promise<VerifyReply> {
  const { id } = call.params;
  call.note({ target: { type: "credential", id } });
  const lock = (tx: Tx) => lockCredential(tx, call.actor, id);
  const wish: Wish = { ...manual(id, call, signal), lock };
  const verdict = await verify(site, wish, inNameOf(site.kernel, call));
  if (verdict.kind !== "tried" || verdict.credential === null) throw credentialNotFound();
  return toReply(verdict.attempt, verdict.credential);
}

/** For a person who asked for this one. */
export const manual = (
  credentialId: string,
  { actor: { id, name }, signal: left }: Pick<Call, "actor" | "signal">,
  signal: AbortSignal,
): Omit<Wish, "lock"> => ({
  credentialId,
  askedBy: { id, name, signal: left },
  trigger: "manual",
  isAutomatic: false,
  run: null,
  signal,
});

/** For a call: what begins and what ends is on record in the caller's name. */
export function inNameOf<E extends Endpoint>(kernel: Kernel, call: SteppedCall<E>): Recorder {
  return {
    begin: (tx, note) =>
      appendAudit(tx, [callEntry("verification.started", call.actor, call.request, note, kernel.clock.now())]),
    conclude: (work) =>
      call.commit(async (tx) => {
        const { note, value } = await work(tx);
        call.note(note);
        return value;
      }),
  };
}

/** For what the product does by itself. `last` ends the transaction of the result: what many wait for is held for a moment only. */
export function byItself(
  kernel: Kernel,
  last: (tx: Tx, attempt: AttemptRow) => Promise<void> = async () => {},
): Recorder {
  const entry = (event: string, note: AuditNote) => systemEntry(event, "verification", note, kernel.clock.now());
  return {
    begin: (tx, note) => appendAudit(tx, [entry("verification.started", note)]),
    conclude: (work) =>
      kernel.database.swiftTransaction(async (tx) => {
        const { note, value } = await work(tx);
        const event = note.target?.type === "account" ? "account.validated" : "credential.verified";
        await appendAudit(tx, [entry(event, note)]);
        await last(tx, value.attempt);
        return value;
      }),
  };
}
