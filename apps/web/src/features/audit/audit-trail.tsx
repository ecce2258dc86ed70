// The full audit trail, filtered by any event.
import { AuditExplorer } from "#shared/audit/audit-explorer.tsx";
import classes from "./audit-page.module.css";
import { EVENT_CHOICES } from "./event-choices.ts";

export function AuditTrail() {
  return (
    <div className={classes.trail}>
      <AuditExplorer title="Audit Trail" scope="everything" events={EVENT_CHOICES} />
    </div>
  );
}
