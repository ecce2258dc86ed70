// Just-in-time access: request access to an account, get a grant for a limited time, and lose it when it expires.
import { z } from "zod";
import { ConnectionMethod, SystemType } from "./account-types.ts";
import { endpoint } from "./endpoint.ts";
import {
  AccessRequestId,
  AccountId,
  Moment,
  UserId,
  optionalText,
  pageQuery,
  oneLine,
  manyLines,
  optionalLines,
  sortBy,
} from "./fields.ts";
import { VerificationStatus } from "./verification-status.ts";

/** JIT-21, and `revoked` (OPEN-102). */
export const ACCESS_REQUEST_STATUSES = [
  "pending",
  "approved",
  "active",
  "expiring_soon",
  "denied",
  "expired",
  "revoked",
] as const;
export const AccessRequestStatus = z.enum(ACCESS_REQUEST_STATUSES);
export type AccessRequestStatus = z.infer<typeof AccessRequestStatus>;

export const RISK_LEVELS = ["low", "medium", "high", "critical"] as const;
export const RiskLevel = z.enum(RISK_LEVELS);

/** JIT-28, in minutes. */
export const REQUEST_DURATIONS = [30, 60, 120, 240, 480, 1440] as const;
/** JIT-30, in minutes. */
export const EXTENSION_DURATIONS = [30, 60, 120, 240, 480] as const;

export const Decision = z.object({
  approver: z.string(),
  level: z.number().int(),
  decision: z.enum(["approved", "denied"]),
  comment: z.string().nullable(),
  at: Moment,
});
export type Decision = z.infer<typeof Decision>;

/** The approvals that a request still needs, at the current level. */
export const ApprovalState = z.object({
  level: z.number().int(),
  needed: z.number().int(),
  given: z.number().int(),
  /** Users other than the requester who can decide at this level now. If zero, the request cannot be approved. */
  eligible: z.number().int(),
});

export const AccessRequest = z.object({
  id: AccessRequestId,
  account_id: AccountId.nullable(),
  /** The account's name, or the requester's own text. */
  resource: z.string(),
  system: z.string().nullable(),
  user_id: UserId,
  username: z.string(),
  user_email: z.string(),
  business_justification: z.string(),
  ticket: z.string().nullable(),
  duration_minutes: z.number().int(),
  status: AccessRequestStatus,
  computed_status: AccessRequestStatus,
  created_at: Moment,
  /** The requested start, then the actual start. */
  starts_at: Moment.nullable(),
  expires_at: Moment.nullable(),
  /** Seconds until the end; null unless granted. */
  time_remaining: z.number().int().nullable(),
  /** The user who gave the last approval or the denial. */
  approved_by: z.string().nullable(),
  decisions: z.array(Decision),
  /** Null when no decision is pending. */
  approval: ApprovalState.nullable(),
  /** Minutes of an extension that needs approval. */
  pending_extension_minutes: z.number().int().nullable(),
  ended_at: Moment.nullable(),
  /** In words, such as "Revoked by Ada", "The account was deleted". */
  ended_because: z.string().nullable(),
  /** JIT-16: `medium`; `critical` for emergency access. There is no other risk assessment yet. */
  riskLevel: RiskLevel,
  is_break_glass: z.boolean(),
  review: z
    .object({ verdict: z.enum(["justified", "not_justified"]), comment: z.string(), reviewer: z.string(), at: Moment })
    .nullable(),
  /** Emergency access that has not been reviewed yet. */
  needs_review: z.boolean(),
  /** The actions that the caller can take now. */
  can: z.array(z.enum(["approve", "deny", "extend", "revoke", "map", "review", "retrieve", "connect"])),
});
export type AccessRequest = z.infer<typeof AccessRequest>;

const byId = z.object({ id: AccessRequestId });

/** The caller's own requests, and those that the caller can decide or oversee. */
/** `requester` is the person's name, `requested` the time of the request, `period` the end of the access. */
export const REQUEST_SORT_FIELDS = ["resource", "requester", "requested", "period"] as const;
export type RequestSortField = (typeof REQUEST_SORT_FIELDS)[number];

export const RequestSort = sortBy(REQUEST_SORT_FIELDS);
export type RequestSort = z.infer<typeof RequestSort>;

export const listAccessRequests = endpoint({
  method: "GET",
  path: "/api/v1/jit",
  summary: "Access requests that the caller made or can decide, newest first unless sorted otherwise",
  query: z.object({
    ...pageQuery(200, 100),
    status: z.enum(["pending", "active", "history", "all"]).optional(),
    /** Only the caller's own. */
    mine: z.stringbool().optional(),
    /** Only requests by this user, or for this account. */
    user_id: UserId.optional(),
    account_id: AccountId.optional(),
    search: z.string().trim().max(100).optional(),
    sort: RequestSort.optional(),
  }),
  reply: z.object({
    requests: z.array(AccessRequest),
    next_cursor: z.string().nullable(),
    counts: z.object({ pending: z.number().int(), active: z.number().int(), history: z.number().int() }),
  }),
  needs: "access-request.list",
  audit: "none",
});

/** OPEN-20. `active`: active grants, including those expiring soon. */
export const accessRequestStatistics = endpoint({
  method: "GET",
  path: "/api/v1/jit/admin/statistics",
  summary: "Access request statistics; managers and administrators see all requests, users only their own",
  reply: z.object({
    total: z.number().int(),
    active: z.number().int(),
    expiring_soon: z.number().int(),
    expired: z.number().int(),
  }),
  needs: "access-request.list",
  audit: "none",
});

/** An account that the caller can request, and its platform's requirements. */
export const RequestableAccount = z.object({
  account_id: AccountId,
  name: z.string(),
  hostname_ip: z.string(),
  username: z.string(),
  safe_name: z.string(),
  system_type: SystemType,
  connection_method: ConnectionMethod,
  approvals: z.array(z.object({ level: z.number().int(), needed: z.number().int(), eligible: z.number().int() })),
  reason_required: z.boolean(),
  ticket_required: z.boolean(),
  default_duration_minutes: z.number().int(),
  max_duration_minutes: z.number().int(),
  /** The caller is in a group with emergency access. */
  may_break_glass: z.boolean(),
});
export type RequestableAccount = z.infer<typeof RequestableAccount>;

export const findRequestable = endpoint({
  method: "GET",
  path: "/api/v1/jit/resources",
  summary: "Accounts that the caller can request, up to 20",
  query: z.object({ search: optionalText(100), account_id: AccountId.optional() }),
  reply: z.object({ resources: z.array(RequestableAccount) }),
  needs: "access-request.create",
  audit: "none",
});

export const readAccessRequest = endpoint({
  method: "GET",
  path: "/api/v1/jit/:id",
  summary: "One access request",
  params: byId,
  reply: AccessRequest,
  needs: "access-request.list",
  audit: "none",
});

/**
 * By the rules for the risk of sessions: what would make a session under this request a risk. It tells approvers whether it
 * would be the requester's first session on the account, even if they may not see sessions. 404 also for a request that names
 * no account yet.
 */
export const readAccessRequestRisk = endpoint({
  method: "GET",
  path: "/api/v1/jit/:id/risk",
  summary: "The risk of the sessions that a request would allow, with its reasons",
  params: byId,
  reply: z.object({
    level: z.enum(["high", "medium", "low"]),
    /** In words; empty for a low risk. */
    reasons: z.array(z.string()),
    /** Whether the account's stored secret works. */
    account_status: VerificationStatus,
  }),
  needs: "access-request.list",
  audit: "none",
});

const justification = {
  reason: manyLines("Business justification is required").min(1, "Business justification is required").max(2000),
  ticket: optionalText(100),
  durationMinutes: z.number().int().min(5).max(10_080).default(60),
};

/**
 * JIT-19. `account_id` names an account; without it `resource` is free text, which an administrator assigns to an
 * account.
 */
export const createAccessRequest = endpoint({
  method: "POST",
  path: "/api/v1/jit",
  summary: "Request access to an account for a limited time",
  body: z.strictObject({
    resource: oneLine("Resource is required").min(1, "Resource is required").max(200),
    system: optionalText(200),
    account_id: AccountId.optional(),
    /** Not in the past; at most 30 days ahead. */
    starts_at: Moment.optional(),
    ...justification,
  }),
  reply: AccessRequest,
  status: 201,
  needs: "access-request.create",
  audit: "access-request.created",
  gives: "nothing",
});

const Comment = z
  .strictObject({ comment: optionalLines(1000) })
  .optional()
  .transform((body) => body ?? { comment: null });

export const approveAccessRequest = endpoint({
  method: "POST",
  path: "/api/v1/jit/:id/approve",
  summary: "Approve a request or its pending extension; requesters cannot approve their own",
  params: byId,
  body: Comment,
  reply: AccessRequest,
  needs: "access-request.decide",
  audit: "access-request.approved",
  gives: "right",
  stepUp: true,
  givesByToken: "access-request.decide",
});

export const denyAccessRequest = endpoint({
  method: "POST",
  path: "/api/v1/jit/:id/deny",
  summary: "Deny a request or its pending extension; requesters cannot deny their own",
  params: byId,
  body: Comment,
  reply: AccessRequest,
  needs: "access-request.decide",
  audit: "access-request.denied",
  gives: "nothing",
});

/** Requesters end their access early or withdraw a pending request; approvers and administrators revoke it. */
export const revokeAccessRequest = endpoint({
  method: "POST",
  path: "/api/v1/jit/:id/revoke",
  summary: "Revoke granted access immediately, or withdraw a pending request",
  params: byId,
  body: Comment,
  reply: AccessRequest,
  needs: "access-request.create",
  audit: "access-request.revoked",
  gives: "nothing",
});

/** The total cannot exceed the platform's maximum duration. Needs approval if the platform requires it. */
export const extendAccessRequest = endpoint({
  method: "POST",
  path: "/api/v1/jit/:id/extend",
  summary: "Request an extension",
  params: byId,
  body: z.strictObject({ extensionMinutes: z.number().int().min(5).max(10_080).default(60) }),
  reply: AccessRequest,
  needs: "access-request.create",
  audit: "access-request.extended",
  gives: "nothing",
});

export const mapAccessRequest = endpoint({
  method: "POST",
  path: "/api/v1/jit/:id/map",
  summary: "Assign an account to a request in free text",
  params: byId,
  body: z.strictObject({ account_id: AccountId }),
  reply: AccessRequest,
  needs: "access-request.decide",
  audit: "access-request.mapped",
  gives: "right",
  stepUp: true,
  givesByToken: "access-request.decide",
});

/**
 * Granted immediately to members of an emergency-access group; every approver is notified, and a review is due afterwards.
 */
export const breakGlass = endpoint({
  method: "POST",
  path: "/api/v1/jit/break-glass",
  summary: "Get emergency access to an account without prior approval",
  body: z.strictObject({
    account_id: AccountId,
    ...justification,
    reason: manyLines().min(10, "Explain in a sentence why this cannot wait").max(2000),
  }),
  reply: AccessRequest,
  status: 201,
  needs: "access-request.create",
  audit: "access-request.broken-glass",
  gives: "nothing",
});

export const reviewBreakGlass = endpoint({
  method: "POST",
  path: "/api/v1/jit/:id/review",
  summary: "Review emergency access afterwards; users cannot review their own",
  params: byId,
  body: z.strictObject({
    verdict: z.enum(["justified", "not_justified"]),
    comment: manyLines().min(1, "Enter your findings").max(2000),
  }),
  reply: AccessRequest,
  needs: "access-request.decide",
  audit: "access-request.reviewed",
  gives: "nothing",
});
