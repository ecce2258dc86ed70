// The sequencer: appends pending entries to the tree in batches and signs a checkpoint after each.
import {
  EMPTY_FRONTIER,
  appendLeaves,
  leafHash,
  parseCheckpoint,
  rootHash,
  signCheckpoint,
} from "@strongroom/auditlog";
import { EnvelopeError, SealedError } from "@strongroom/keys";
import type { KeyRing } from "@strongroom/keys";
import type { PendingKeys } from "#kernel/audit/pending-keys.ts";
import type { Clock } from "#kernel/clock.ts";
import type { Database, Db, Tx } from "#kernel/db/database.ts";
import type { Log } from "#kernel/log.ts";
import type { CheckpointFile } from "./tree/checkpoint-file.ts";
import type { Contradictions } from "./contradictions/contradictions.ts";
import type { ContradictionRow, FoundContradiction } from "./contradictions/contradictions.store.ts";
import { addToCounts } from "./trail/counts.store.ts";
import { insertNames } from "./trail/names.store.ts";
import { addToHours, moveToEnd } from "./order.store.ts";
import { openPendingCheck } from "./pending/pending.ts";
import type { Accepted, PendingCheck } from "./pending/pending.ts";
import { hasPending } from "./pending/pending.store.ts";
import type { LogIdentity, OpenLog } from "./tree/signing-key.ts";
import { createKnownNames } from "./trail/subject-names.ts";
import { Contradicted, continueFrom, readKnown, requireKnown } from "./tree/tree.ts";
import type { Known, NewContradiction } from "./tree/tree.ts";
import { insertCheckpoint, insertLeaves, insertNodes, tryLockTree, readHead } from "./tree/tree.store.ts";

/**
 * Milliseconds between polls for pending entries: short enough that an entry gets its proof well within a second.
 * LISTEN/NOTIFY is not used because commits that notify are serialised by one lock while they flush, which halved the
 * recorded entries per second at 16 connections.
 */
const LOOK_INTERVAL = 250;
/** The delay after a failure, and while an administrator's decision is pending. */
const FAILED_INTERVAL = 2000;
const STOPPED_INTERVAL = 1000;
const FILE_INTERVAL = 1000;
const COMPARE_INTERVAL = 2000;
const BATCH = 1000;
const IN_FOLDER = "the checkpoint in the data folder";

export interface Sequencer {
  start(): void;
  /** Waits for the current batch and writes the newest checkpoint to the checkpoint file. */
  stop(): Promise<void>;
  /** Sequences all pending entries; null while the vault is sealed or a contradiction is open. */
  sequence(): Promise<number | null>;
  /** Compares the database with all state known outside the database, and reports contradictions. */
  compare(): Promise<void>;
  /**
   * Reports a contradiction found elsewhere, for example by a witness. A contradiction about the log itself stops
   * signing.
   */
  report(found: NewContradiction): Promise<void>;
  /**
   * One sentence that says why no entries are sequenced, or what an administrator has to check; null if there is no
   * problem.
   */
  problem(): string | null;
  /** Contradictions that this process found and no administrator has accepted. */
  open(): readonly FoundContradiction[];
}

interface Parts {
  database: Database;
  clock: Clock;
  log: Log;
  openLog: OpenLog;
  keys: KeyRing;
  pendingKeys: PendingKeys;
  /** The data folder's subfolder for the audit trail. */
  folder: string;
  file: CheckpointFile;
  openContradictions: () => Promise<Contradictions>;
  /** The positions that the sinks report. */
  compareSinks: (db: Db, identity: LogIdentity) => Promise<NewContradiction[]>;
  /** Forgets the known positions of the sinks, which may be behind again after an older database was accepted. */
  forgetSinks: () => void;
}

export function createSequencer(parts: Parts): Sequencer {
  const { database, clock, log, openLog, keys, pendingKeys, folder, file } = parts;
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;
  /** Settles when all work requested so far is done. */
  let atWork: Promise<unknown> = Promise.resolve();
  let contradictions: Contradictions | null = null;
  /** Another process stopped the log; this process only read that from the database. */
  let isStoppedElsewhere = false;
  let isExamined = false;
  let isFailing = false;
  /** The newest checkpoint known to this process. */
  let known: Known | null = null;
  let pending: PendingCheck | null = null;
  const names = createKnownNames();
  let comparedAt = Number.NEGATIVE_INFINITY;
  let unwritten: string | null = null;
  let written: string | null = null;
  let writtenAt = Number.NEGATIVE_INFINITY;
  let writing: Promise<unknown> = Promise.resolve();

  const openOnes = async (): Promise<Contradictions> => (contradictions ??= await parts.openContradictions());
  const isContradicted = (): boolean =>
    isStoppedElsewhere || (contradictions?.open() ?? []).some(({ is_stopping }) => is_stopping);

  /** Runs `work`, or returns null while the vault is sealed, or while a contradiction is open or was just found. */
  async function unlessContradicted<T>(
    work: (identity: LogIdentity, check: PendingCheck) => Promise<T>,
  ): Promise<T | null> {
    try {
      const identity = await openLog();
      pending ??= await openPendingCheck({ database, keys, pendingKeys, folder, now: () => clock.now() });
      if (await waitsForDecision(identity)) return null;
      await examine(identity);
      return isContradicted() ? null : await work(identity, pending);
    } catch (error) {
      // The vault was sealed, or unsealed again: load the keys again.
      pending = null;
      if (error instanceof SealedError) return null;
      const found =
        error instanceof EnvelopeError ? unreadableKey() : error instanceof Contradicted ? error.found : null;
      // The contradiction was accepted before and still exists: the log cannot continue and reports an ordinary
      // failure.
      if (found === null || !(await contradict(found))) throw error;
      return null;
    }
  }

  const sequenceAll = () =>
    unlessContradicted(async (identity, check) => {
      // A batch that is not full contains all entries that were pending when it began. Later entries wait for the next
      // poll: under load some entry is always pending, and small batches without a pause cost as much as recording the
      // entries.
      let count = 0;
      for (let taken = BATCH; taken === BATCH; count += taken) taken = await sequenceBatch(identity, check);
      if (performance.now() - comparedAt >= COMPARE_INTERVAL) await compareOthers(identity, check);
      return count;
    });

  const compareAll = () =>
    unlessContradicted(async (identity, check) => {
      known = await continueFrom(database.db, identity, await readHead(database.db), known);
      const note = await file.read();
      if (note !== null) await requireKnown(database.db, identity, note, IN_FOLDER);
      await compareOthers(identity, check);
    });

  /** Applies administrators' decisions. True while a decision is pending. */
  async function waitsForDecision(identity: LogIdentity): Promise<boolean> {
    const register = await openOnes();
    const head = await readHead(database.db);
    const hasOpen = register.open().length > 0;
    const decided = hasOpen || isStoppedElsewhere ? await register.refresh() : [];
    for (const decision of decided) await follow(identity, decision);
    isStoppedElsewhere = (decided.length === 0 ? head : await readHead(database.db)).isStopped;
    return isContradicted();
  }

  /** After an administrator accepts a different history, continues from the checkpoint that the administrator saw. */
  async function follow(identity: LogIdentity, { is_stopping, base_note }: ContradictionRow): Promise<void> {
    if (!is_stopping) return;
    known = base_note === null ? null : readKnown(base_note, identity, "the checkpoint that an administrator accepted");
    unwritten = base_note;
    written = null;
    parts.forgetSinks();
    const there = await file.read();
    if (there !== null && !(await isContinued(identity, there))) await file.setAside(clock.now());
  }

  /** Whether the database extends the checkpoint in this note. */
  async function isContinued(identity: LogIdentity, note: string): Promise<boolean> {
    try {
      await requireKnown(database.db, identity, note, IN_FOLDER);
      return true;
    } catch (error) {
      if (error instanceof Contradicted) return false;
      throw error;
    }
  }

  /** Runs once before the first signature: checks that the database matches the data folder and the sinks. */
  async function examine(identity: LogIdentity): Promise<void> {
    if (isExamined) return;
    const note = await file.read();
    if (note !== null) {
      const { kept } = await requireKnown(database.db, identity, note, IN_FOLDER).catch(unlessAccepted);
      if (kept !== null && (known === null || kept.size > known.size)) known = kept;
      if (kept === null) await file.setAside(clock.now());
    }
    for (const found of await parts.compareSinks(database.db, identity)) await contradict(found);
    isExamined = true;
  }

  /** Forgets a contradicted checkpoint once another process has accepted the contradiction. */
  async function unlessAccepted(error: unknown): Promise<{ kept: null }> {
    if (!(error instanceof Contradicted)) throw error;
    const decision = await (await openOnes()).accepted(database.db, error.found);
    if (decision === null) throw error;
    return { kept: null };
  }

  /** Runs in one transaction: if the process dies, nothing has changed, and another process takes the same entries. */
  async function sequenceBatch(identity: LogIdentity, check: PendingCheck): Promise<number> {
    const before = await continueFrom(database.db, identity, await readHead(database.db), known);
    known = before;
    if (!(await hasPending(database.db, check.keyNames()))) return 0;
    const done = await database.transaction(async (tx) => {
      if (!(await tryLockTree(tx))) return null;
      const stored = await continueFrom(tx, identity, await readHead(tx), before);
      const taken = await check.take(tx, BATCH);
      const after = await extend(tx, identity, stored, taken.accepted);
      const fresh = names.newIn(taken.accepted.map(({ canonical }) => canonical));
      await insertNames(tx, fresh);
      return { taken, after, fresh };
    });
    if (done === null) return 0;
    names.remember(done.fresh);
    if (done.after !== null) {
      known = done.after;
      unwritten = done.after.note;
    }
    for (const found of done.taken.refused) await contradict(found);
    return done.taken.count;
  }

  async function extend(
    tx: Tx,
    { origin, signer }: LogIdentity,
    stored: Known | null,
    accepted: readonly Accepted[],
  ): Promise<Known | null> {
    if (accepted.length === 0) return null;
    const before = stored?.frontier ?? EMPTY_FRONTIER;
    const hashes = accepted.map(({ canonical }) => leafHash(canonical));
    const { frontier, nodes } = appendLeaves(before, hashes);
    const now = clock.now();
    const [size, root] = [frontier.size, rootHash(frontier)];
    const note = signCheckpoint({ origin, size, root }, signer, now);
    const ids = accepted.map(({ entry_id }) => entry_id);
    await insertLeaves(tx, before.size, ids, hashes);
    await moveToEnd(
      tx,
      accepted.filter(({ is_late }) => is_late).map(({ entry_id }) => entry_id),
    );
    await addToCounts(tx, ids);
    await addToHours(tx, ids);
    await insertNodes(tx, nodes);
    await insertCheckpoint(tx, { size, note, signed_at: now }, before.size);
    return { origin, size, root, note, frontier };
  }

  /** Checks the sinks' positions and the entries that this process recorded, at regular intervals. */
  async function compareOthers(identity: LogIdentity, check: PendingCheck): Promise<void> {
    comparedAt = performance.now();
    for (const found of await parts.compareSinks(database.db, identity)) await contradict(found);
    for (const found of await check.missing(database.db, performance.now())) await contradict(found);
  }

  /** True if the contradiction is open now, or if this process continues from an accepted checkpoint. */
  async function contradict(found: NewContradiction): Promise<boolean> {
    const decision = await (await openOnes()).report(found);
    if (decision === null) return true;
    // INVARIANT: a decision about a different contradiction, or an old decision, never replaces the checkpoint that
    // this
    // process knows.
    if (known === null || found.known !== known.note) return false;
    await follow(await openLog(), decision);
    return true;
  }

  /** Waits for any running write, then writes the newest checkpoint. */
  function writeFile(): Promise<void> {
    const write = async () => {
      if (unwritten === null) return;
      const note = unwritten;
      unwritten = null;
      writtenAt = performance.now();
      await file
        .write(note, (there) => mayReplace(there, note))
        .then((isWritten) => {
          if (isWritten) written = note;
        })
        .catch((error: unknown) => {
          unwritten ??= note;
          throw error;
        });
    };
    const work = writing.then(write);
    // The caller gets the error; the next checkpoint is written anyway.
    writing = work.catch(() => undefined);
    return work;
  }

  /** INVARIANT: the file only grows: another process may have written a newer checkpoint, and the tree contains it. */
  async function mayReplace(there: string, note: string): Promise<boolean> {
    if (there === written) return true;
    try {
      const { kept } = await requireKnown(database.db, await openLog(), there, IN_FOLDER);
      return kept.size < (parseCheckpoint(note)?.size ?? 0);
    } catch (error) {
      if (error instanceof SealedError) return false;
      if (!(error instanceof Contradicted)) throw error;
      await contradict(error.found);
      return false;
    }
  }

  async function look(): Promise<void> {
    try {
      await sequencer.sequence();
      if (performance.now() - writtenAt >= FILE_INTERVAL) await writeFile();
      isFailing = false;
    } catch (error) {
      log.warn({ err: error }, "could not append audit entries to the tree; trying again");
      isFailing = true;
    }
    const pause = isFailing ? FAILED_INTERVAL : isContradicted() ? STOPPED_INTERVAL : LOOK_INTERVAL;
    if (!isStopped) timer = setTimeout(() => void look(), pause).unref();
  }

  function problem(): string | null {
    const open = contradictions?.open() ?? [];
    const first = open.find(({ is_stopping }) => is_stopping);
    if (first !== undefined) return `The audit trail is stopped: ${first.message}`;
    if (isStoppedElsewhere) return "The audit trail is stopped: another process found a contradiction";
    if (open.length > 0) return "The audit trail has an open contradiction: an administrator must decide";
    return isFailing ? "New audit entries cannot be added to the tree" : null;
  }

  const sequencer: Sequencer = {
    start() {
      timer = setTimeout(() => void look(), 0).unref();
    },
    async stop() {
      isStopped = true;
      clearTimeout(timer);
      await atWork;
      await writeFile();
    },
    sequence() {
      const work = atWork.then(sequenceAll);
      // The caller gets the error; later work continues.
      atWork = work.catch(() => undefined);
      return work;
    },
    report(found) {
      const work = atWork.then(async () => void (await contradict(found)));
      atWork = work.catch(() => undefined);
      return work;
    },
    compare() {
      const work = atWork.then(async () => void (await compareAll()));
      atWork = work.catch(() => undefined);
      return work;
    },
    problem,
    open: () => contradictions?.open() ?? [],
  };
  return sequencer;
}

const unreadableKey = (): NewContradiction => ({
  source: "signing-key",
  subject: "",
  finding: {
    kind: "signature",
    index: null,
    message: "the stored key that signs the log was changed and cannot be opened",
  },
  claim: "unreadable",
  known: null,
});
