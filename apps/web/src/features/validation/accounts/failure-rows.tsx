// Rows of current failures: severity, reason, count, start time and JIT session (VAL-25, VAL-36).
import { IconShieldCheck } from "@tabler/icons-react";
import type { ValidationFailure } from "@strongroom/contract";
import { Link } from "react-router";
import { paths } from "#shared/paths.ts";
import { asWords, counted } from "#shared/format/text.ts";
import { messageOr } from "#shared/notifications/fallbacks.ts";
import { RelativeTime } from "#shared/ui/relative-time.tsx";
import { EmptyState } from "#shared/ui/states.tsx";
import { SeverityBadge } from "#shared/ui/status-badge.tsx";
import { Tag } from "#shared/ui/tag.tsx";
import { VerificationBadge } from "#shared/ui/verification-badge.tsx";
import rows from "./rows.module.css";
import { SecretLine } from "./secret-line.tsx";
import { ValidateButton } from "../bulk/validate-button.tsx";

export interface FailureRowsProps {
  failures: readonly ValidationFailure[];
  /** Hides the actions. */
  isBrief?: boolean;
}

export function FailureRows({ failures, isBrief = false }: FailureRowsProps) {
  if (failures.length === 0) return <EmptyState icon={IconShieldCheck} title="No validation failures found" />;
  return (
    <ul className={rows.rows} aria-label="Validation failures">
      {failures.map((failure) => (
        <Failure key={failure.id} failure={failure} isBrief={isBrief} />
      ))}
    </ul>
  );
}

function Failure({ failure, isBrief }: { failure: ValidationFailure; isBrief: boolean }) {
  return (
    <li className={rows.row}>
      <SeverityBadge severity={failure.severity} />
      <div className={rows.text}>
        <SecretLine secret={failure} />
        <p className={rows.error}>{messageOr(failure.error_message, failure.error_category)}</p>
        <div className={rows.tags}>
          <VerificationBadge status={failure.status} isHostKeyChanged={failure.error_category === "host_key"} />
          <Tag>{asWords(failure.error_category)}</Tag>
          {failure.associated_jit_sessions.map((session) => (
            <Link key={session.session_id} to={paths.accessRequest(session.session_id)} style={{ display: "flex" }}>
              <Tag tone="info">Active access: {session.session_name}</Tag>
            </Link>
          ))}
        </div>
      </div>
      <div className={rows.side}>
        <p className={rows.time}>
          <RelativeTime moment={failure.last_failed_at} />
        </p>
        <p className={rows.time}>Failed {counted(failure.failure_count, "time")}</p>
        {!isBrief && failure.failure_count > 1 && failure.first_failed_at !== null && (
          <p className={rows.time}>
            First <RelativeTime moment={failure.first_failed_at} />
          </p>
        )}
        {!isBrief && failure.may_validate && <ValidateButton of={failure} />}
      </div>
    </li>
  );
}
