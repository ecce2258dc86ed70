// The audit trail: appends the kernel's entries to a verifiable tree, and shows them to users.
import { join } from "node:path";
import type { VerifyReport } from "@strongroom/auditlog";
import type { AuditLogEntry } from "@strongroom/contract";
import type { Db } from "#kernel/db/database.ts";
import { createPendingKeys, usePendingKeys } from "#kernel/audit/pending-keys.ts";
import type { Clock } from "#kernel/clock.ts";
import type { Kernel } from "#kernel/kernel.ts";
import type { Notify } from "#features/notifications/index.ts";
import { createAlarm } from "./contradictions/alarm.ts";
import { createSequencer } from "./audit.jobs.ts";
import { bindAudit } from "./audit.routes.ts";
import { historyOf } from "./audit.ts";
import type { HistoryPage } from "./audit.ts";
import { openCheckpointFile } from "./tree/checkpoint-file.ts";
import { acceptedEntries, findingOf, openContradictions } from "./contradictions/contradictions.ts";
import { listOpen } from "./contradictions/contradictions.store.ts";
import type { FoundContradiction } from "./contradictions/contradictions.store.ts";
import { proveEntries } from "./evidence/prove-entries.ts";
import type { ProvenEntries, WantedEntries } from "./evidence/prove-entries.ts";
import { openEvidenceFolder } from "./evidence/evidence-folder.ts";
import { checkSubscriptions } from "./subscriptions/check-subscriptions.ts";
import type { AuditViews, SubscriptionContext } from "./subscriptions/subscriptions.ts";
import type { People } from "./trail/list-trail.ts";
import { createEntryFeed } from "./tree/entry-feed.ts";
import type { EntryFeed } from "./tree/entry-feed.ts";
import { createLogIdentity } from "./tree/signing-key.ts";
import type { LogIdentity } from "./tree/signing-key.ts";
import { openSinkMarks } from "./tree/sink-marks.ts";
import type { SinkStanding } from "./tree/sink-marks.ts";
import { readLag } from "./tree/tree.store.ts";
import type { RolePermissions } from "#kernel/authz/authorise.ts";
import { verifyStored } from "./tree/verify-stored.ts";

const rolePermissions = {
  "audit.read": ["admin", "manager"],
  "audit.export": ["admin", "manager"],
  "audit.verify": ["admin", "manager"],
  "audit.decide": ["admin"],
} satisfies RolePermissions;

export type HistoryOfTarget = (
  db: Db,
  target: { type: string; id: string },
  page: HistoryPage,
) => Promise<{ history: AuditLogEntry[]; next_cursor: string | null }>;

export interface AuditFeature {
  /** The history of one target, newest first. The caller has checked that the user may see it. */
  historyOfTarget: HistoryOfTarget;
  /** Starts the sequencer, which waits while the vault is sealed. */
  start(): void;
  stop(): Promise<void>;
  /** Sequences all pending entries; null while the vault is sealed or the tree is damaged. */
  sequence(): Promise<number | null>;
  /** Checks all stored entries. Concurrent calls share one check. */
  verify(): Promise<VerifyReport>;
  /** The entries for the audit sinks. */
  outlet: EntryFeed;
  /** A check for the server's health. */
  health: { name: string; problem: () => Promise<string | null> };
  /** Contradictions that this process found and no administrator has accepted. */
  contradictions(): readonly FoundContradiction[];
  /** Proves recent entries of some events. Throws a refusal when there is no valid checkpoint. */
  proveEntries(db: Db, wanted: WantedEntries): Promise<ProvenEntries>;
  /** Compares the database with all state known outside the database, and reports contradictions. */
  compare(): Promise<void>;
  /** Sets the source of the sinks' positions; the sinks are built after the log. */
  compareWith(standings: (db: Db) => Promise<SinkStanding[]>): void;
}

const NIGHTLY = "17 3 * * *";

export function installAudit(
  kernel: Kernel,
  people: People,
  { notify, views }: { notify: Notify; views: AuditViews },
): AuditFeature {
  const { database, clock, keys, log, config } = kernel;
  const folder = join(config.dataFolder, "audit");
  const pendingKeys = createPendingKeys(folder);
  usePendingKeys(database.pool, pendingKeys);
  const openLog = createLogIdentity({ database, keys, clock });
  const file = openCheckpointFile(folder);
  const marks = openSinkMarks(folder);
  const evidence = openEvidenceFolder(join(folder, "contradictions"));
  const alarm = createAlarm({ database, clock, log });
  let standings: (db: Db) => Promise<SinkStanding[]> = async () => [];
  const compareSinks = async (db: Db, identity: LogIdentity) => marks.compare(db, identity, await standings(db));
  const sequencer = createSequencer({
    database,
    clock,
    log,
    keys,
    openLog,
    pendingKeys,
    folder,
    file,
    compareSinks,
    openContradictions: () => openContradictions({ database, clock, log, keys, evidence, notify }),
    forgetSinks: () => marks.forget(),
  });

  let underWay: Promise<VerifyReport> | null = null;
  const verify = (): Promise<VerifyReport> => {
    underWay ??= verifyAndAlarm().finally(() => (underWay = null));
    return underWay;
  };
  async function verifyAndAlarm(): Promise<VerifyReport> {
    await sequencer.compare();
    const report = await verifyStored(database.db, await openLog(), {
      file,
      acceptedEntries: () => acceptedEntries(database.db, keys),
      others: async () => [...sequencer.open().map(findingOf), ...(await listOpen(database.db)).map(findingOf)],
    });
    await alarm(report.findings);
    return report;
  }

  kernel.authority.grant(rolePermissions);
  kernel.jobs.define("audit.verify", { policy: "exclusive", schedule: NIGHTLY, retryLimit: 0 }, async () => {
    if (!keys.isSealed) await verify();
  });
  const subscriptions: SubscriptionContext = { kernel, people, notify, views };
  kernel.jobs.define("audit.subscriptions", { schedule: "* * * * *", policy: "exclusive" }, () =>
    checkSubscriptions(subscriptions),
  );
  bindAudit(kernel, { openLog, people, verify, subscriptions });
  return {
    historyOfTarget: (db, target, page) => historyOf(db, target, page, people.emailsOf),
    start: () => sequencer.start(),
    stop: () => sequencer.stop(),
    sequence: () => sequencer.sequence(),
    verify,
    outlet: createEntryFeed((found) => sequencer.report(found)),
    health: { name: "audit", problem: async () => sequencer.problem() ?? waitingProblem(database.db, clock) },
    proveEntries: async (db, wanted) => proveEntries(db, await openLog(), wanted),
    contradictions: () => sequencer.open(),
    compare: () => sequencer.compare(),
    compareWith: (each) => (standings = each),
  };
}

/**
 * Milliseconds. Health reports entries that are pending for longer, because a session that holds the sequencer's lock
 * blocks all signing without causing any failure.
 */
const MOST_WAITING = 120_000;

async function waitingProblem(db: Db, clock: Clock): Promise<string | null> {
  const { oldest } = await readLag(db);
  const isLate = oldest !== null && clock.now().getTime() - oldest.getTime() > MOST_WAITING;
  return isLate ? "Audit entries have been waiting to be signed for more than 2 minutes" : null;
}

export type { EmailsOf, HistoryPage } from "./audit.ts";
export { formatEntry } from "./trail/format-entry.ts";
export type { EntryFeed, PlacedEntry } from "./tree/entry-feed.ts";
export { openCheckpointFile } from "./tree/checkpoint-file.ts";
export { readLag };
export { readSize } from "./tree/tree.store.ts";
export { cutOff } from "./tree/sink-marks.ts";
export type { SinkStanding } from "./tree/sink-marks.ts";
export type { NewContradiction } from "./tree/tree.ts";
export type { FoundContradiction } from "./contradictions/contradictions.store.ts";
export { openPendingCheck } from "./pending/pending.ts";
export { openTrail } from "./tree/open-trail.ts";
export type { Trail } from "./tree/open-trail.ts";

export type { ProvenEntries } from "./evidence/prove-entries.ts";
