// All details of one request: its fields, decisions, timeline and the available actions.
import { Button, Stack } from "@mantine/core";
import type { AccessRequest } from "@strongroom/contract";
import { Link } from "react-router";
import { paths } from "#shared/paths.ts";
import { EvidenceButton } from "#shared/audit/evidence-button.tsx";
import { useNow } from "#shared/format/now.ts";
import { absoluteTime, nearTime } from "#shared/format/time.ts";
import { DialogButtons } from "#shared/ui/dialog-buttons.tsx";
import { Facts, type Fact } from "#shared/ui/facts.tsx";
import { Modal } from "#shared/ui/modal.tsx";
import { SeverityBadge } from "#shared/ui/status-badge.tsx";
import { remainingText } from "../durations.ts";
import classes from "../list/jit-access-page.module.css";
import { readRequestAnswer } from "../read-request.ts";
import { RequestStatusBadge, actsOf, type RequestDialog } from "../list/request-card.tsx";
import { timelineOf } from "./request-timeline.ts";
import { noteOf, startText } from "../request-labels.ts";

export interface RequestDetailsDialogProps {
  request: AccessRequest;
  opened: boolean;
  onClose: () => void;
  onOpen: (dialog: RequestDialog, request: AccessRequest) => void;
}

export function RequestDetailsDialog({ request, opened, onClose, onOpen }: RequestDetailsDialogProps) {
  return (
    <Modal opened={opened} onClose={onClose} title={`Request for ${request.resource}`} size="lg">
      <Details request={request} onOpen={onOpen} />
    </Modal>
  );
}

function factsOf(request: AccessRequest, now: number): Fact[] {
  const read = readRequestAnswer(request, now);
  const isOpen = request.status === "active" || request.status === "expiring_soon";
  const end = request.expires_at;
  return [
    { name: "Status", value: <RequestStatusBadge status={read.status} /> },
    { name: "Requested by", value: `${read.requester} (${request.user_email})` },
    { name: "System", value: read.system ?? "Not specified" },
    { name: "Starts", value: startText(request, now) },
    { name: "Duration", value: read.requestedDuration },
    { name: "Ticket", value: request.ticket ?? "None" },
    { name: "Risk", value: <SeverityBadge severity={read.riskLevel} /> },
    ...(end === null ? [] : [{ name: "Until", value: nearTime(end, now) }]),
    ...(isOpen && end !== null ? [{ name: "Remaining", value: remainingText(Date.parse(end) - now) }] : []),
  ];
}

function Details({ request, onOpen }: Pick<RequestDetailsDialogProps, "request" | "onOpen">) {
  const now = useNow();
  const note = noteOf(request, now);
  return (
    <Stack gap="md">
      <Facts facts={factsOf(request, now)} />
      <section>
        <h3 className={classes.sub}>Business Justification</h3>
        <p className={classes.reason}>{request.business_justification}</p>
      </section>
      <section>
        <h3 className={classes.sub}>Timeline</h3>
        <RequestTimeline request={request} />
        {note !== null && <p className={classes.eventText}>{note.text}</p>}
      </section>
      <DialogButtons>
        <EvidenceButton about="access-request" id={request.id} name="this request" size="sm" variant="default" />
        <Button component={Link} to={paths.reviewRequest(request.id)} variant="default">
          Open Page
        </Button>
        {request.account_id !== null && request.can.includes("connect") && (
          <Button component={Link} to={paths.connect(request.account_id)} state={{ starts: true }}>
            Connect
          </Button>
        )}
        {request.account_id !== null && request.can.includes("retrieve") && (
          <Button component={Link} to={paths.account(request.account_id)} variant="default">
            Open Account
          </Button>
        )}
        {actsOf(request).map(({ act, label, color, icon: ActIcon }) => (
          <Button
            key={act}
            color={color}
            variant={act === "approve" ? "filled" : "light"}
            leftSection={<ActIcon size={16} aria-hidden />}
            onClick={() => onOpen(act, request)}
          >
            {label}
          </Button>
        ))}
      </DialogButtons>
    </Stack>
  );
}

export function RequestTimeline({ request }: { request: AccessRequest }) {
  const now = useNow();
  return (
    <ol className={classes.timeline} aria-label="Timeline">
      {timelineOf(request).map(({ at, title, text, tone }) => (
        <li
          key={`${at}/${title}`}
          className={classes.event}
          style={{ "--event-color": `var(--tone-${tone}-fg)` } as React.CSSProperties}
        >
          <p className={classes.eventTitle}>
            <span>{title}</span>
            <time className={classes.eventTime} dateTime={at} title={absoluteTime(at)}>
              {nearTime(at, now)}
            </time>
          </p>
          {text !== null && <p className={classes.eventText}>{text}</p>}
        </li>
      ))}
    </ol>
  );
}
