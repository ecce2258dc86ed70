// Privileged sessions: connections to targets through a gateway, recorded, watched and ended on time.
import { z } from "zod";
import { endpoint } from "./endpoint.ts";
import {
  AccountId,
  GatewayId,
  Message,
  Moment,
  PrivilegedSessionId,
  SafeId,
  UserId,
  manyLines,
  oneLine,
  pageQuery,
} from "./fields.ts";

/** SES-11. */
export const SESSION_STATUSES = ["active", "completed"] as const;
export const SessionStatus = z.enum(SESSION_STATUSES);
export type SessionStatus = z.infer<typeof SessionStatus>;

/** SES-11. */
export const SESSION_RISKS = ["high", "medium", "low"] as const;
export const SessionRisk = z.enum(SESSION_RISKS);
export type SessionRisk = z.infer<typeof SessionRisk>;

export const SESSION_PROTOCOLS = ["ssh"] as const;
export const SessionProtocol = z.enum(SESSION_PROTOCOLS);
export type SessionProtocol = z.infer<typeof SessionProtocol>;

/** Where the user works: a browser, or their own SSH client. */
export const SessionClient = z.enum(["browser", "native"]);
export type SessionClient = z.infer<typeof SessionClient>;

export const SESSION_END_REASONS = [
  "logout",
  "expired",
  "revoked",
  "checked-in",
  "user-disabled",
  "membership-removed",
  "account-deleted",
  "terminated",
  "target-closed",
  "recorder-failed",
  "database-lost",
  "gateway-lost",
  "idle",
  "failed",
] as const;
export const SessionEndReason = z.enum(SESSION_END_REASONS);
export type SessionEndReason = z.infer<typeof SessionEndReason>;

/** The actions that the caller may take on a session now. */
export const SESSION_ACTIONS = ["watch", "message", "pause", "terminate", "play", "export", "hold", "release"] as const;
export const SessionAction = z.enum(SESSION_ACTIONS);
export type SessionAction = z.infer<typeof SessionAction>;

/** SES-08, with the other fields that the page needs. */
export const PrivilegedSession = z.object({
  id: PrivilegedSessionId,
  /** The user's name. */
  user: z.string(),
  user_id: UserId,
  /** The account's name. */
  resource: z.string(),
  account_id: AccountId,
  safe_id: SafeId,
  safe_name: z.string(),
  platform_name: z.string(),
  protocol: SessionProtocol,
  client: SessionClient,
  /** Host and port. */
  target: z.string(),
  remote_user: z.string(),
  startTime: Moment,
  endTime: Moment.nullable(),
  /** Hours, as text with two decimals. */
  duration: z.string(),
  duration_seconds: z.number().int(),
  status: SessionStatus,
  riskLevel: SessionRisk,
  /** Why the risk has this level, in words; empty for a low risk. */
  riskReasons: z.array(z.string()),
  actions: z.array(SessionAction),
  lastActivity: Moment.nullable(),
  end_reason: SessionEndReason.nullable(),
  /** In words, such as "Terminated by Ada: wrong host". */
  ended_because: z.string().nullable(),
  is_recorded: z.boolean(),
  /** Set once the platform's retention has deleted the recording. */
  recording_deleted_at: Moment.nullable(),
  /** When the platform's retention deletes the recording; null if never, and during a legal hold. */
  recording_deletes_at: Moment.nullable(),
  /** A legal hold prevents the deletion of the recording. */
  is_recording_held: z.boolean(),
  /** *Pause Input* is in effect: the user's input does not reach the target. */
  is_input_paused: z.boolean(),
});
export type PrivilegedSession = z.infer<typeof PrivilegedSession>;

export const SessionRecording = z.object({
  /** `broken`: the recording ended without a closing record, so its end may be missing. */
  status: z.enum(["open", "closed", "broken"]),
  bytes: z.number().int(),
  duration_seconds: z.number(),
  /** Output that was accepted and could not be stored. */
  unstored_bytes: z.number().int(),
  /** The end of the platform's retention; null if it keeps recordings forever. A legal hold prevents the deletion. */
  retention_until: Moment.nullable(),
  /** The legal hold; null without one. */
  hold: z.object({ since: Moment, by: z.string(), reason: z.string() }).nullable(),
});

export const SessionDetails = PrivilegedSession.extend({
  /** The currently known end: of the grant, the check-out or the session itself. */
  ends_at: Moment,
  source_address: z.string(),
  reason: z.string().nullable(),
  ticket: z.string().nullable(),
  gateway: z.string().nullable(),
  input_bytes: z.number().int(),
  output_bytes: z.number().int(),
  recording: SessionRecording.nullable(),
});
export type SessionDetails = z.infer<typeof SessionDetails>;

const byId = z.object({ id: PrivilegedSessionId });
const thing = "privileged-session";

/** SES-02, over the sessions that the caller may see. */
export const SessionFigures = z.object({
  active: z.number().int(),
  /** Sessions since the start of the day, UTC, that were recorded. */
  recorded_today: z.number().int(),
  /** Active sessions with a high risk. */
  high_risk: z.number().int(),
  /** Of the sessions that ended in the last 30 days; null without any. */
  average_seconds: z.number().int().nullable(),
});
export type SessionFigures = z.infer<typeof SessionFigures>;

/** The caller's own sessions, and those in safes where the caller may view the audit trail. */
export const listPrivilegedSessions = endpoint({
  method: "GET",
  path: "/api/v1/sessions",
  summary: "Privileged sessions that the caller may see, newest first",
  query: z.object({
    ...pageQuery(200, 50),
    status: SessionStatus.optional(),
    protocol: SessionProtocol.optional(),
    risk: SessionRisk.optional(),
    user_id: UserId.optional(),
    account_id: AccountId.optional(),
    safe_id: SafeId.optional(),
    /** Started within this time range; both ends are included. */
    from: Moment.optional(),
    to: Moment.optional(),
    /** Part of the user's, the account's or the target's name. */
    search: z.string().trim().max(100).optional(),
    /** Only sessions whose recording has a legal hold, or only the others. */
    held: z.stringbool().optional(),
  }),
  reply: z.object({
    sessions: z.array(PrivilegedSession),
    next_cursor: z.string().nullable(),
    figures: SessionFigures,
  }),
  needs: "privileged-session.list",
  audit: "none",
});

export const SessionActivity = z.object({
  session_id: PrivilegedSessionId,
  at: Moment,
  text: z.string(),
});
export type SessionActivity = z.infer<typeof SessionActivity>;

/** SES-06, SES-10: `activities` are the texts of `entries`, in the same order. */
export const listSessionActivity = endpoint({
  method: "GET",
  path: "/api/v1/sessions/activity",
  summary: "Events in the sessions that the caller may see, newest first",
  query: z.object({ limit: z.coerce.number().int().min(1).max(100).default(30) }),
  reply: z.object({ activities: z.array(z.string()), entries: z.array(SessionActivity) }),
  needs: "privileged-session.list",
  audit: "none",
});

const Choice = <T extends z.ZodType>(id: T) => z.array(z.object({ id, name: z.string() }));

/** The choices of the list's filters: at most 500 each, by name, from the sessions of the last year. */
export const listSessionChoices = endpoint({
  method: "GET",
  path: "/api/v1/sessions/choices",
  summary: "Users, accounts and safes of the sessions that the caller may see",
  reply: z.object({ users: Choice(UserId), accounts: Choice(AccountId), safes: Choice(SafeId) }),
  needs: "privileged-session.list",
  audit: "none",
});

export const readPrivilegedSession = endpoint({
  method: "GET",
  path: "/api/v1/sessions/:id",
  summary: "One privileged session",
  params: byId,
  reply: SessionDetails,
  needs: "privileged-session.list",
  audit: "none",
  thing,
});

const Ticket = {
  /** Redeemed once, within 60 seconds, as the first message of the terminal. */
  ticket: z.string(),
  expires_at: Moment,
  /** The path of the WebSocket. */
  connect_path: z.string(),
};

/**
 * Needs `use` on the account or an active grant, and meets the platform's rules as a retrieval does: reason, ticket,
 * approval, exclusive check-out, one-time password. Refused while no gateway can open it.
 */
export const startPrivilegedSession = endpoint({
  method: "POST",
  path: "/api/v1/accounts/:id/sessions",
  summary: "Start a session on an account without seeing its secret; returns a single-use ticket",
  params: z.object({ id: AccountId }),
  body: z
    .strictObject({
      reason: manyLines().max(500).optional(),
      ticket: oneLine().max(100).optional(),
      client: SessionClient.default("browser"),
    })
    .optional()
    .transform((body) => body ?? { client: "browser" as const }),
  reply: z.object({
    session_id: PrivilegedSessionId,
    ...Ticket,
    /**
     * For a native client: the gateway, and its host key as in a known_hosts file. The ticket serves as the password.
     */
    ssh: z.object({ host: z.string(), port: z.number().int(), host_key: z.string() }).nullable(),
  }),
  status: 201,
  needs: "privileged-session.start",
  audit: "privileged-session.requested",
  thing: "account",
  gives: "nothing",
  repliesSecret: true,
});

/**
 * The WebSocket of the user's own terminal. The first message is the ticket, or the secret of a session to resume; see
 * docs/sessions.md. A plain GET is answered 426.
 */
export const openSessionTerminal = endpoint({
  method: "GET",
  path: "/api/v1/sessions/:id/terminal",
  summary: "The terminal of the caller's own session, as a WebSocket",
  params: byId,
  reply: { stream: "websocket" },
  needs: "privileged-session.start",
  audit: "none",
  thing,
});

/** The user of the session is notified that another user is watching. */
export const watchPrivilegedSession = endpoint({
  method: "POST",
  path: "/api/v1/sessions/:id/watch",
  summary: "Watch a live session; returns a single-use ticket",
  params: byId,
  reply: z.object(Ticket),
  status: 201,
  needs: "privileged-session.watch",
  audit: "privileged-session.watch-requested",
  thing,
  gives: "nothing",
  stepUp: true,
  repliesSecret: true,
});

export const openSessionWatch = endpoint({
  method: "GET",
  path: "/api/v1/sessions/:id/watch",
  summary: "The terminal of a session that the caller watches, as a WebSocket",
  params: byId,
  reply: { stream: "websocket" },
  needs: "privileged-session.watch",
  audit: "none",
  thing,
});

/** For the session's own user, and for members who may manage the members of its safe. */
export const terminatePrivilegedSession = endpoint({
  method: "POST",
  path: "/api/v1/sessions/:id/terminate",
  summary: "End a session immediately",
  params: byId,
  body: z.strictObject({ reason: manyLines("Say why").min(1, "Say why").max(500) }),
  reply: Message,
  needs: "privileged-session.terminate",
  audit: "privileged-session.terminated",
  thing,
  gives: "nothing",
});

export const messagePrivilegedSession = endpoint({
  method: "POST",
  path: "/api/v1/sessions/:id/message",
  summary: "Show a message in the user's terminal",
  params: byId,
  body: z.strictObject({ text: oneLine("Write a message").min(1, "Write a message").max(300) }),
  reply: Message,
  needs: "privileged-session.watch",
  audit: "privileged-session.messaged",
  thing,
  gives: "nothing",
});

/** For members who may terminate the session. The user sees who paused the input, and output continues. */
export const pausePrivilegedSession = endpoint({
  method: "POST",
  path: "/api/v1/sessions/:id/pause",
  summary: "Pause or resume the input of a session's user",
  params: byId,
  body: z.strictObject({ is_paused: z.boolean() }),
  reply: Message,
  needs: "privileged-session.terminate",
  audit: "privileged-session.input-paused",
  thing,
  gives: "nothing",
});

export const Gateway = z.object({
  id: GatewayId,
  name: z.string(),
  /** The address at which native clients reach the gateway; null when it serves browsers only. */
  address: z.string().nullable(),
  zone: z.string().nullable(),
  version: z.string(),
  started_at: Moment,
  heartbeat_at: Moment,
  status: z.enum(["ready", "draining", "blocked", "lost"]),
  /** Why the gateway starts no sessions; null when it does. */
  problem: z.string().nullable(),
  live_sessions: z.number().int(),
});
export type Gateway = z.infer<typeof Gateway>;

export const SshAccess = z.object({
  gateways: z.array(
    z.object({ name: z.string(), host: z.string(), port: z.number().int(), zone: z.string().nullable() }),
  ),
  /** The host key of all gateways, as in a known_hosts file; null when no gateway serves SSH clients. */
  host_key: z.string().nullable(),
  /** As ssh prints it at the first connection. */
  fingerprint: z.string().nullable(),
});
export type SshAccess = z.infer<typeof SshAccess>;

export const readSshAccess = endpoint({
  method: "GET",
  path: "/api/v1/sessions/ssh-access",
  summary: "Where SSH clients reach the session gateways, and their host key",
  reply: SshAccess,
  needs: "privileged-session.start",
  audit: "none",
});

export const listGateways = endpoint({
  method: "GET",
  path: "/api/v1/gateways",
  summary: "The session gateways and their state",
  reply: z.object({ gateways: z.array(Gateway) }),
  needs: "system.read",
  audit: "none",
});

/** A draining gateway starts no new sessions; running ones continue. */
export const drainGateway = endpoint({
  method: "POST",
  path: "/api/v1/gateways/:id/drain",
  summary: "Start or stop draining a gateway before an upgrade",
  params: z.object({ id: GatewayId }),
  body: z.strictObject({ is_draining: z.boolean() }),
  reply: Message,
  needs: "system.manage",
  audit: "gateway.drained",
  thing: "gateway",
  gives: "nothing",
});
