// The sequencer: gives recorded entries their places in the tree, in batches, and signs a checkpoint after each.
import { appendLeaves, leafHash, rootHash, signCheckpoint } from "@strongroom/auditlog";
import type { Finding, TreeFrontier } from "@strongroom/auditlog";
import { SealedError } from "@strongroom/keys";
import type { Clock } from "#kernel/clock.ts";
import type { Database, Tx } from "#kernel/db/database.ts";
import type { Log } from "#kernel/log.ts";
import type { RaiseAlarm } from "./alarm.ts";
import type { CheckpointFile } from "./checkpoint-file.ts";
import { addToCounts } from "./counts.store.ts";
import { insertNames } from "./names.store.ts";
import type { LogIdentity, OpenLog } from "./signing-key.ts";
import { createKnownNames } from "./subject-names.ts";
import { DamagedTree, loadFrontier } from "./tree.ts";
import {
  hasPending,
  insertCheckpoint,
  insertLeaves,
  insertNodes,
  mayExtend,
  newestCheckpoint,
  readReach,
  takePending,
} from "./tree.store.ts";
import type { TakenEntry } from "./tree.store.ts";

/**
 * Milliseconds between looks at what waits: entries are proven well within a second. Not LISTEN/NOTIFY: commits that
 * notify queue up behind one lock while they flush, which halved the recorded entries per second at 16 connections.
 */
const LOOK_INTERVAL = 250;
/** After a failure, and while the tree is damaged. */
const FAILED_INTERVAL = 2000;
const DAMAGED_INTERVAL = 10_000;
const FILE_INTERVAL = 1000;
const BATCH = 1000;

export interface Sequencer {
  start(): void;
  /** Waits for the batch at work and writes the newest checkpoint to its file. */
  stop(): Promise<void>;
  /** Gives a place to everything that waits now; null while the vault is sealed or the tree is damaged. */
  sequence(): Promise<number | null>;
  /** Why nothing gets a place any more, in one sentence; null when all is well. */
  problem(): string | null;
}

interface Parts {
  database: Database;
  clock: Clock;
  log: Log;
  openLog: OpenLog;
  file: CheckpointFile;
  alarm: RaiseAlarm;
  /** Looks once whether the database is what the checkpoint file says, before anything is signed. */
  examine: (identity: LogIdentity) => Promise<void>;
}

export function createSequencer(parts: Parts): Sequencer {
  const { database, clock, log, openLog, file, alarm, examine } = parts;
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;
  /** Settles when the work that was asked for so far is done. */
  let atWork: Promise<unknown> = Promise.resolve();
  let isExamined = false;
  let damage: string | null = null;
  let isFailing = false;
  /** The frontier that belongs to the newest checkpoint, as far as this process knows. */
  let known: { note: string; frontier: TreeFrontier } | null = null;
  const names = createKnownNames();
  let unwritten: string | null = null;
  let writtenAt = Number.NEGATIVE_INFINITY;
  let writing: Promise<unknown> = Promise.resolve();

  async function sequenceAll(): Promise<number | null> {
    try {
      const identity = await openLog();
      if (!isExamined) await examine(identity);
      isExamined = true;
      // A batch that is not full took all that waited when it began. What came since waits for the next look: under load
      // there is always something, and small batches without a pause cost as much as recording the entries.
      let count = 0;
      for (let taken = BATCH; taken === BATCH; count += taken) taken = await sequenceBatch(identity);
      damage = null;
      return count;
    } catch (error) {
      known = null;
      if (error instanceof SealedError) return null;
      if (!(error instanceof DamagedTree)) throw error;
      // The same damage again is no news; another one is.
      if (damage !== error.message) await alarm([error.finding]);
      damage = error.message;
      return null;
    }
  }

  /** One transaction: a process that dies in it has changed nothing, and another takes the same entries. */
  async function sequenceBatch(identity: LogIdentity): Promise<number> {
    if (!(await hasPending(database.db))) return 0;
    const done = await database.transaction(async (tx) => {
      if (!(await mayExtend(tx))) return null;
      const before = await frontierToExtend(tx, identity);
      const taken = await takePending(tx, BATCH);
      const after = await extend(tx, identity, before, taken);
      const fresh = names.newIn(taken.flatMap(({ canonical }) => canonical ?? []));
      await insertNames(tx, fresh);
      return { taken, after, fresh };
    });
    if (done === null) return 0;
    names.remember(done.fresh);
    if (done.after !== null) {
      known = done.after;
      unwritten = done.after.note;
    }
    await nameVanished(done.taken);
    return done.taken.length;
  }

  async function frontierToExtend(tx: Tx, identity: LogIdentity): Promise<TreeFrontier> {
    const { size } = await readReach(tx);
    const newest = await newestCheckpoint(tx);
    const isCurrent = known !== null && known.note === newest?.note && known.frontier.size === size;
    return isCurrent && known !== null ? known.frontier : loadFrontier(tx, identity);
  }

  async function extend(tx: Tx, { origin, signer }: LogIdentity, before: TreeFrontier, taken: readonly TakenEntry[]) {
    const found = taken.flatMap(({ entry_id, canonical }) => (canonical === null ? [] : [{ entry_id, canonical }]));
    if (found.length === 0) return null;
    const hashes = found.map(({ canonical }) => leafHash(canonical));
    const { frontier, nodes } = appendLeaves(before, hashes);
    const now = clock.now();
    const note = signCheckpoint({ origin, size: frontier.size, root: rootHash(frontier) }, signer, now);
    const ids = found.map(({ entry_id }) => entry_id);
    await insertLeaves(tx, before.size, ids, hashes);
    await addToCounts(tx, ids);
    await insertNodes(tx, nodes);
    await insertCheckpoint(tx, { size: frontier.size, note, signed_at: now }, before.size);
    return { note, frontier };
  }

  async function nameVanished(taken: readonly TakenEntry[]): Promise<void> {
    const findings = taken
      .filter(({ canonical }) => canonical === null)
      .map(({ entry_id }): Finding => {
        const message = `entry ${entry_id} was deleted before it got its place in the log`;
        return { kind: "deleted", index: null, message };
      });
    await alarm(findings);
  }

  /** Writes what is newest by then, after any write under way. */
  function writeFile(): Promise<void> {
    const write = async () => {
      if (unwritten === null) return;
      const note = unwritten;
      unwritten = null;
      writtenAt = performance.now();
      await file.write(note).catch((error: unknown) => {
        unwritten ??= note;
        throw error;
      });
    };
    const work = writing.then(write);
    // Whoever asked hears of a failure; the next checkpoint is written all the same.
    writing = work.catch(() => undefined);
    return work;
  }

  async function look(): Promise<void> {
    try {
      await sequencer.sequence();
      if (performance.now() - writtenAt >= FILE_INTERVAL) await writeFile();
      isFailing = false;
    } catch (error) {
      log.warn({ err: error }, "audit entries could not be given their places; trying again");
      isFailing = true;
    }
    const pause = damage !== null ? DAMAGED_INTERVAL : isFailing ? FAILED_INTERVAL : LOOK_INTERVAL;
    if (!isStopped) timer = setTimeout(() => void look(), pause).unref();
  }

  function problem(): string | null {
    if (damage !== null) return `The audit trail is not continued: ${damage}`;
    return isFailing ? "New audit entries cannot be proven at the moment" : null;
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
      // Whoever asked hears of a failure; those who come after go on.
      atWork = work.catch(() => undefined);
      return work;
    },
    problem,
  };
  return sequencer;
}
