// The versions of stored secrets in the database, without the secrets.
import type { SecretVersion } from "@strongroom/contract";
import { sql } from "kysely";
import type { Db } from "#kernel/db/database.ts";

export interface VersionRow {
  version: number;
  reason: SecretVersion["reason"];
  created_at: Date;
  created_by_name: string;
  retired_at: Date | null;
  is_candidate: boolean;
}

/** Newest first. */
export async function listVersions(db: Db, id: string): Promise<VersionRow[]> {
  const { rows } = await sql<VersionRow>`
    select version, reason, secret_versions.created_at, retired_at, is_candidate, coalesce(users.name, 'Strongroom') as created_by_name
    from secret_versions left join users on users.id = secret_versions.created_by
    where credential_id = ${id} order by version desc`.execute(db);
  return rows;
}
