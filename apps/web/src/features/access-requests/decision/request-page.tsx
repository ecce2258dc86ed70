// The page of one request, for the person who decides: who, what, when, how long, why, the risk, and what came before.
// `a` approves, `d` denies, `j` and `k` move through the waiting requests.
import { Button, Group, Kbd, Stack } from "@mantine/core";
import { useHotkeys } from "@mantine/hooks";
import type { AccessRequest } from "@strongroom/contract";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link, useNavigate, useParams } from "react-router";
import { isCallError, messageOf } from "#shared/api/call-error.ts";
import { EvidenceButton } from "#shared/audit/evidence-button.tsx";
import { useNow } from "#shared/format/now.ts";
import { absoluteTime, nearTime } from "#shared/format/time.ts";
import { paths } from "#shared/paths.ts";
import { DetailColumns, DetailHeader, DetailLoaded } from "#shared/ui/detail-page.tsx";
import { Facts, type Fact } from "#shared/ui/facts.tsx";
import { RelativeTime } from "#shared/ui/relative-time.tsx";
import { NoRows } from "#shared/ui/row-list.tsx";
import { SectionCard } from "#shared/ui/section-card.tsx";
import { oneRequest, requestList } from "../access-requests.queries.ts";
import { RequestStatusBadge, actsOf, type RequestDialog } from "../list/request-card.tsx";
import { readRequestAnswer } from "../read-request.ts";
import { noteOf, startText } from "../request-labels.ts";
import { DecisionDialogs } from "./decision-dialogs.tsx";
import { EarlierRequests, EarlierSessions } from "./earlier-use.tsx";
import { RequestRisk } from "./request-risk.tsx";
import { RequestTimeline } from "./request-details-dialog.tsx";
import classes from "./request-page.module.css";

const LIST = { to: paths.jitAccess, title: "Just-in-Time Access", backLabel: "Back to Just-in-Time Access" };

export default function RequestPage() {
  const { id = "" } = useParams();
  const query = useQuery(oneRequest(id));
  return (
    <DetailLoaded
      query={query}
      list={LIST}
      loadingText="Loading the request..."
      isMissing={(error) => isCallError(error) && error.status === 404}
      missing={{ title: "Request Not Found", text: "It does not exist, or you may not see it." }}
      failure={{ title: "Access Request", text: messageOf(query.error) }}
    >
      {(request) => <RequestView key={request.id} request={request} />}
    </DetailLoaded>
  );
}

const isDecidable = ({ can }: AccessRequest): boolean => can.includes("approve") || can.includes("deny");

/** The neighbours of this request among those that wait for the user, newest first. */
function useNeighbours(id: string) {
  const { data } = useInfiniteQuery(requestList({ status: "pending" }));
  const waiting = data?.pages.flatMap((page) => page.requests).filter(isDecidable) ?? [];
  const place = waiting.findIndex((each) => each.id === id);
  const next = place === -1 ? waiting[0] : waiting[place + 1];
  return { next: next?.id, previous: place > 0 ? waiting[place - 1]?.id : undefined };
}

function RequestView({ request }: { request: AccessRequest }) {
  const navigate = useNavigate();
  const [dialog, setDialog] = useState<RequestDialog | null>(null);
  const { next, previous } = useNeighbours(request.id);
  const goTo = (id: string | undefined) =>
    id !== undefined && dialog === null && void navigate(paths.reviewRequest(id));
  const openIf = (act: "approve" | "deny") => dialog === null && request.can.includes(act) && setDialog(act);
  useHotkeys([
    ["a", () => openIf("approve")],
    ["d", () => openIf("deny")],
    ["j", () => goTo(next)],
    ["k", () => goTo(previous)],
  ]);
  return (
    <>
      <DetailHeader
        list={LIST}
        title={`${request.username} → ${request.resource}`}
        subtitle={
          <>
            Requested <RelativeTime moment={request.created_at} />
          </>
        }
        actions={
          <Group gap="xs">
            {previous !== undefined && <Neighbour id={previous} label="Previous" hotkey="K" />}
            {next !== undefined && <Neighbour id={next} label="Next request" hotkey="J" />}
          </Group>
        }
      />
      <div className={classes.facts}>
        <RequestFacts request={request} />
      </div>
      <DetailColumns
        main={
          request.account_id === null ? (
            <SectionCard title="Earlier Requests for This Account">
              <NoRows>An administrator has to assign an account first.</NoRows>
            </SectionCard>
          ) : (
            <>
              <EarlierRequests request={request} accountId={request.account_id} />
              <EarlierSessions request={request} accountId={request.account_id} />
            </>
          )
        }
        side={
          <>
            <Decision request={request} onOpen={setDialog} />
            <SectionCard title="Timeline">
              <RequestTimeline request={request} />
            </SectionCard>
          </>
        }
      />
      <DecisionDialogs request={request} dialog={dialog} onClose={() => setDialog(null)} />
    </>
  );
}

const Neighbour = ({ id, label, hotkey }: { id: string; label: string; hotkey: string }) => (
  <Button
    component={Link}
    to={paths.reviewRequest(id)}
    variant="default"
    size="sm"
    rightSection={<Kbd size="xs">{hotkey}</Kbd>}
  >
    {label}
  </Button>
);

function factsOf(request: AccessRequest, now: number): Fact[] {
  const read = readRequestAnswer(request, now);
  const { account_id: accountId, expires_at: end } = request;
  return [
    { name: "Who", value: `${read.requester} (${request.user_email})` },
    {
      name: "What",
      value: accountId === null ? read.resource : <Link to={paths.account(accountId)}>{read.resource}</Link>,
    },
    { name: "System", value: read.system ?? "Not specified" },
    { name: "Starts", value: startText(request, now) },
    { name: "Duration", value: read.requestedDuration },
    ...(end === null ? [] : [{ name: "Until", value: <span title={absoluteTime(end)}>{nearTime(end, now)}</span> }]),
    { name: "Ticket", value: request.ticket ?? "None" },
  ];
}

function RequestFacts({ request }: { request: AccessRequest }) {
  const now = useNow();
  return (
    <SectionCard title="Request" actions={<RequestStatusBadge status={readRequestAnswer(request, now).status} />}>
      <blockquote className={classes.reason}>{request.business_justification}</blockquote>
      <Facts facts={factsOf(request, now)} />
    </SectionCard>
  );
}

const KEYS: Partial<Record<RequestDialog, string>> = { approve: "A", deny: "D" };

function Decision({ request, onOpen }: { request: AccessRequest; onOpen: (dialog: RequestDialog) => void }) {
  const now = useNow();
  const note = noteOf(request, now);
  const acts = actsOf(request);
  return (
    <SectionCard title="Decision">
      <Stack gap="md">
        <RequestRisk request={request} />
        {note !== null && <p className={classes.note}>{note.text}</p>}
        <div className={classes.acts}>
          {acts.map(({ act, label, color, icon: ActIcon }) => (
            <Button
              key={act}
              color={color}
              variant={act === "approve" ? "filled" : "light"}
              leftSection={<ActIcon size={16} aria-hidden />}
              rightSection={KEYS[act] !== undefined && <Kbd size="xs">{KEYS[act]}</Kbd>}
              onClick={() => onOpen(act)}
            >
              {label}
            </Button>
          ))}
          <EvidenceButton about="access-request" id={request.id} name="this request" size="sm" variant="default" />
        </div>
      </Stack>
    </SectionCard>
  );
}
