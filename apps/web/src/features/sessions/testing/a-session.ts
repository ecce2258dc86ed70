// Factories of privileged sessions for tests.
import type {
  Account,
  AccountId,
  PrivilegedSession,
  PrivilegedSessionId,
  ReplyOf,
  SafeId,
  UserId,
} from "@strongroom/contract";
import type { listPrivilegedSessions } from "@strongroom/contract";
import { anAccount } from "#features/accounts/testing/an-account.ts";

export const SESSION_ID = "55555555-5555-4555-8555-555555555555" as PrivilegedSessionId;

export const aSession = (given: Partial<PrivilegedSession> = {}): PrivilegedSession => ({
  id: SESSION_ID,
  user: "Ada",
  user_id: "11111111-1111-4111-8111-111111111111" as UserId,
  resource: "root on db1",
  account_id: "66666666-6666-4666-8666-666666666666" as AccountId,
  safe_id: "77777777-7777-4777-8777-777777777777" as SafeId,
  safe_name: "Databases",
  platform_name: "Linux servers",
  protocol: "ssh",
  client: "browser",
  target: "db1.internal:22",
  remote_user: "root",
  startTime: new Date(Date.now() - 10 * 60_000).toISOString(),
  endTime: null,
  duration: "0.17",
  duration_seconds: 600,
  status: "active",
  riskLevel: "low",
  riskReasons: [],
  actions: ["message", "terminate", "play", "export"],
  lastActivity: new Date(Date.now() - 2 * 60_000).toISOString(),
  end_reason: null,
  ended_because: null,
  is_recorded: true,
  recording_deleted_at: null,
  recording_deletes_at: null,
  is_recording_held: false,
  is_input_paused: false,
  ...given,
});

type SessionPage = ReplyOf<typeof listPrivilegedSessions>;

export const aPage = (sessions: PrivilegedSession[], figures: Partial<SessionPage["figures"]> = {}): SessionPage => ({
  sessions,
  next_cursor: null,
  figures: { active: 2, recorded_today: 5, high_risk: 1, average_seconds: 3900, ...figures },
});

/** An asciicast v3 with a pause of a minute. */
export const CAST_TEXT = [
  '{"version":3,"term":{"cols":80,"rows":24}}',
  '[0.5,"o","first\\r\\n"]',
  '[60,"o","second\\r\\n"]',
  '[0.25,"r","100x30"]',
  '[0.25,"o","third\\r\\n"]',
  "",
].join("\n");

export const anSshAccount = (): Account =>
  anAccount({
    id: "66666666-6666-4666-8666-666666666666" as AccountId,
    safe_id: "77777777-7777-4777-8777-777777777777" as SafeId,
  });
