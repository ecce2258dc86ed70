// The requester's earlier requests and sessions on the account, as far as the viewer may see them.
import { IconClockBolt, IconTerminal2 } from "@tabler/icons-react";
import type { AccessRequest, AccountId } from "@strongroom/contract";
import { useQuery } from "@tanstack/react-query";
import { Link } from "react-router";
import { duration } from "#shared/format/time.ts";
import { paths } from "#shared/paths.ts";
import { Loaded } from "#shared/ui/loaded.tsx";
import { RelativeTime } from "#shared/ui/relative-time.tsx";
import { NoRows, Row, RowDetail, RowList } from "#shared/ui/row-list.tsx";
import { SectionCard } from "#shared/ui/section-card.tsx";
import { SeverityBadge } from "#shared/ui/status-badge.tsx";
import { earlierRequests, earlierSessions } from "../access-requests.queries.ts";
import { RequestStatusBadge } from "../list/request-card.tsx";

interface EarlierProps {
  request: AccessRequest;
  accountId: AccountId;
}

export function EarlierRequests({ request, accountId }: EarlierProps) {
  const query = useQuery(earlierRequests({ userId: request.user_id, accountId }));
  const title = "Earlier Requests for This Account";
  return (
    <SectionCard title={title} description={`By ${request.username}`}>
      <Loaded query={query}>
        {({ requests }) => {
          const others = requests.filter(({ id }) => id !== request.id);
          if (others.length === 0) return <NoRows>No other request that you may see.</NoRows>;
          return (
            <RowList label={title}>
              {others.map((each) => (
                <Row
                  key={each.id}
                  icon={<IconClockBolt size={18} aria-hidden />}
                  name={
                    <>
                      <Link to={paths.reviewRequest(each.id)}>
                        <RelativeTime moment={each.created_at} />
                      </Link>
                      <RequestStatusBadge status={each.status} />
                    </>
                  }
                >
                  <RowDetail>{each.business_justification}</RowDetail>
                  <RowDetail>
                    {[duration(each.duration_minutes * 60), each.ticket, each.ended_because]
                      .filter((part) => part !== null)
                      .join(" · ")}
                  </RowDetail>
                </Row>
              ))}
            </RowList>
          );
        }}
      </Loaded>
    </SectionCard>
  );
}

export function EarlierSessions({ request, accountId }: EarlierProps) {
  const query = useQuery(earlierSessions({ userId: request.user_id, accountId }));
  const title = "Sessions on This Account";
  return (
    <SectionCard
      title={title}
      description={`By ${request.username}`}
      actions={<Link to={paths.sessionsOf({ user: request.user_id, account: accountId })}>All sessions</Link>}
    >
      <Loaded query={query}>
        {({ sessions }) =>
          sessions.length === 0 ? (
            <NoRows>No session that you may see.</NoRows>
          ) : (
            <RowList label={title}>
              {sessions.map((session) => (
                <Row
                  key={session.id}
                  icon={<IconTerminal2 size={18} aria-hidden />}
                  name={
                    <>
                      <RelativeTime moment={session.startTime} />
                      <SeverityBadge severity={session.riskLevel} />
                    </>
                  }
                >
                  <RowDetail>
                    {[duration(session.duration_seconds), ...session.riskReasons, session.ended_because]
                      .filter((part) => part !== null)
                      .join(" · ")}
                  </RowDetail>
                </Row>
              ))}
            </RowList>
          )
        }
      </Loaded>
    </SectionCard>
  );
}
