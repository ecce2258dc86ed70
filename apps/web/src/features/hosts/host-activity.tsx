// The newest verifications of a host's accounts, and the newest sessions on it.
import { Anchor } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "react-router";
import { paths } from "#shared/paths.ts";
import { startedBy } from "#shared/runs/started-by.ts";
import { RelativeTime } from "#shared/ui/relative-time.tsx";
import { NoRows, Row, RowDetail, RowList } from "#shared/ui/row-list.tsx";
import { SectionCard } from "#shared/ui/section-card.tsx";
import { VerificationBadge } from "#shared/ui/verification-badge.tsx";
import { attemptsOnHost, isOnHost, sessionsOnHost } from "./hosts.queries.ts";

const SHOWN = 8;

/** Nothing for users who may not read verifications. */
export function HostAttempts({ host }: { host: string }) {
  const { data } = useQuery(attemptsOnHost(host));
  if (data === undefined) return null;
  const attempts = data.attempts.filter(({ hostname }) => isOnHost(hostname, host)).slice(0, SHOWN);
  return (
    <SectionCard title="Verifications" description="The newest of the last 30 days.">
      {attempts.length === 0 && <NoRows>No verification in the last 30 days.</NoRows>}
      <RowList label="Verifications">
        {attempts.map((attempt) => (
          <Row
            key={attempt.id}
            name={
              <>
                <Anchor
                  component={Link}
                  to={attempt.is_account ? paths.account(attempt.account_id) : paths.credential(attempt.account_id)}
                  c="inherit"
                  inherit
                >
                  {attempt.account_name}
                </Anchor>
                <VerificationBadge status={attempt.status} isHostKeyChanged={attempt.error_category === "host_key"} />
              </>
            }
          >
            {attempt.error_message !== null && <RowDetail>{attempt.error_message}</RowDetail>}
            <RowDetail>
              <RelativeTime moment={attempt.started_at} /> · {startedBy(attempt)}
            </RowDetail>
          </Row>
        ))}
      </RowList>
    </SectionCard>
  );
}

/** Nothing for users who may not see sessions. */
export function HostSessions({ host }: { host: string }) {
  const { data } = useQuery(sessionsOnHost(host));
  const sessions = (data?.sessions ?? []).filter(({ target }) => isOnHost(target, host)).slice(0, SHOWN);
  if (sessions.length === 0) return null;
  return (
    <SectionCard
      title="Sessions"
      actions={
        <Anchor component={Link} to={`${paths.sessions}?search=${encodeURIComponent(host)}`} fz="sm">
          Show all
        </Anchor>
      }
    >
      <RowList label="Sessions">
        {sessions.map((session) => (
          <Row key={session.id} name={`${session.user} as ${session.remote_user}`}>
            <RowDetail>
              <RelativeTime moment={session.startTime} /> · {session.status}
            </RowDetail>
          </Row>
        ))}
      </RowList>
    </SectionCard>
  );
}
