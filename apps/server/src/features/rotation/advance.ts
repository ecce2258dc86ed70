// Takes a rotation one turn further, in one transaction: what happened is on record, and so is what is about to happen.
import type { Connector } from "@strongroom/connectors";
import type { Tx } from "#kernel/db/database.ts";
import type { CredentialRow } from "#features/credentials/index.ts";
import { storeCandidate, versionIn } from "./make-candidate.ts";
import type { Made, Stored } from "./make-candidate.ts";
import { publishTurn, recordUse } from "./record-turn.ts";
import { storeResults } from "./store-results.ts";
import type { Act, Happening } from "./rotation.policy.ts";
import { write } from "./rotation.store.ts";
import type { RotationRow } from "./rotation.store.ts";
import { see } from "./sight.store.ts";
import type { Reconciler, Sight } from "./sight.store.ts";
import type { Site } from "./site.ts";
import { connectorOf, meansOf, next, note, turnOf } from "./turn.ts";
import type { Done, Login, Turn } from "./turn.ts";
import { ATTENTION } from "./words.ts";

/** Longer than all that happens between two turns. */
export const LEASE_SECONDS = 60;
const WHILE_VERIFYING_MS = 2_000;

/** What is to be done outside of the database. It is on record. */
export type Errand = { credential: CredentialRow; connector: Connector } & (
  | { do: "send"; by: "account"; current: Stored; candidate: Stored }
  | { do: "send"; by: "reconcile-account"; reconciler: Reconciler; candidate: Stored }
  | { do: "probe"; secret: Stored }
  | { do: "retire"; current: Stored; retired: Stored }
  | { do: "make-key"; current: Stored }
  | { do: "issue"; current: Stored }
);

export interface Advanced {
  row: RotationRow;
  /** Null: the lease is given back. */
  errand: Errand | null;
}

/** Null: the lease was lost, and nothing is written. */
export async function advance(
  site: Site,
  row: RotationRow,
  done: readonly Done[],
  made: Made | null,
): Promise<Advanced | null> {
  const { kernel } = site;
  return kernel.database
    .swiftTransaction(async (tx) => {
      const sight = await see(tx, row.credential_id);
      const at = kernel.clock.now();
      const turn = turnOf(row);
      for (const each of done) note(turn, each);
      if (turn.proof !== null) weigh(turn, turn.proof, sight, row);
      const errand = sight.credential === null ? null : await decide(site, tx, { row, turn, sight, made, at });
      return await save(site, tx, { row, turn, sight, errand, at });
    })
    .catch((error: unknown) => {
      if (error === LOST) return null;
      throw error;
    });
}

const LOST = new Error("the lease of a rotation was lost");

/** A secret from before this rotation that works is taken up, and told as what it is. */
function weigh(turn: Turn, { version }: Login, { versions }: Sight, { started_at }: RotationRow): void {
  const found = versions.find((each) => each.version === version);
  turn.isNew = found === undefined || found.created_at >= started_at;
  if (turn.isNew) return;
  const message = `An earlier secret, version ${version}, is in force again on the system. It is stored as the one in force.`;
  turn.lines.push({ at: turn.lines.at(-1)!.at, step: turn.journal.step, message });
}

interface Situation {
  row: RotationRow;
  turn: Turn;
  sight: Sight;
  at: Date;
}

async function decide(
  site: Site,
  tx: Tx,
  { row, turn, sight, made, at }: Situation & { made: Made | null },
): Promise<Errand | null> {
  const credential = sight.credential!;
  const connector = connectorOf(credential);
  // Nothing was sent yet: what was stored since it was planned is what is changed.
  if (turn.journal.step === "planned" && turn.journal.candidate === null) {
    const old = credential.secret_version;
    turn.journal = { ...turn.journal, old, earlier: earlierOf(sight, old) };
  }
  for (;;) {
    if (isGivenUp(turn, sight)) {
      turn.journal = { ...turn.journal, step: "ended", attention: null };
      turn.isCancelled = true;
      return null;
    }
    const means = meansOf(connector, sight, turn.kind, credential);
    const act = next(turn, means, sight.reconciler?.is_refused === true, at);
    if (act === null) return null;
    if (mustWait(sight, act)) {
      turn.pauseMs = WHILE_VERIFYING_MS;
      return null;
    }
    if (act.do === "send" && turn.kind === "issued") {
      // The target made it, and there is nothing to send: it is asked whether it takes it by now.
      for (const kind of ISSUED) note(turn, { happening: kind, said: null, at, login: null });
      continue;
    }
    if (act.do !== "store") return errandOf(turn, sight, act, { credential, connector, at });
    const stored = await storeCandidate(site.kernel, tx, { row, turn, sight, made, at }, connector);
    if (stored === "make-key")
      return { do: "make-key", credential, connector, current: versionIn(sight, turn.journal.old) };
    if (stored === "issue") return { do: "issue", credential, connector, current: versionIn(sight, turn.journal.old) };
    note(turn, { happening: stored, said: null, at, login: null });
  }
}

/** What might be in force should the stored secret turn out not to be: the one before it, and the newest that was never proved. */
function earlierOf({ credential, versions }: Sight, old: number): number[] {
  const sendable = versions.filter(({ version }) => version >= (credential?.sendable_from ?? 1));
  const before = sendable.find(({ version, is_candidate }) => !is_candidate && version < old);
  const unproved = sendable.find(({ is_candidate }) => is_candidate);
  return [before, unproved].flatMap((found) => (found === undefined ? [] : [found.version]));
}

const ISSUED: readonly Happening[] = [{ kind: "sending", by: "account" }, { kind: "changed" }];

/** Its run was stopped, or what it belongs to is not active any more; and nothing of it is in doubt. */
const isGivenUp = ({ journal }: Turn, { is_run_cancelled, is_active }: Sight): boolean =>
  (is_run_cancelled || !is_active) && !journal.inDoubt && (journal.step === "planned" || journal.step === "stored");

/** Others are logging in with what would be changed. */
function mustWait({ is_verifying, reconciler }: Sight, act: Act): boolean {
  return is_verifying || (act.do === "send" && act.by === "reconcile-account" && reconciler?.is_changing === true);
}

function errandOf(
  turn: Turn,
  sight: Sight,
  act: Exclude<Act, { do: "store" }>,
  { credential, connector, at }: { credential: CredentialRow; connector: Connector; at: Date },
): Errand {
  const base = { credential, connector };
  const { old, candidate } = turn.journal;
  switch (act.do) {
    case "probe":
      return { ...base, do: "probe", secret: versionIn(sight, act.version) };
    case "retire":
      return { ...base, do: "retire", current: versionIn(sight, candidate!), retired: versionIn(sight, old) };
    case "send": {
      const sending: Happening = { kind: "sending", by: act.by };
      const errand = { ...base, do: "send" as const, candidate: versionIn(sight, candidate!) };
      note(turn, { happening: sending, said: null, at, login: null });
      return act.by === "account"
        ? { ...errand, by: "account", current: versionIn(sight, old) }
        : { ...errand, by: "reconcile-account", reconciler: sight.reconciler! };
    }
    default:
      throw new Error(`${act.do} is no errand`);
  }
}

async function save(
  site: Site,
  tx: Tx,
  { row, turn, sight, errand, at }: Situation & { errand: Errand | null },
): Promise<Advanced> {
  const ending = endingOf(turn, sight, row);
  if (ending.line !== null) turn.lines.push({ at, step: "ended", message: ending.line });
  const isOver = errand === null;
  const release = isOver ? { afterMs: turn.journal.step === "ended" ? null : turn.pauseMs } : null;
  const message = ending.line ?? messageOf(turn, sight, row);
  const { attention } = turn.journal;
  const { id, lease_token } = row;
  const mine = await write(tx, {
    id,
    token: lease_token!,
    journal: turn.journal,
    kind: turn.kind,
    lines: turn.lines,
    message,
    code: attention,
    outcome: ending.outcome,
    release,
    leaseSeconds: LEASE_SECONDS,
    at,
  });
  if (!mine) throw LOST;
  const written: RotationRow = {
    ...row,
    journal: turn.journal,
    step: turn.journal.step,
    kind: turn.kind,
    message,
    code: attention,
    outcome: ending.outcome,
    needs_attention: attention !== null,
    tries: turn.journal.tries,
  };
  const result = { before: row, row: written, turn, credential: sight.credential, at };
  await recordUse(tx, written, { compared: turn.compared, errand }, at);
  await storeResults(site, tx, result);
  await publishTurn(site, tx, { ...result, isReleased: isOver });
  return { row: written, errand };
}

const RUN_STOPPED = "The run was stopped. Nothing was changed.";
const INACTIVE = "The account, its platform or its safe is not active any more. Nothing was changed.";

interface Ending {
  outcome: RotationRow["outcome"];
  line: string | null;
}

function endingOf(turn: Turn, sight: Sight, row: RotationRow): Ending {
  if (sight.credential === null) {
    turn.journal = { ...turn.journal, step: "ended" };
    return { outcome: "superseded", line: `"${row.credential_name}" was deleted.` };
  }
  if (turn.isCancelled) return { outcome: "cancelled", line: sight.is_active ? RUN_STOPPED : INACTIVE };
  return { outcome: turn.journal.step === "ended" ? "rotated" : null, line: null };
}

const HELD_BACK = "The platform's reconcile account was refused before, and is not tried again until it is put right.";

function messageOf({ journal, lines, ...turn }: Turn, { reconciler }: Sight, row: RotationRow): string {
  const { attention } = journal;
  const said = turn.said ?? (reconciler?.is_refused === true ? HELD_BACK : null);
  if (attention === null) return lines.at(-1)?.message ?? row.message;
  const general = attention in ATTENTION ? ATTENTION[attention as keyof typeof ATTENTION] : "";
  return said === null ? general : `${general} ${said}`;
}
