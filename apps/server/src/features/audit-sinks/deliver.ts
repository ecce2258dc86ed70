// Delivers to one sink whose lease is ours: all that waits, in the order of the log; stops when it fails or is no longer ours.
import { SealedError } from "@strongroom/keys";
import { cutOff } from "#features/audit/index.ts";
import type { NewContradiction } from "#features/audit/index.ts";
import { appendAudit } from "#kernel/audit/append.ts";
import { systemEntry } from "#kernel/audit/entry.ts";
import { TOLD_AFTER, pauseAfter, settle } from "./audit-sinks.policy.ts";
import type { Mark } from "./audit-sinks.policy.ts";
import { giveBack, recordFailure, recordProgress } from "./audit-sinks.store.ts";
import type { Progress, SinkRow } from "./audit-sinks.store.ts";
import { loggedOf } from "./lines.ts";
import { sendCheckpoint, sendEntries } from "./send.ts";
import type { Site } from "./site.ts";

/** Of one batch: it is all that is held in memory for a sink. */
const MOST = { entries: 1000, bytes: 1024 * 1024 };

/** What this process remembers of a sink between deliveries: how far it was when. */
export type Memory = Map<string, Mark[]>;

/** Never rejects for what a sink does; rejects when the database does not answer. */
export async function deliver(site: Site, claimed: SinkRow, memory: Memory, signal: AbortSignal): Promise<void> {
  try {
    const { size, signed } = await site.outlet.reach(site.kernel.database.db);
    if ((claimed.content === "entries" ? size : signed) < claimed.cursor)
      await contradict(site, claimed, cutOff(claimed));
    else if (claimed.content === "entries") await deliverEntries(site, claimed, memory, signal);
    else await deliverCheckpoint(site, claimed, signal);
  } catch (error) {
    // Sealed in the middle: it goes on when the vault is unsealed.
    if (!(error instanceof SealedError)) throw error;
    await site.kernel.database.transaction((tx) => giveBack(tx, claimed));
  }
}

/** INVARIANT: delivery stops when the log is shorter than what was delivered, or differs from what its witness saw. */
async function contradict(site: Site, sink: SinkRow, found: NewContradiction): Promise<void> {
  await site.outlet.report(found);
  await fail(site, sink, sink.cursor, found.finding.message);
}

/** The same reply to the same checkpoint is the same contradiction. */
const witnessed = ({ id, cursor, cosigned }: SinkRow, message: string): NewContradiction => ({
  source: "witness",
  subject: id,
  finding: { kind: "rewritten", index: null, message },
  claim: `${cursor} ${message}`,
  known: cosigned,
});

async function deliverEntries(site: Site, claimed: SinkRow, memory: Memory, signal: AbortSignal): Promise<void> {
  const { database, clock } = site.kernel;
  const mayLose = claimed.config.kind === "syslog";
  let sink = claimed;
  while (!signal.aborted) {
    const batch = await site.outlet.read(database.db, sink.cursor, MOST);
    const last = batch.at(-1);
    if (last === undefined) break;
    const logged = batch.map((placed) => loggedOf(placed, clock.now()));
    const sent = await sendEntries(site, sink, logged, signal);
    if (signal.aborted && !sent.isTaken) break;
    if (!sent.isTaken) return await fail(site, sink, mayLose ? rewound(sink, memory) : sink.cursor, sent.message);
    const cursor = last.index + 1;
    const settled = mayLose ? settledBy(sink, memory, cursor) : cursor;
    const kept = await keep(site, sink, { cursor, settled, count: batch.length, at: clock.now() });
    if (kept === null) return;
    sink = kept;
  }
  await database.transaction((tx) => giveBack(tx, sink));
}

/** Notes how far it is now; answers how far it is for good. */
function settledBy({ id, settled: before }: SinkRow, memory: Memory, cursor: number): number {
  const now = performance.now();
  const { settled, left } = settle(memory.get(id) ?? [], now);
  memory.set(id, [...left, { cursor, at: now }]);
  return Math.max(before, settled?.cursor ?? 0);
}

/** Where to begin again after a break. */
function rewound({ id, settled: stored }: SinkRow, memory: Memory): number {
  const { settled } = settle(memory.get(id) ?? [], performance.now());
  memory.delete(id);
  return Math.max(stored, settled?.cursor ?? 0);
}

async function deliverCheckpoint(site: Site, sink: SinkRow, signal: AbortSignal): Promise<void> {
  const { database, clock } = site.kernel;
  const newest = await site.outlet.newestCheckpoint(database.db);
  if (newest === undefined || newest.size === sink.cursor) {
    await database.transaction((tx) => giveBack(tx, sink));
    return;
  }
  const sent = await sendCheckpoint(site, sink, { ...newest, seen: sink.cursor }, signal);
  const progress = { cursor: newest.size, settled: newest.size, count: 1, at: clock.now() };
  if (sent.outcome === "cosigned") return await keepAndGive(site, sink, { ...progress, cosigned: sent.note });
  if (sent.outcome === "published" && sent.isTaken) return await keepAndGive(site, sink, progress);
  if (signal.aborted) return await database.transaction((tx) => giveBack(tx, sink));
  if (sent.outcome === "contradicted") return await contradict(site, sink, witnessed(sink, sent.message));
  await fail(site, sink, sink.cursor, sent.message);
}

async function keepAndGive(site: Site, sink: SinkRow, progress: Progress): Promise<void> {
  const kept = await keep(site, sink, progress);
  if (kept !== null) await site.kernel.database.transaction((tx) => giveBack(tx, kept));
}

/** Null when the sink is no longer ours. What failed often enough to be told of is told of when it works again, too. */
function keep(site: Site, sink: SinkRow, progress: Progress): Promise<SinkRow | null> {
  return site.kernel.database.transaction(async (tx) => {
    const kept = await recordProgress(tx, sink, progress);
    if (kept === null || sink.failures < TOLD_AFTER) return kept;
    const note = { target: targetOf(sink), details: { failures: sink.failures } };
    await appendAudit(tx, [systemEntry("audit-sink.delivery-resumed", "audit", note, progress.at)]);
    return kept;
  });
}

async function fail(site: Site, sink: SinkRow, cursor: number, message: string): Promise<void> {
  const { database, clock, log } = site.kernel;
  const at = clock.now();
  const failures = sink.failures + 1;
  const retryAt = new Date(at.getTime() + pauseAfter(failures));
  log.warn({ sink: sink.id, failures, said: message }, "an audit sink did not take what was sent");
  await database.transaction(async (tx) => {
    const isOurs = await recordFailure(tx, sink, { cursor, message, at, retryAt });
    if (!isOurs || failures !== TOLD_AFTER) return;
    const note = { target: targetOf(sink), result: "failure", reason: message } as const;
    await appendAudit(tx, [systemEntry("audit-sink.delivery-failing", "audit", note, at)]);
  });
}

export const targetOf = ({ id, name }: { id: string; name: string }) => ({ type: "audit-sink", id, name });
