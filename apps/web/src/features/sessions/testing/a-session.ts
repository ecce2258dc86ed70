// Factories of privileged sessions for tests.
import { SAFE_PERMISSIONS } from "@strongroom/contract";
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

export const anSshAccount = (): Account => ({
  id: "66666666-6666-4666-8666-666666666666" as AccountId,
  name: "root on web1",
  username: "root",
  hostname_ip: "web1.internal",
  port: 22,
  system_type: "Linux",
  connection_method: "SSH",
  account_type: null,
  platform_id: "55555555-5555-4555-8555-555555555555" as Account["platform_id"],
  platform_name: "Linux servers",
  safe_id: "77777777-7777-4777-8777-777777777777" as SafeId,
  safe_name: "Web servers",
  status: "active",
  notes: null,
  database_name: null,
  schema_name: null,
  connection_string: null,
  ssl_enabled: false,
  additional_params: {},
  last_validation_status: "untested",
  last_validated_at: null,
  validation_message: null,
  rotation_status: "no_policy",
  last_rotated_at: "2026-11-01T08:00:00.000Z",
  rotation_due_at: null,
  open_rotation: null,
  last_accessed: null,
  connector: { name: "Linux", is_proven: true, can_change: true, can_reconcile: true },
  check_out: null,
  access_block: null,
  host_key_alarm: null,
  my_permissions: [...SAFE_PERMISSIONS],
  needs_approval: false,
  my_grant: null,
  created_at: "2026-11-01T08:00:00.000Z",
  updated_at: "2026-11-02T08:00:00.000Z",
});
