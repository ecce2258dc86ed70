// The full trail, with every event that can be chosen.
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
