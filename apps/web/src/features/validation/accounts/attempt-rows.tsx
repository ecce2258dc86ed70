// Rows of verification attempts: result, target, method, user and duration (VAL-24, VAL-35).
import { IconShieldSearch } from "@tabler/icons-react";
import type { ValidationAttempt } from "@strongroom/contract";
import { RelativeTime } from "#shared/ui/relative-time.tsx";
import { EmptyState } from "#shared/ui/states.tsx";
import { VerificationBadge } from "#shared/ui/verification-badge.tsx";
import { measuredTime } from "../figures.ts";
import rows from "./rows.module.css";
import { SecretLine } from "./secret-line.tsx";
import { startedBy } from "#shared/runs/started-by.ts";
import { systemLabel } from "#shared/runs/system-label.ts";

export function AttemptRows({ attempts }: { attempts: readonly ValidationAttempt[] }) {
  if (attempts.length === 0) return <EmptyState icon={IconShieldSearch} title="No validation attempts found" />;
  return (
    <ul className={rows.rows} aria-label="Validation attempts">
      {attempts.map((attempt) => (
        <Attempt key={attempt.id} attempt={attempt} />
      ))}
    </ul>
  );
}

function Attempt({ attempt }: { attempt: ValidationAttempt }) {
  const took = measuredTime(attempt.duration_ms);
  return (
    <li className={rows.row}>
      <VerificationBadge status={attempt.status} isHostKeyChanged={attempt.error_category === "host_key"} />
      <div className={rows.text}>
        <SecretLine secret={attempt} />
        {attempt.error_message !== null && <p className={rows.error}>{attempt.error_message}</p>}
      </div>
      <div className={rows.side}>
        <p className={rows.time}>
          <RelativeTime moment={attempt.started_at} />
        </p>
        <p className={rows.time}>
          {startedBy(attempt)}
          {took !== null && ` · ${took}`}
        </p>
        <p className={rows.time}>{systemLabel(attempt.verification_method)}</p>
      </div>
    </li>
  );
}
