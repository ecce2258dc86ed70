// "Critical Alerts": the number of alerts, each with severity, time and link (DASH-04, DASH-05).
import { IconCircleCheck } from "@tabler/icons-react";
import { useId } from "react";
import { Link } from "react-router";
import { RelativeTime } from "#shared/ui/relative-time.tsx";
import { EmptyState } from "#shared/ui/states.tsx";
import { SeverityBadge } from "#shared/ui/status-badge.tsx";
import { Tag } from "#shared/ui/tag.tsx";
import classes from "./dashboard-page.module.css";
import type { Alert } from "./dashboard-reading.ts";

export function AlertsCard({ alerts }: { alerts: readonly Alert[] }) {
  const id = useId();
  return (
    <section className={classes.card} aria-labelledby={id}>
      <div className={classes.cardHead}>
        <h2 className={classes.cardTitle} id={id}>
          Critical Alerts
        </h2>
        <Tag tone={alerts.length === 0 ? "success" : "danger"} title="Number of alerts">
          {alerts.length.toLocaleString()}
        </Tag>
      </div>
      {alerts.length === 0 ? (
        <EmptyState
          title="No alerts"
          text="Nothing needs your attention. Failed verifications and host key alarms appear here."
          icon={IconCircleCheck}
        />
      ) : (
        <ul className={classes.list}>
          {alerts.map((alert) => (
            <li key={alert.id} className={classes.alert}>
              <SeverityBadge severity={alert.severity} />
              <span className={classes.alertText}>
                {alert.link === null ? alert.text : <Link to={alert.link}>{alert.text}</Link>}
              </span>
              <span className={classes.time}>
                <RelativeTime moment={alert.timestamp} />
              </span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
