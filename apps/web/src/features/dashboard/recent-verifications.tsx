// The latest verification attempts, with a button to show all (DASH-14).
import { Button } from "@mantine/core";
import { IconShieldCheck } from "@tabler/icons-react";
import type { ValidationAttempt } from "@strongroom/contract";
import { useState } from "react";
import { Link } from "react-router";
import { paths } from "#shared/paths.ts";
import { messageOf } from "#shared/api/call-error.ts";
import { startedBy } from "#shared/runs/started-by.ts";
import { loginText } from "#shared/runs/login-text.ts";
import { SectionSkeleton } from "#shared/ui/section-skeleton.tsx";
import { RelativeTime } from "#shared/ui/relative-time.tsx";
import { SectionCard } from "#shared/ui/section-card.tsx";
import { EmptyState, ErrorState } from "#shared/ui/states.tsx";
import { VerificationBadge } from "#shared/ui/verification-badge.tsx";
import classes from "./dashboard-page.module.css";

const FEW = 5;

export interface RecentVerificationsProps {
  /** Undefined while loading. */
  attempts: readonly ValidationAttempt[] | undefined;
  error: Error | null;
  onRetry: () => void;
}

export function RecentVerifications({ attempts, error, onRetry }: RecentVerificationsProps) {
  return (
    <SectionCard
      title="Recent Verifications"
      actions={<Link to={paths.validationAt("accounts", "attempts")}>All attempts</Link>}
    >
      {attempts !== undefined ? (
        <Attempts attempts={attempts} />
      ) : error !== null ? (
        <ErrorState message={messageOf(error)} onRetry={onRetry} />
      ) : (
        <SectionSkeleton />
      )}
    </SectionCard>
  );
}

function Attempts({ attempts }: { attempts: readonly ValidationAttempt[] }) {
  const [isWhole, setIsWhole] = useState(false);
  if (attempts.length === 0) {
    return (
      <EmptyState
        title="No verifications yet"
        text="Each attempt appears here with its result."
        icon={IconShieldCheck}
      />
    );
  }
  return (
    <>
      <ul className={classes.list}>
        {(isWhole ? attempts : attempts.slice(0, FEW)).map((attempt) => (
          <Attempt key={attempt.id} attempt={attempt} />
        ))}
      </ul>
      {attempts.length > FEW && (
        <Button variant="subtle" size="compact-md" mt="xs" onClick={() => setIsWhole(!isWhole)} aria-expanded={isWhole}>
          {isWhole ? "Show Fewer" : `Show All ${attempts.length}`}
        </Button>
      )}
    </>
  );
}

function Attempt({ attempt }: { attempt: ValidationAttempt }) {
  const details = loginText(attempt);
  return (
    <li className={classes.attempt}>
      <VerificationBadge status={attempt.status} isHostKeyChanged={attempt.error_category === "host_key"} />
      <div className={classes.attemptText}>
        <p className={classes.attemptName} title={attempt.account_name}>
          <Link
            className={classes.quiet}
            to={attempt.is_account ? paths.account(attempt.account_id) : paths.credential(attempt.account_id)}
          >
            {attempt.account_name}
          </Link>
        </p>
        <p className={classes.attemptWhere} title={attempt.error_message ?? details}>
          {attempt.error_message ?? details}
        </p>
      </div>
      <p className={classes.attemptBy}>{startedBy(attempt)}</p>
      <p className={classes.time}>
        <RelativeTime moment={attempt.started_at} />
      </p>
    </li>
  );
}
