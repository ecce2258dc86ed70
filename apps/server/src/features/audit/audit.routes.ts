// Routes of the audit trail API.
import {
  acceptContradictions,
  countAuditEntries,
  exportAudit,
  exportAuditLogs,
  exportEvidence,
  exportEvidenceBundle,
  listAuditEntries,
  listAuditSubscriptions,
  listContradictions,
  readCheckpoint,
  readInclusionProof,
  subscribeToAudit,
  unsubscribeFromAudit,
  verifyAudit,
} from "@strongroom/contract";
import type { VerifyReport } from "@strongroom/auditlog";
import { within } from "#kernel/db/within.ts";
import { implement, implementInSteps } from "#kernel/http/implement.ts";
import { implementDownload } from "#kernel/http/stream.ts";
import type { Kernel } from "#kernel/kernel.ts";
import { acceptContradictions as accept, showContradictions } from "./contradictions/accept-contradictions.ts";
import { exportProof, exportTrail, reportOf, showCheckpoint, showProof } from "./audit.ts";
import { exportBundle } from "./evidence/evidence-bundle.ts";
import { exportLogs } from "./trail/export-logs.ts";
import { countMatching, listTrail, searchLimits } from "./trail/list-trail.ts";
import type { People } from "./trail/list-trail.ts";
import { listOwn, subscribe, unsubscribe } from "./subscriptions/subscriptions.ts";
import type { SubscriptionContext } from "./subscriptions/subscriptions.ts";
import type { OpenLog } from "./tree/signing-key.ts";
import { newestCheckpoint } from "./tree/tree.store.ts";

/** The entry lists only the first contradictions; the database and the data folder have all of them. */
const MOST_IN_ENTRY = 20;

interface Parts {
  openLog: OpenLog;
  people: People;
  /** Checks all stored entries; concurrent calls share one check. */
  verify: () => Promise<VerifyReport>;
  subscriptions: SubscriptionContext;
}

export function bindAudit(kernel: Kernel, { openLog, people, verify, subscriptions }: Parts): void {
  const { clock } = kernel;
  // Exports have no time limit: they read page after page and may take a long time.
  const limits = () => searchLimits(kernel);
  implement(kernel, listAuditEntries, (call) => within(limits(), (db) => listTrail(call, db, people, clock.now())));
  implement(kernel, countAuditEntries, (call) =>
    within(limits(), (db) => countMatching(call, db, people, clock.now())),
  );
  implement(kernel, readCheckpoint, async (_call, db) => showCheckpoint(db, await openLog()));
  implement(kernel, readInclusionProof, async (call, db) => showProof(call, db, await openLog()));
  implementDownload(kernel, exportAudit, async (_call, db) => exportTrail(db, await openLog(), clock.now()));
  implementDownload(kernel, exportAuditLogs, (call, db) => exportLogs(call, db, people, clock.now()));
  implementDownload(kernel, exportEvidence, async (call, db) => exportProof(call, db, await openLog()));
  implementDownload(kernel, exportEvidenceBundle, async (call, db) => exportBundle(call, db, await openLog(), people));
  implement(kernel, listAuditSubscriptions, listOwn);
  implement(kernel, subscribeToAudit, (call, tx) => subscribe(subscriptions, call, tx));
  implement(kernel, unsubscribeFromAudit, unsubscribe);
  implement(kernel, listContradictions, (_call, db) => showContradictions(db));
  implement(kernel, acceptContradictions, async (call, tx) => {
    const { ids, checkpoint, reason } = call.body;
    const { keys } = kernel;
    const decision = { ids, checkpoint, reason, by: `${call.actor.name} (${call.actor.id})` };
    const { accepted, base } = await accept(tx, { identity: await openLog(), keys, now: clock.now() }, decision);
    const findings = accepted.slice(0, MOST_IN_ENTRY).map(({ source, kind, message }) => ({ source, kind, message }));
    call.note({ result: "warning", severity: "critical", reason, details: { count: accepted.length, findings, base } });
    return { accepted: accepted.length, checkpoint: base };
  });
  implementInSteps(kernel, verifyAudit, async (call, db) => {
    const report = await verify();
    const { isIntact, entries, findings, omitted } = report;
    const details = { entries, findings: findings.length + omitted };
    call.note({ result: isIntact ? "success" : "failure", details });
    await call.commit(async () => {});
    return reportOf(report, await newestCheckpoint(db));
  });
}
