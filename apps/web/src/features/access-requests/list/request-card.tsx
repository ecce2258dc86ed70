// One access request: requester, resource, reason, state, remaining time and actions (JIT-04, JIT-22, JIT-23).
import {
  IconArrowRight,
  IconCheck,
  IconClockPlus,
  IconFlame,
  IconInfoCircle,
  IconKey,
  IconLink,
  IconListDetails,
  IconPlayerStop,
  IconTerminal2,
  IconX,
  type Icon,
} from "@tabler/icons-react";
import type { AccessRequest } from "@strongroom/contract";
import { memo } from "react";
import { paths } from "#shared/paths.ts";
import { useNow } from "#shared/format/now.ts";
import { absoluteTime, nearTime } from "#shared/format/time.ts";
import { CardButton, CardNote, CardSign, CardSigns, ItemCard, type CardFact } from "#shared/ui/item-card.tsx";
import { RelativeTime } from "#shared/ui/relative-time.tsx";
import { SeverityBadge } from "#shared/ui/status-badge.tsx";
import { Tag } from "#shared/ui/tag.tsx";
import { remainingText } from "../durations.ts";
import { readRequestAnswer } from "../read-request.ts";
import { STATUS_BADGES, noteOf, startText } from "../request-labels.ts";

/** Dialogs that a card opens. The page renders them, because scrolling may unmount the card. */
export type RequestDialog = "approve" | "deny" | "extend" | "revoke" | "cancel" | "map" | "review" | "details";
/** Actions on a request that ask for confirmation. */
type RequestAct = Exclude<RequestDialog, "details">;

export interface RequestCardProps {
  request: AccessRequest;
  onOpen: (dialog: RequestDialog, request: AccessRequest) => void;
}

const ACTS: readonly { act: RequestAct; label: string; icon: Icon; color?: string; isPrimary?: boolean }[] = [
  { act: "approve", label: "Approve", icon: IconCheck, isPrimary: true },
  { act: "map", label: "Map", icon: IconLink, isPrimary: true },
  { act: "deny", label: "Deny", icon: IconX, color: "red" },
  { act: "review", label: "Review", icon: IconFlame, color: "red" },
  { act: "extend", label: "Extend", icon: IconClockPlus },
  { act: "cancel", label: "Cancel", icon: IconX },
  { act: "revoke", label: "Revoke", icon: IconPlayerStop, color: "red" },
];

/** Both actions share one API call: a pending request is cancelled, a grant is revoked. */
export const actsOf = ({ can, status }: Pick<AccessRequest, "can" | "status">): typeof ACTS =>
  ACTS.filter(({ act }) => {
    if (act === "cancel") return can.includes("revoke") && status === "pending";
    if (act === "revoke") return can.includes("revoke") && status !== "pending";
    return can.includes(act);
  });

export const RequestCard = memo(function RequestCard({ request, onOpen }: RequestCardProps) {
  const now = useNow();
  const read = readRequestAnswer(request, now);
  const note = noteOf(request, now);
  return (
    <ItemCard
      icon={
        request.is_break_glass ? <IconFlame size={18} aria-hidden /> : <IconKey size={18} stroke={1.6} aria-hidden />
      }
      title={read.resource}
      subtitle={`${read.requester}${read.system === null ? "" : ` · ${read.system}`}`}
      subtitleTitle={request.user_email}
      isAlarming={request.is_break_glass}
      badges={
        <>
          <RequestStatusBadge status={read.status} />
          {request.is_break_glass ? <Tag tone="danger">Break-glass</Tag> : <SeverityBadge severity={read.riskLevel} />}
        </>
      }
      facts={[
        { name: "Reason", value: read.reason, title: read.reason },
        { name: "Requested", value: <RelativeTime moment={read.requestTime} /> },
        { name: "Duration", value: read.requestedDuration },
        ...(request.status === "pending" ? [{ name: "Starts", value: startText(request, now) }] : []),
        lastFact(request, read.expiresAt, read.approver, now),
      ]}
      note={note !== null && <CardNote tone={note.tone} icon={IconInfoCircle} text={note.text} />}
      actions={<Actions request={request} onOpen={onOpen} />}
    />
  );
});

export function RequestStatusBadge({ status }: { status: AccessRequest["status"] }) {
  const { label, tone } = STATUS_BADGES[status];
  return <Tag tone={tone}>{label}</Tag>;
}

const isInForce = ({ status }: AccessRequest): boolean => status === "active" || status === "expiring_soon";

/**
 * JIT-07: the last fact of the card: remaining time while active, start time once approved, ticket while pending,
 * otherwise the approver.
 */
function lastFact(request: AccessRequest, end: string | null, approver: string | null, now: number): CardFact {
  if (isInForce(request) && end !== null) {
    return { name: "Remaining", value: remainingText(Date.parse(end) - now), title: absoluteTime(end) };
  }
  if (request.status === "approved" && request.starts_at !== null) {
    return { name: "Starts", value: nearTime(request.starts_at, now), title: absoluteTime(request.starts_at) };
  }
  if (request.status === "pending") return { name: "Ticket", value: request.ticket ?? "None" };
  return { name: request.status === "denied" ? "Denied by" : "Approved by", value: approver ?? "None" };
}

function Actions({ request, onOpen }: RequestCardProps) {
  return (
    <>
      {actsOf(request).map(({ act, label, icon, color, isPrimary }) => (
        <CardButton
          key={act}
          label={label}
          icon={icon}
          color={color}
          isPrimary={isPrimary ?? false}
          onClick={() => onOpen(act, request)}
        />
      ))}
      <CardSigns>
        <CardSign label="Details" icon={IconListDetails} onClick={() => onOpen("details", request)} />
        {request.account_id !== null && request.can.includes("connect") && (
          <CardSign label="Connect" icon={IconTerminal2} to={paths.connect(request.account_id)} />
        )}
        {request.account_id !== null && request.can.includes("retrieve") && (
          <CardSign label="Open Account" icon={IconArrowRight} to={paths.account(request.account_id)} />
        )}
      </CardSigns>
    </>
  );
}
