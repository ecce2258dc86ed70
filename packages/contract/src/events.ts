// Live events: changes sent to the browsers of users who can see them.
import { z } from "zod";
import { AccessReviewId } from "./access-reviews.ts";
import { AccessRequestStatus } from "./access-requests.ts";
import {
  AccessRequestId,
  AccountId,
  CredentialId,
  GroupId,
  Moment,
  PlatformId,
  PrivilegedSessionId,
  RotationId,
  SafeId,
  UserId,
} from "./fields.ts";
import { RotationRunId, RotationState } from "./rotation.ts";
import { SessionStatus } from "./sessions.ts";
import { ErrorCategory, Severity } from "./validation.ts";
import { AttemptStatus } from "./verification-status.ts";
import { Outcome, RunId } from "./verification.ts";
import { DiscoveryTargetId } from "./discovery.ts";
import { endpoint } from "./endpoint.ts";

const base = { id: z.string(), timestamp: Moment };

/** VAL-46. Fields that do not apply are null. */
const ValidationUpdate = z.object({
  account_id: z.uuid().nullable(),
  /** False for a user's own credential. */
  is_account: z.boolean(),
  account_name: z.string().nullable(),
  system_type: z.string().nullable(),
  status: AttemptStatus.nullable(),
  error_message: z.string().nullable(),
  error_category: ErrorCategory.nullable(),
  severity: Severity.nullable(),
  /** The grant that the event concerns. */
  session_id: AccessRequestId.nullable(),
  /**
   * The user who requested this attempt and is waiting for it, or null. Toasts are for that user (VAL-65 to VAL-67).
   */
  asked_by: UserId.nullable(),
  /** The change of the reader's figures. */
  statistics: z
    .object({
      verified: z.number().int(),
      failed: z.number().int(),
      rejected: z.number().int(),
      unreachable: z.number().int(),
      misconfigured: z.number().int(),
      pending: z.number().int(),
      never_validated: z.number().int(),
    })
    .nullable(),
});
export type ValidationUpdate = z.infer<typeof ValidationUpdate>;

const validation = <Type extends string>(type: Type) =>
  z.object({ ...base, type: z.literal(type), data: ValidationUpdate });

/**
 * The server-sent event's `event` field is `type`, its `data` this object as JSON, its `id` the position to resume
 * from.
 */
export const LiveEvent = z.discriminatedUnion("type", [
  z.object({ ...base, type: z.literal("credential.changed"), data: z.object({ credential_id: CredentialId }) }),
  z.object({ ...base, type: z.literal("credential.deleted"), data: z.object({ credential_id: CredentialId }) }),
  z.object({
    ...base,
    type: z.literal("verification.completed"),
    data: z.object({
      credential_id: CredentialId,
      name: z.string(),
      outcome: Outcome,
      message: z.string(),
      is_alarm: z.boolean(),
    }),
  }),
  z.object({
    ...base,
    type: z.literal("verification.run-progressed"),
    data: z.object({ run_id: RunId, total: z.number().int(), done: z.number().int(), is_completed: z.boolean() }),
  }),
  // VAL-45. The first is sent for attempts that a person requested; `jit_verification_status` for accounts with active
  // grants, to users who see the grant.
  validation("validation_started"),
  validation("validation_completed"),
  validation("validation_failed"),
  validation("critical_failure"),
  validation("jit_verification_status"),
  validation("statistics_update"),
  /** A notification arrived, was read or was deleted: reload the list. */
  z.object({ ...base, type: z.literal("notification.changed"), data: z.object({}) }),
  z.object({
    ...base,
    type: z.literal("rotation.changed"),
    data: z.object({
      rotation_id: RotationId,
      /** The id of the credential or the account. */
      secret_id: z.uuid(),
      is_account: z.boolean(),
      name: z.string(),
      state: RotationState,
      message: z.string(),
    }),
  }),
  z.object({
    ...base,
    type: z.literal("rotation.run-progressed"),
    data: z.object({
      run_id: RotationRunId,
      total: z.number().int(),
      done: z.number().int(),
      is_completed: z.boolean(),
    }),
  }),
  z.object({ ...base, type: z.literal("safe.changed"), data: z.object({ safe_id: SafeId }) }),
  z.object({ ...base, type: z.literal("safe.deleted"), data: z.object({ safe_id: SafeId }) }),
  z.object({ ...base, type: z.literal("group.changed"), data: z.object({ group_id: GroupId }) }),
  z.object({ ...base, type: z.literal("access-review.changed"), data: z.object({ review_id: AccessReviewId }) }),
  z.object({ ...base, type: z.literal("platform.changed"), data: z.object({ platform_id: PlatformId }) }),
  /** A target, one of its scans or an account that they found changed. */
  z.object({
    ...base,
    type: z.literal("discovery.changed"),
    data: z.object({ target_id: DiscoveryTargetId.nullable() }),
  }),
  z.object({ ...base, type: z.literal("account.changed"), data: z.object({ account_id: AccountId }) }),
  z.object({ ...base, type: z.literal("account.deleted"), data: z.object({ account_id: AccountId }) }),
  z.object({
    ...base,
    type: z.literal("access-request.changed"),
    data: z.object({
      request_id: AccessRequestId,
      /** The change, in the past tense. */
      change: z.enum([
        "created",
        "mapped",
        "approved",
        "granted",
        "denied",
        "extended",
        "started",
        "ended",
        "broken-glass",
        "reviewed",
      ]),
      status: AccessRequestStatus,
      resource: z.string(),
      requester_id: UserId,
      requester: z.string(),
    }),
  }),
  /** A privileged session was started or ended, or an event in it is worth showing. */
  z.object({
    ...base,
    type: z.literal("privileged-session.changed"),
    data: z.object({ session_id: PrivilegedSessionId, status: SessionStatus }),
  }),
  z.object({ ...base, type: z.literal("session.ended"), data: z.object({ session_id: z.uuid() }) }),
  z.object({ ...base, type: z.literal("token.changed"), data: z.object({ token_id: z.uuid() }) }),
]);
export type LiveEvent = z.infer<typeof LiveEvent>;

/** API-93. If false, the stream would deliver nothing now, so clients poll instead. */
export const checkEvents = endpoint({
  method: "GET",
  path: "/api/v1/events/availability",
  summary: "Whether the stream of live events is available to the caller",
  reply: z.object({ is_available: z.boolean(), path: z.string() }),
  needs: "signed-in",
  scope: "event.follow",
  audit: "none",
  whilePending: true,
});

/** Also accepts the HttpOnly cookie set at sign-in, because an EventSource cannot send an Authorization header. */
export const streamEvents = endpoint({
  method: "GET",
  path: "/api/v1/events",
  summary: "Server-sent events for the caller; resumes after Last-Event-ID",
  reply: { stream: "text/event-stream" },
  needs: "signed-in",
  scope: "event.follow",
  audit: "none",
  whilePending: true,
});
