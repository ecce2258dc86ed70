// The caller's latest sessions, one for each account, with a link that connects again.
import { Button } from "@mantine/core";
import { IconTerminal2 } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link } from "react-router";
import { paths } from "#shared/paths.ts";
import { useUser } from "#shared/session/session-store.ts";
import { RelativeTime } from "#shared/ui/relative-time.tsx";
import { Row, RowDetail, RowList } from "#shared/ui/row-list.tsx";
import { SectionCard } from "#shared/ui/section-card.tsx";
import { recentSessions } from "./sessions.queries.ts";
import classes from "./sessions.module.css";

const MOST_SHOWN = 3;

/** Shows nothing until the caller has connected once. The links are the same on every device. */
export function RecentConnections() {
  const { data } = useQuery(recentSessions(useUser().id));
  const latest = [...new Map(data?.sessions.toReversed().map((each) => [each.account_id, each])).values()];
  const shown = latest.toSorted((a, b) => b.startTime.localeCompare(a.startTime)).slice(0, MOST_SHOWN);
  if (shown.length === 0) return null;
  return (
    <div className={classes.above}>
      <SectionCard title="My Recent Connections">
        <RowList label="My Recent Connections">
          {shown.map((session) => (
            <Row
              key={session.account_id}
              icon={<IconTerminal2 size={18} aria-hidden />}
              name={session.resource}
              actions={
                <Button
                  component={Link}
                  to={paths.connect(session.account_id)}
                  state={{ starts: true }}
                  size="compact-sm"
                  variant="default"
                  aria-label={`Connect: ${session.resource}`}
                >
                  Connect
                </Button>
              }
            >
              <RowDetail>
                {`${session.remote_user}@${session.target} · `}
                <RelativeTime moment={session.startTime} />
              </RowDetail>
            </Row>
          ))}
        </RowList>
      </SectionCard>
    </div>
  );
}
