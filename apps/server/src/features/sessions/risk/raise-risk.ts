// Raises the risk of a live session, for a reason that its gateway found.
import { appendAudit } from "#kernel/audit/append.ts";
import { systemEntry } from "#kernel/audit/entry.ts";
import { detailsOf, publishChange, targetOf } from "../session-context.ts";
import type { SessionContext } from "../session-context.ts";
import { lockSession } from "../sessions.store.ts";
import { notifyHighRisk } from "./notify-sessions.ts";
import { riskLevelOf } from "./risk.policy.ts";

/** Has no effect on a session that has ended or already has this reason. */
export async function raiseRisk(context: SessionContext, id: string, reason: string): Promise<void> {
  const { database, clock } = context.kernel;
  await database.transaction(async (tx) => {
    const row = await lockSession(tx, id);
    if (row === null || row.status !== "active" || row.risk_reasons.includes(reason)) return;
    const reasons = [...row.risk_reasons, reason];
    const level = riskLevelOf(reasons);
    await tx.updateTable("sessions").set({ risk_level: level, risk_reasons: reasons }).where("id", "=", id).execute();
    const note = {
      target: targetOf(row),
      result: "warning" as const,
      details: { ...detailsOf(row), rule: reason, risk: level },
    };
    await appendAudit(tx, [systemEntry("privileged-session.risk-raised", "sessions", note, clock.now())]);
    await publishChange(context, tx, row, "active");
    if (level === "high" && row.risk_level !== "high") await notifyHighRisk(context.kernel, tx, row, reasons);
  });
}
