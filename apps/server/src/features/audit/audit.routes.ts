// Binds the calls about the audit trail to their use cases.
import { exportAudit, exportEvidence, listAuditEntries, readCheckpoint, verifyAudit } from "@strongroom/contract";
import type { VerifyReport } from "@strongroom/auditlog";
import { implement, implementInSteps } from "#kernel/http/implement.ts";
import { implementDownload } from "#kernel/http/stream.ts";
import type { Kernel } from "#kernel/kernel.ts";
import { exportProof, exportTrail, listTrail, reportOf, showCheckpoint } from "./audit.ts";
import type { EmailsOf } from "./audit.ts";
import type { OpenLog } from "./signing-key.ts";
import { newestCheckpoint } from "./tree.store.ts";

interface Parts {
  openLog: OpenLog;
  emailsOf: EmailsOf;
  /** Checks all that is stored; calls at the same time share one check. */
  verify: () => Promise<VerifyReport>;
}

export function bindAudit(kernel: Kernel, { openLog, emailsOf, verify }: Parts): void {
  implement(kernel, listAuditEntries, (call, db) => listTrail(call, db, emailsOf));
  implement(kernel, readCheckpoint, async (_call, db) => showCheckpoint(db, await openLog()));
  implementDownload(kernel, exportAudit, async (_call, db) => exportTrail(db, await openLog(), kernel.clock.now()));
  implementDownload(kernel, exportEvidence, async (call, db) => exportProof(call, db, await openLog()));
  implementInSteps(kernel, verifyAudit, async (call, db) => {
    const report = await verify();
    const { isIntact, entries, findings, omitted } = report;
    const details = { entries, findings: findings.length + omitted };
    call.note({ result: isIntact ? "success" : "failure", details });
    await call.commit(async () => {});
    return reportOf(report, await newestCheckpoint(db));
  });
}
