// The card "Critical Alerts": problems that need action, grouped by cause; each with severity, time and a link to its
// secrets (DASH-04, DASH-05).
import { Button } from "@mantine/core";
import { IconCircleCheck } from "@tabler/icons-react";
import { useId, useState } from "react";
import { Link } from "react-router";
import { counted } from "#shared/format/text.ts";
import { RelativeTime } from "#shared/ui/relative-time.tsx";
import { EmptyState } from "#shared/ui/states.tsx";
import { SeverityBadge } from "#shared/ui/status-badge.tsx";
import { Tag } from "#shared/ui/tag.tsx";
import classes from "./dashboard-page.module.css";
import type { Alert } from "./dashboard-reading.ts";

const FEW = 5;

export function AlertsCard({ alerts }: { alerts: readonly Alert[] }) {
  const id = useId();
  const [isWhole, setIsWhole] = useState(false);
  const hidden = alerts.length - FEW;
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
          text="Nothing needs your attention. Failed verifications, stopped rotations and secrets that expire appear here."
          icon={IconCircleCheck}
        />
      ) : (
        <ul className={classes.list}>
          {(isWhole ? alerts : alerts.slice(0, FEW)).map((alert) => (
            <AlertRow key={alert.id} alert={alert} />
          ))}
        </ul>
      )}
      {hidden > 0 && (
        <Button variant="subtle" size="compact-md" mt="xs" onClick={() => setIsWhole(!isWhole)} aria-expanded={isWhole}>
          {isWhole ? "Show Fewer" : `Show ${counted(hidden, "more cause")}`}
        </Button>
      )}
    </section>
  );
}

function AlertRow({ alert }: { alert: Alert }) {
  return (
    <li className={classes.alert}>
      <SeverityBadge severity={alert.severity} />
      <div className={classes.alertText}>
        <p className={classes.alertTitle}>
          {alert.link === null ? (
            alert.text
          ) : (
            <Link to={alert.link} className={classes.quiet}>
              {alert.text}
            </Link>
          )}
        </p>
        {alert.advice !== null && <p className={classes.alertAdvice}>{alert.advice}</p>}
      </div>
      <span className={classes.time}>
        <RelativeTime moment={alert.timestamp} />
      </span>
    </li>
  );
}
