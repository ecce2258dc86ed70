// Describes a live event: its text, its severity and its link.
import type { LiveEvent, Outcome, RotationState } from "@strongroom/contract";
import { paths } from "#shared/paths.ts";
import type { LoggedEvent } from "#shared/events/event-log.ts";
import type { Tone } from "#shared/ui/tone.ts";

export interface EventNote {
  title: string;
  message: string;
  tone: Tone;
  link: string | null;
}

type RequestChange = Extract<LiveEvent, { type: "access-request.changed" }>["data"];

const OUTCOMES: Record<Outcome, { verb: string; tone: Tone }> = {
  verified: { verb: "verified", tone: "success" },
  rejected: { verb: "rejected by its system", tone: "danger" },
  unreachable: { verb: "not verified: the system did not answer", tone: "warning" },
  misconfigured: { verb: "not verified: its settings allow no login", tone: "warning" },
  unsupported: { verb: "not verified: no connector for its type yet", tone: "neutral" },
  aborted: { verb: "not verified: Strongroom did not finish the check", tone: "neutral" },
};

export function describeEvent(event: LoggedEvent): EventNote {
  switch (event.type) {
    case "credential.changed":
      return {
        title: "Credential changed",
        message: "",
        tone: "info",
        link: paths.credential(event.data.credential_id),
      };
    case "credential.deleted":
      return { title: "Credential deleted", message: "", tone: "neutral", link: null };
    case "verification.completed": {
      const { name, outcome, message, is_alarm: isAlarm, credential_id: id } = event.data;
      const { verb, tone } = OUTCOMES[outcome];
      return {
        title: isAlarm ? `Alarm: the host key of ${name} changed` : `${name} ${verb}`,
        message,
        tone: isAlarm ? "danger" : tone,
        link: paths.credential(id),
      };
    }
    case "verification.run-progressed": {
      const { done, total, is_completed: isCompleted } = event.data;
      return {
        title: isCompleted ? "Verification run completed" : "Verification run in progress",
        message: `${done} of ${total} done`,
        tone: isCompleted ? "success" : "info",
        link: paths.cpmDashboard,
      };
    }
    case "rotation.changed":
      return describeRotation(event.data);
    case "rotation.run-progressed": {
      const { done, total, is_completed: isCompleted } = event.data;
      return {
        title: isCompleted ? "Rotation run completed" : "Rotation run in progress",
        message: `${done} of ${total} done`,
        tone: isCompleted ? "success" : "info",
        link: paths.accounts,
      };
    }
    case "safe.changed":
      return { title: "Safe changed", message: "", tone: "info", link: paths.safes };
    case "safe.deleted":
      return { title: "Safe deleted", message: "", tone: "neutral", link: paths.safes };
    case "group.changed":
      return { title: "Group changed", message: "", tone: "info", link: null };
    case "platform.changed":
      return { title: "Platform changed", message: "", tone: "info", link: null };
    case "discovery.changed":
      return { title: "Discovery changed", message: "", tone: "info", link: null };
    case "account.changed":
      return { title: "Account changed", message: "", tone: "info", link: paths.account(event.data.account_id) };
    case "account.deleted":
      return { title: "Account deleted", message: "", tone: "neutral", link: null };
    case "access-request.changed":
      return describeRequest(event.data);
    case "token.changed":
      return { title: "One of your API tokens changed", message: "", tone: "info", link: paths.profile };
    case "access-review.changed":
      return { title: "Access review changed", message: "", tone: "info", link: paths.accessControl };
    case "privileged-session.changed":
      return {
        title: event.data.status === "active" ? "Privileged session started" : "Privileged session ended",
        message: "",
        tone: "info",
        link: null,
      };
    case "session.ended":
      return { title: "One of your sessions ended", message: "", tone: "neutral", link: paths.profile };
    default:
      return event satisfies never;
  }
}

type RotationChange = Extract<LiveEvent, { type: "rotation.changed" }>["data"];

const ROTATION_STATES: Record<RotationState, { verb: string; tone: Tone }> = {
  queued: { verb: "is about to be changed", tone: "info" },
  running: { verb: "is being changed", tone: "info" },
  waiting: { verb: "is not changed yet", tone: "warning" },
  attention: { verb: "could not be changed and needs attention", tone: "danger" },
  rotated: { verb: "was changed", tone: "success" },
  cancelled: { verb: "was not changed", tone: "neutral" },
  superseded: { verb: "was changed manually", tone: "neutral" },
};

function describeRotation({ name, state, message, is_account: isAccount, secret_id: id }: RotationChange): EventNote {
  const { verb, tone } = ROTATION_STATES[state];
  const link = isAccount ? paths.account(id) : paths.credential(id);
  return { title: `The password of ${name} ${verb}`, message, tone, link };
}

const CHANGES: Record<RequestChange["change"], { verb: string; tone: Tone }> = {
  created: { verb: "requested access to", tone: "warning" },
  mapped: { verb: "requested access to", tone: "warning" },
  approved: { verb: "received an approval for", tone: "info" },
  granted: { verb: "was granted access to", tone: "success" },
  denied: { verb: "was denied access to", tone: "danger" },
  extended: { verb: "requested more time for", tone: "info" },
  started: { verb: "can now use", tone: "success" },
  ended: { verb: "no longer has access to", tone: "neutral" },
  "broken-glass": { verb: "used emergency access to", tone: "danger" },
  reviewed: { verb: "had emergency access reviewed for", tone: "info" },
};

function describeRequest({ change, requester, resource, request_id: id }: RequestChange): EventNote {
  const { verb, tone } = CHANGES[change];
  const title = `${change === "broken-glass" ? "Alarm: " : ""}${requester} ${verb} ${resource}`;
  return { title, message: "", tone, link: paths.accessRequest(id) };
}

/** Keeps only the newest report of each run. Input and output are newest first. */
export function worthShowing(events: readonly LoggedEvent[]): readonly LoggedEvent[] {
  const runs = new Set<string>();
  return events.filter((event) => {
    if (event.type !== "verification.run-progressed" && event.type !== "rotation.run-progressed") return true;
    if (runs.has(event.data.run_id)) return false;
    runs.add(event.data.run_id);
    return true;
  });
}
