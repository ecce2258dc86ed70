// The rules of a platform for its sessions, as a gateway applies them.
import { sql } from "kysely";
import type { Db } from "#kernel/db/database.ts";

/** What a user runs on the target. */
export type SessionProgram = "shell" | "exec" | "sftp";

export interface SessionRules {
  /** The session ends when its user has typed nothing for this long; null: never. */
  idleMinutes: number | null;
  /** Nothing moves unless another user watches. */
  needsWatcher: boolean;
  /** The user does not see that the session is watched. */
  hidesWatchers: boolean;
  /** Only gateways of this zone open the session; null: every gateway. */
  zone: string | null;
  allows: Record<SessionProgram, boolean>;
}

export async function readSessionRules(db: Db, platformId: string): Promise<SessionRules> {
  const { rows } = await sql<SessionRules>`
    select session_idle_minutes as "idleMinutes", session_needs_watcher as "needsWatcher",
      session_hides_watchers as "hidesWatchers", session_zone as zone,
      json_build_object('shell', session_allows_shell, 'exec', session_allows_exec, 'sftp', session_allows_sftp) as allows
    from platforms where id = ${platformId}`.execute(db);
  return rows[0]!;
}

/** Whether the gateway may open sessions that this zone requires. */
export async function isInZone(db: Db, gatewayId: string, zone: string | null): Promise<boolean> {
  if (zone === null) return true;
  const gateway = await db.selectFrom("gateways").select("zone").where("id", "=", gatewayId).executeTakeFirst();
  return gateway?.zone === zone;
}
