// Whether the last check found a platform's reconcile account ready.
import type { Platform } from "@strongroom/contract";
import { RelativeTime } from "#shared/ui/relative-time.tsx";
import { StatusBadge } from "#shared/ui/status-badge.tsx";
import classes from "./platforms.module.css";

/** Renders nothing for a platform without a reconcile account. */
export function ReconcileReadiness({ platform }: { platform: Platform }) {
  if (platform.reconcile_account_id === null) return null;
  const readiness = platform.reconcile_readiness;
  if (readiness === null) {
    return (
      <p className={classes.readiness}>
        <StatusBadge status="pending" label="Reconcile not checked yet" />
      </p>
    );
  }
  const { is_ready: isReady, message, checked_at: at } = readiness;
  return (
    <p className={classes.readiness}>
      <StatusBadge
        status={isReady ? "verified" : "failed"}
        label={isReady ? "Reconcile ready" : "Reconcile not ready"}
      />
      <span className={classes.readinessWords}>
        {!isReady && `${message} `}Last checked <RelativeTime moment={at} />
      </span>
    </p>
  );
}
