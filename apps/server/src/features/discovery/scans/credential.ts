// The account whose secret a scan logs in with.
import type { Target } from "@strongroom/connectors";
import { sql } from "kysely";
import type { Db } from "#kernel/db/database.ts";
import type { Kernel } from "#kernel/kernel.ts";
import { SECRET_COLUMNS, activeError, openEnvelope, readEnvelope, unreadable } from "#features/secrets/index.ts";
import type { HostKey, SecretRow } from "#features/secrets/index.ts";
import { loginTargetOf } from "#features/verification/index.ts";

export type CredentialRow = SecretRow & { safe_id: string };

/** Null for an account that was deleted, and when it or its safe is not active. */
export async function readCredential(db: Db, id: string): Promise<CredentialRow | null> {
  const isUsable = sql<boolean>`exists (
    select from accounts join safes on safes.id = credentials.safe_id
    where accounts.id = credentials.id and accounts.status = 'active' and safes.status = 'active'
      and safes.deleted_at is null)`;
  const row = await db
    .selectFrom("credentials")
    .select(SECRET_COLUMNS)
    .where("id", "=", id)
    .where("deleted_at", "is", null)
    .where(isUsable)
    .executeTakeFirst();
  return row === undefined || row.safe_id === null ? null : { ...row, safe_id: row.safe_id };
}

/**
 * How to log in to the scanned host: the credential's protocol and options, at the host's own address. The host key
 * that is pinned for the credential applies only to the credential's own host.
 */
export function targetOf(row: CredentialRow, at: { hostname: string; port: number; host_key: HostKey | null }): Target {
  const target = loginTargetOf(row);
  const isOwnHost = target.host?.toLowerCase() === at.hostname.toLowerCase() && target.port === at.port;
  const knownHostKey = at.host_key ?? (isOwnHost ? (target.knownHostKey ?? null) : null);
  return { ...target, host: at.hostname, port: at.port, knownHostKey };
}

/** The active secret. The caller must dispose of it. Throws a refusal when it cannot be opened. */
export async function openCredential(kernel: Kernel, row: CredentialRow) {
  const { id, user_id, safe_id, secret_version: version } = row;
  const error = await activeError(kernel, row, { isUnlocked: true });
  const envelope = await readEnvelope(kernel.database.db, id, version);
  if (error !== null || envelope === null) throw unreadable(kernel, id, error ?? new Error("the envelope is missing"));
  return openEnvelope(kernel, { id, user_id, safe_id, version, envelope }).catch((failure: unknown) => {
    throw unreadable(kernel, id, failure);
  });
}
