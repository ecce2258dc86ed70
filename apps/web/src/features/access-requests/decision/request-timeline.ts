// The timeline of a request: requested, decided, started, ended, reviewed.
import type { AccessRequest } from "@strongroom/contract";
import type { Tone } from "#shared/ui/tone.ts";

export interface TimelineEvent {
  at: string;
  title: string;
  text: string | null;
  tone: Tone;
}

const isOpened = ({ status }: AccessRequest): boolean => !["pending", "approved", "denied"].includes(status);

export function timelineOf(request: AccessRequest): TimelineEvent[] {
  const { username, review } = request;
  const events: TimelineEvent[] = [
    {
      at: request.created_at,
      title: request.is_break_glass ? `${username} used emergency access` : `${username} requested access`,
      text: null,
      tone: request.is_break_glass ? "danger" : "neutral",
    },
    ...request.decisions.map(({ approver, level, decision, comment, at }): TimelineEvent => ({
      at,
      title: decision === "approved" ? `${approver} approved (level ${level})` : `${approver} denied (level ${level})`,
      text: comment,
      tone: decision === "approved" ? "success" : "danger",
    })),
  ];
  if (request.starts_at !== null && isOpened(request)) {
    events.push({ at: request.starts_at, title: "Access started", text: null, tone: "info" });
  }
  if (request.ended_at !== null && request.status !== "denied") {
    events.push({ at: request.ended_at, title: "Access ended", text: request.ended_because, tone: "neutral" });
  }
  if (review !== null) {
    const verdict = review.verdict === "justified" ? "justified" : "not justified";
    events.push({
      at: review.at,
      title: `${review.reviewer} reviewed it: ${verdict}`,
      text: review.comment,
      tone: review.verdict === "justified" ? "success" : "danger",
    });
  }
  return events.sort((a, b) => Date.parse(a.at) - Date.parse(b.at));
}
