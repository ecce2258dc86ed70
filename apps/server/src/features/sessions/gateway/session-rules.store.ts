// The rules of a platform and a safe for sessions, as a gateway applies them.
import { sql } from "kysely";
import type { Db } from "#kernel/db/database.ts";

/** The program on the target. */
export type SessionProgram = "shell" | "exec" | "sftp" | "forward";

export interface SessionRules {
  /** The session ends when its user has typed nothing for this long; null: never. */
  idleMinutes: number | null;
  /** Nothing moves unless another user watches. */
  needsWatcher: boolean;
  /** The user does not see that the session is watched. */
  hidesWatchers: boolean;
  /** Only gateways of these zones open the session: of the platform and of the safe. Empty: every gateway. */
  zones: string[];
  /** Whether the recording contains the user's input. */
  recordsInput: boolean;
  /** The number of days that the recording is kept; null: forever. */
  recordingDays: number | null;
  allows: Record<SessionProgram, boolean>;
  allowsAgent: boolean;
  /** How the gateway logs in: with the account's secret, or with a certificate that it issues. */
  login: "secret" | "certificate";
}

/** The programs that a platform allows, as a JSON object. */
export const allowedPrograms = sql<Record<SessionProgram, boolean>>`
  json_build_object('shell', platforms.session_allows_shell, 'exec', platforms.session_allows_exec,
    'sftp', platforms.session_allows_sftp, 'forward', platforms.session_allows_forward)`;

export async function readSessionRules(db: Db, platformId: string, safeId: string): Promise<SessionRules> {
  const { rows } = await sql<SessionRules>`
    select session_idle_minutes as "idleMinutes", session_needs_watcher as "needsWatcher",
      session_hides_watchers as "hidesWatchers",
      array_remove(array[platforms.session_zone, safes.session_zone], null) as zones,
      session_records_input as "recordsInput", session_recording_days as "recordingDays",
      session_login as login, session_allows_agent as "allowsAgent", ${allowedPrograms} as allows
    from platforms, safes where platforms.id = ${platformId} and safes.id = ${safeId}`.execute(db);
  return rows[0]!;
}

/** How gateways log in to the account's target. */
export async function readSessionLogin(db: Db, accountId: string): Promise<SessionRules["login"]> {
  const { rows } = await sql<Pick<SessionRules, "login">>`
    select platforms.session_login as login from accounts join platforms on platforms.id = accounts.platform_id
    where accounts.id = ${accountId}`.execute(db);
  return rows[0]?.login ?? "secret";
}

/** A gateway is in one zone, so it opens no session of a platform and a safe that require different ones. */
export const isInZones = (zone: string | null, zones: readonly string[]): boolean =>
  zones.every((required) => required === zone);

/** The zone of a gateway; null without one. */
export async function readZone(db: Db, gatewayId: string): Promise<string | null> {
  const gateway = await db.selectFrom("gateways").select("zone").where("id", "=", gatewayId).executeTakeFirst();
  return gateway?.zone ?? null;
}
