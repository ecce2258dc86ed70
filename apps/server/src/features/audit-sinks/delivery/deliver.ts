// Delivers all pending entries to one leased sink in log order, until a delivery fails or the lease is lost.
import { SealedError } from "@strongroom/keys";
import { cutOff } from "#features/audit/index.ts";
import type { NewContradiction } from "#features/audit/index.ts";
import { appendAudit } from "#kernel/audit/append.ts";
import { systemEntry } from "#kernel/audit/entry.ts";
import { NOTIFY_AFTER, pauseAfter, settle } from "../audit-sinks.policy.ts";
import type { Mark } from "../audit-sinks.policy.ts";
import { releaseSink, recordFailure, recordProgress } from "../audit-sinks.store.ts";
import type { Progress, SinkRow } from "../audit-sinks.store.ts";
import { loggedOf } from "./lines.ts";
import { sendCheckpoint, sendEntries } from "./send.ts";
import type { AuditSinkContext } from "../context.ts";

/** The limits of one batch, which bound the memory used per sink. */
const MOST = { entries: 1000, bytes: 1024 * 1024 };

/** The recent positions of each sink with their times, kept in this process between deliveries. */
export type Memory = Map<string, Mark[]>;

/** Does not reject for errors of the sink; rejects if the database does not answer. */
export async function deliver(
  context: AuditSinkContext,
  claimed: SinkRow,
  memory: Memory,
  signal: AbortSignal,
): Promise<void> {
  try {
    const { size, signed } = await context.outlet.reach(context.kernel.database.db);
    if ((claimed.content === "entries" ? size : signed) < claimed.cursor)
      await contradict(context, claimed, cutOff(claimed));
    else if (claimed.content === "entries") await deliverEntries(context, claimed, memory, signal);
    else await deliverCheckpoint(context, claimed, signal);
  } catch (error) {
    // The vault was sealed during the delivery, which will continue when the vault is unsealed.
    if (!(error instanceof SealedError)) throw error;
    await context.kernel.database.transaction((tx) => releaseSink(tx, claimed));
  }
}

/**
 * INVARIANT: delivery stops if the log is shorter than the delivered part, or differs from the checkpoint that its
 * witness saw.
 */
async function contradict(context: AuditSinkContext, sink: SinkRow, found: NewContradiction): Promise<void> {
  await context.outlet.report(found);
  await fail(context, sink, sink.cursor, found.finding.message);
}

/** The same reply to the same checkpoint is the same contradiction. */
const witnessed = ({ id, cursor, cosigned }: SinkRow, message: string): NewContradiction => ({
  source: "witness",
  subject: id,
  finding: { kind: "rewritten", index: null, message },
  claim: `${cursor} ${message}`,
  known: cosigned,
});

async function deliverEntries(
  context: AuditSinkContext,
  claimed: SinkRow,
  memory: Memory,
  signal: AbortSignal,
): Promise<void> {
  const { database, clock } = context.kernel;
  const mayLose = claimed.config.kind === "syslog";
  let sink = claimed;
  while (!signal.aborted) {
    const batch = await context.outlet.read(database.db, sink.cursor, MOST);
    const last = batch.at(-1);
    if (last === undefined) break;
    const logged = batch.map((placed) => loggedOf(placed, clock.now()));
    const sent = await sendEntries(context, sink, logged, signal);
    if (signal.aborted && !sent.isTaken) break;
    if (!sent.isTaken) return await fail(context, sink, mayLose ? rewound(sink, memory) : sink.cursor, sent.message);
    const cursor = last.index + 1;
    const settled = mayLose ? settledBy(sink, memory, cursor) : cursor;
    const kept = await keep(context, sink, { cursor, settled, count: batch.length, at: clock.now() });
    if (kept === null) return;
    sink = kept;
  }
  await database.transaction((tx) => releaseSink(tx, sink));
}

/** Records the current position and returns the settled position. */
function settledBy({ id, settled: before }: SinkRow, memory: Memory, cursor: number): number {
  const now = performance.now();
  const { settled, left } = settle(memory.get(id) ?? [], now);
  memory.set(id, [...left, { cursor, at: now }]);
  return Math.max(before, settled?.cursor ?? 0);
}

/** The position from which to continue after losing the connection. */
function rewound({ id, settled: stored }: SinkRow, memory: Memory): number {
  const { settled } = settle(memory.get(id) ?? [], performance.now());
  memory.delete(id);
  return Math.max(stored, settled?.cursor ?? 0);
}

async function deliverCheckpoint(context: AuditSinkContext, sink: SinkRow, signal: AbortSignal): Promise<void> {
  const { database, clock } = context.kernel;
  const newest = await context.outlet.newestCheckpoint(database.db);
  if (newest === undefined || newest.size === sink.cursor) {
    await database.transaction((tx) => releaseSink(tx, sink));
    return;
  }
  const sent = await sendCheckpoint(context, sink, { ...newest, seen: sink.cursor }, signal);
  const progress = { cursor: newest.size, settled: newest.size, count: 1, at: clock.now() };
  if (sent.outcome === "cosigned") return await storeAndPublish(context, sink, { ...progress, cosigned: sent.note });
  if (sent.outcome === "published" && sent.isTaken) return await storeAndPublish(context, sink, progress);
  if (signal.aborted) return await database.transaction((tx) => releaseSink(tx, sink));
  if (sent.outcome === "contradicted") return await contradict(context, sink, witnessed(sink, sent.message));
  await fail(context, sink, sink.cursor, sent.message);
}

async function storeAndPublish(context: AuditSinkContext, sink: SinkRow, progress: Progress): Promise<void> {
  const kept = await keep(context, sink, progress);
  if (kept !== null) await context.kernel.database.transaction((tx) => releaseSink(tx, kept));
}

/** Records progress; null if the lease was lost. If the failure was audited, the recovery is audited too. */
function keep(context: AuditSinkContext, sink: SinkRow, progress: Progress): Promise<SinkRow | null> {
  return context.kernel.database.transaction(async (tx) => {
    const kept = await recordProgress(tx, sink, progress);
    if (kept === null || sink.failures < NOTIFY_AFTER) return kept;
    const note = { target: targetOf(sink), details: { failures: sink.failures } };
    await appendAudit(tx, [systemEntry("audit-sink.delivery-resumed", "audit", note, progress.at)]);
    return kept;
  });
}

async function fail(context: AuditSinkContext, sink: SinkRow, cursor: number, message: string): Promise<void> {
  const { database, clock, log } = context.kernel;
  const at = clock.now();
  const failures = sink.failures + 1;
  const retryAt = new Date(at.getTime() + pauseAfter(failures));
  log.warn({ sink: sink.id, failures, said: message }, "delivery to an audit sink failed");
  await database.transaction(async (tx) => {
    const isOurs = await recordFailure(tx, sink, { cursor, message, at, retryAt });
    if (!isOurs || failures !== NOTIFY_AFTER) return;
    const note = { target: targetOf(sink), result: "failure", reason: message } as const;
    await appendAudit(tx, [systemEntry("audit-sink.delivery-failing", "audit", note, at)]);
  });
}

export const targetOf = ({ id, name }: { id: string; name: string }) => ({ type: "audit-sink", id, name });
