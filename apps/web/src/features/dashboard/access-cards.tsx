// The cards about access: requests to decide, and the user's own access and requests.
import { Button } from "@mantine/core";
import { IconClockBolt, IconKey } from "@tabler/icons-react";
import type { AccessRequest } from "@strongroom/contract";
import { useQuery } from "@tanstack/react-query";
import { Link } from "react-router";
import { counted } from "#shared/format/text.ts";
import { duration, nearTime } from "#shared/format/time.ts";
import { useNow } from "#shared/format/now.ts";
import { paths } from "#shared/paths.ts";
import { Loaded } from "#shared/ui/loaded.tsx";
import { RelativeTime } from "#shared/ui/relative-time.tsx";
import { NoRows, Row, RowDetail, RowList } from "#shared/ui/row-list.tsx";
import { SectionCard } from "#shared/ui/section-card.tsx";
import { EmptyState } from "#shared/ui/states.tsx";
import { Tag } from "#shared/ui/tag.tsx";
import { ownAccess, ownPending, pendingRequests } from "./dashboard.queries.ts";
import classes from "./dashboard-page.module.css";

const FEW = 5;

const isDecidable = ({ can }: AccessRequest): boolean => can.includes("approve") || can.includes("deny");

/** Hidden when empty, except for roles that usually decide. */
export function QueueCard({ isShownEmpty }: { isShownEmpty: boolean }) {
  const query = useQuery(pendingRequests);
  const waiting = query.data?.requests.filter(isDecidable) ?? [];
  if (waiting.length === 0 && !isShownEmpty) return null;
  return (
    <SectionCard
      title="Waiting for Your Decision"
      actions={
        query.data !== undefined && (
          <Link to={paths.jitAccess}>{counted(query.data.counts.pending, "pending request")}</Link>
        )
      }
    >
      <Loaded query={query}>
        {() =>
          waiting.length === 0 ? (
            <NoRows>No request waits for you.</NoRows>
          ) : (
            <RowList label="Waiting for your decision">
              {waiting.slice(0, FEW).map((request) => (
                <QueueRow key={request.id} request={request} />
              ))}
            </RowList>
          )
        }
      </Loaded>
    </SectionCard>
  );
}

function QueueRow({ request }: { request: AccessRequest }) {
  const { id, username, resource, business_justification: reason, duration_minutes: minutes, ticket } = request;
  return (
    <Row
      icon={<IconClockBolt size={18} aria-hidden />}
      name={
        <>
          <Link to={paths.reviewRequest(id)} className={classes.quiet}>{`${username} → ${resource}`}</Link>
          {request.is_break_glass && <Tag tone="danger">Break-glass</Tag>}
        </>
      }
      actions={
        <Button
          component={Link}
          to={paths.reviewRequest(id)}
          size="compact-sm"
          variant="default"
          aria-label={`Review: ${username}, ${resource}`}
        >
          Review
        </Button>
      }
    >
      <RowDetail title={reason}>{reason}</RowDetail>
      <RowDetail>
        {`${duration(minutes * 60)}${ticket === null ? "" : ` · ${ticket}`} · requested `}
        <RelativeTime moment={request.created_at} />
      </RowDetail>
    </Row>
  );
}

/** The user's active access, then their pending requests. */
export function OwnAccessCard({ isBrief = false }: { isBrief?: boolean }) {
  const active = useQuery(ownAccess);
  const pending = useQuery(ownPending);
  return (
    <SectionCard title="My Access" actions={<Link to={`${paths.jitAccess}?tab=active`}>All active access</Link>}>
      <Loaded query={active}>
        {({ requests }) => <OwnRows active={requests} pending={pending.data?.requests ?? []} isBrief={isBrief} />}
      </Loaded>
    </SectionCard>
  );
}

interface OwnRowsProps {
  active: readonly AccessRequest[];
  pending: readonly AccessRequest[];
  /** Shows one line instead of an explanation when the list is empty. */
  isBrief: boolean;
}

function OwnRows({ active, pending, isBrief }: OwnRowsProps) {
  const now = useNow();
  const waiting = pending.filter(({ id }) => active.every((each) => each.id !== id));
  if (active.length + waiting.length === 0) {
    return isBrief ? (
      <NoRows>No active access and no open request.</NoRows>
    ) : (
      <EmptyState
        title="No active access"
        text="Access to an account for a limited time appears here, and so do your requests."
        icon={IconKey}
        action={
          <Button component={Link} to={paths.jitAccess} variant="default" size="sm">
            Request Access
          </Button>
        }
      />
    );
  }
  return (
    <RowList label="My access">
      {active.slice(0, FEW).map((grant) => (
        <GrantRow key={grant.id} grant={grant} now={now} />
      ))}
      {waiting.slice(0, FEW).map(({ id, resource, created_at }) => (
        <Row
          key={id}
          icon={<IconClockBolt size={18} aria-hidden />}
          name={
            <>
              <Link to={paths.accessRequest(id)} className={classes.quiet}>
                {resource}
              </Link>
              <Tag tone="warning">Pending</Tag>
            </>
          }
        >
          <RowDetail>
            Requested <RelativeTime moment={created_at} />
          </RowDetail>
        </Row>
      ))}
    </RowList>
  );
}

function GrantRow({ grant, now }: { grant: AccessRequest; now: number }) {
  const { id, account_id, resource, expires_at, can } = grant;
  return (
    <Row
      icon={<IconKey size={18} aria-hidden />}
      name={
        <Link to={paths.accessRequest(id)} className={classes.quiet}>
          {resource}
        </Link>
      }
      actions={
        account_id !== null && (
          <>
            {can.includes("connect") && (
              <Button
                component={Link}
                to={paths.connect(account_id)}
                state={{ starts: true }}
                size="compact-sm"
                aria-label={`Connect: ${resource}`}
              >
                Connect
              </Button>
            )}
            <Button
              component={Link}
              to={paths.account(account_id)}
              size="compact-sm"
              variant="default"
              aria-label={`Open account: ${resource}`}
            >
              Open
            </Button>
          </>
        )
      }
    >
      {expires_at !== null && (
        <RowDetail>
          {`${duration(Math.max(0, Math.ceil((Date.parse(expires_at) - now) / 60_000)) * 60)} left, until ${nearTime(expires_at, now)}`}
        </RowDetail>
      )}
    </Row>
  );
}
