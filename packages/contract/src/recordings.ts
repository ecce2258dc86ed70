// Recordings of privileged sessions: played, exported and searched.
import { z } from "zod";
import { endpoint } from "./endpoint.ts";
import { AccountId, Message, Moment, PrivilegedSessionId, SafeId, UserId, manyLines, oneLine } from "./fields.ts";
import { PrivilegedSession } from "./sessions.ts";

const byId = z.object({ id: PrivilegedSessionId });
const thing = "privileged-session";

/** For the session's own user, and for members who may view the audit trail of its safe. */
export const readSessionRecording = endpoint({
  method: "GET",
  path: "/api/v1/sessions/:id/recording",
  summary: "Play the recording of a session, as asciicast v3",
  params: byId,
  reply: { stream: "application/x-asciicast" },
  needs: "privileged-session.play",
  audit: "privileged-session.played",
  thing,
  stepUp: true,
});

export const RecordingHit = z.object({
  session: PrivilegedSession,
  /** The first lines with the text, up to five. */
  lines: z.array(z.object({ at_seconds: z.number(), text: z.string() })),
  /** All lines with the text. */
  count: z.number().int(),
});
export type RecordingHit = z.infer<typeof RecordingHit>;

/**
 * Searches the recordings that the caller may play. A POST, because the text may be a secret that must not be in a URL.
 */
export const searchRecordings = endpoint({
  method: "POST",
  path: "/api/v1/sessions/search",
  summary: "Sessions whose terminal showed a text, newest first",
  body: z.strictObject({
    /** Matched regardless of case, within one line of the screen. */
    text: oneLine("Enter a text").min(3, "Enter at least 3 characters").max(200),
    user_id: UserId.optional(),
    account_id: AccountId.optional(),
    safe_id: SafeId.optional(),
    /** Started within this time range; both ends are included. */
    from: Moment.optional(),
    to: Moment.optional(),
    cursor: z.string().max(600).optional(),
  }),
  reply: z.object({
    hits: z.array(RecordingHit),
    /** The number of recordings that this call searched. */
    searched: z.number().int(),
    /** The number of recordings whose text is not stored yet, or only in part. */
    skipped: z.number().int(),
    /** Set when the search stopped before the oldest recording. */
    next_cursor: z.string().nullable(),
  }),
  needs: "privileged-session.play",
  audit: "privileged-session.recordings-searched",
  gives: "nothing",
  stepUp: true,
  perMinute: 60,
});

export const exportSessionRecording = endpoint({
  method: "GET",
  path: "/api/v1/sessions/:id/recording/export",
  summary: "The sealed recording of a session, for `strongroom recording verify`",
  params: byId,
  reply: { stream: "application/octet-stream" },
  needs: "privileged-session.export",
  audit: "privileged-session.exported",
  thing,
  stepUp: true,
});

const HoldReason = manyLines("Enter the reason").min(1, "Enter the reason").max(500);

/** For members who may view the audit trail of the safe. Nothing deletes the recording until the hold is released. */
export const holdSessionRecording = endpoint({
  method: "POST",
  path: "/api/v1/sessions/:id/recording/hold",
  summary: "Place a legal hold on the recording of a session",
  params: byId,
  body: z.strictObject({ reason: HoldReason }),
  reply: Message,
  needs: "privileged-session.hold",
  audit: "recording.held",
  thing,
  gives: "nothing",
});

/**
 * For members who may also manage the safe's members, except the session's own user. Administrators and the safe's
 * auditors are notified. A recording past its retention is deleted seven days later.
 */
export const releaseSessionRecording = endpoint({
  method: "POST",
  path: "/api/v1/sessions/:id/recording/release",
  summary: "Release the legal hold on the recording of a session",
  params: byId,
  body: z.strictObject({ reason: HoldReason }),
  reply: Message,
  needs: "privileged-session.hold",
  audit: "recording.released",
  thing,
  gives: "nothing",
  stepUp: true,
});
