// Lists the versions of a stored secret without their values.
import type { SecretVersion } from "@strongroom/contract";
import { sql } from "kysely";
import type { Db } from "#kernel/db/database.ts";
import { moment } from "#kernel/moment.ts";

interface VersionRow {
  version: number;
  reason: SecretVersion["reason"];
  created_at: Date;
  created_by_name: string;
  retired_at: Date | null;
  is_candidate: boolean;
}

/** Newest first. The caller must check the permission. */
export async function versionsOf(db: Db, id: string): Promise<SecretVersion[]> {
  return (await listVersions(db, id)).map((row) => ({
    version: row.version,
    reason: row.reason,
    is_candidate: row.is_candidate,
    created_at: row.created_at.toISOString(),
    created_by: row.created_by_name,
    retired_at: moment(row.retired_at),
  }));
}

async function listVersions(db: Db, id: string): Promise<VersionRow[]> {
  const { rows } = await sql<VersionRow>`
    select version, reason, secret_versions.created_at, retired_at, is_candidate, coalesce(users.name, 'Strongroom') as created_by_name
    from secret_versions left join users on users.id = secret_versions.created_by
    where credential_id = ${id} order by version desc`.execute(db);
  return rows;
}
