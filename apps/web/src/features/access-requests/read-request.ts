// Reads an access request for display and fills in missing fields (JIT-08 to JIT-17).
import { AccessRequestStatus, RiskLevel, type AccessRequestStatus as RequestStatus } from "@strongroom/contract";
import { duration } from "#shared/format/time.ts";
import { durationLabel } from "./durations.ts";

/** The fields of a request that may be missing and have a fallback. */
export interface RawRequest {
  id: string;
  resource: string;
  system?: string | null;
  user_id?: string | null;
  username?: string | null;
  user_email?: string | null;
  requester?: string | null;
  business_justification?: string | null;
  justification?: string | null;
  reason?: string | null;
  duration_minutes?: number | null;
  computed_status?: string | null;
  status?: string | null;
  is_active?: boolean;
  is_approved?: boolean;
  is_denied?: boolean;
  created_at?: string | null;
  approver?: string | null;
  approved_by?: string | null;
  expires_at?: string | null;
  time_remaining?: number | null;
  riskLevel?: string | null;
}

export interface ReadRequest {
  id: string;
  resource: string;
  system: string | null;
  requester: string;
  reason: string;
  requestedDuration: string;
  status: RequestStatus;
  requestTime: string | null;
  approver: string | null;
  expiresAt: string | null;
  riskLevel: RiskLevel;
  computed_status: string | null;
  time_remaining: number | null;
  username: string | null;
}
type RiskLevel = ReturnType<(typeof RiskLevel)["parse"]>;

const firstOf = (...texts: readonly (string | null | undefined)[]): string | null =>
  texts.find((text): text is string => typeof text === "string" && text.trim() !== "") ?? null;

/** JIT-09. */
function requesterOf({ username, user_email: email, requester, user_id: id }: RawRequest): string {
  const named = firstOf(username, email, requester);
  if (named !== null) return named;
  return id === null || id === undefined ? "Current User" : `User ID ${id}`;
}

/** JIT-12. */
function statusOf(given: RawRequest): RequestStatus {
  const status = AccessRequestStatus.safeParse(firstOf(given.computed_status, given.status)).data;
  if (status !== undefined) return status;
  if (given.is_active === true) return "active";
  if (given.is_approved === true) return "approved";
  return given.is_denied === true ? "denied" : "pending";
}

/** JIT-15: the given end, or now plus the remaining seconds. */
function endOf({ expires_at: end, time_remaining: seconds }: RawRequest, now: number): string | null {
  if (typeof end === "string") return end;
  return typeof seconds === "number" ? new Date(now + seconds * 1000).toISOString() : null;
}

/** `now` in milliseconds since 1970. */
export function readRequestAnswer(given: RawRequest, now: number): ReadRequest {
  const minutes = given.duration_minutes ?? 60;
  return {
    id: given.id,
    resource: given.resource,
    system: given.system ?? null,
    requester: requesterOf(given),
    reason: firstOf(given.business_justification, given.justification, given.reason) ?? "No reason provided",
    requestedDuration: durationLabel(minutes) ?? duration(minutes * 60),
    status: statusOf(given),
    requestTime: given.created_at ?? null,
    approver: firstOf(given.approver, given.approved_by),
    expiresAt: endOf(given, now),
    riskLevel: RiskLevel.safeParse(given.riskLevel).data ?? "medium",
    computed_status: given.computed_status ?? null,
    time_remaining: given.time_remaining ?? null,
    username: given.username ?? null,
  };
}
