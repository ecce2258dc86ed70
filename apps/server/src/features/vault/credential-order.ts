// The orders of the vault's list, other than the newest first.
import type { CredentialSort, CredentialSortField } from "@strongroom/contract";
import { sql } from "kysely";
import { listOrder } from "#kernel/db/list-order.ts";
import type { ListOrder, OrderKey } from "#kernel/db/list-order.ts";
import { NAME_KEY } from "#features/secrets/index.ts";

const KEYS: Record<CredentialSortField, OrderKey> = {
  name: { key: NAME_KEY, kind: "text" },
  username: { key: sql`lower(coalesce(credentials.username, '')) collate "C"`, kind: "text" },
  host: { key: sql`lower(coalesce(credentials.host, '')) collate "C"`, kind: "text" },
  /** A credential that was never verified comes before all others. */
  verified_at: { key: sql`coalesce(credentials.verified_at, 'epoch'::timestamptz)`, kind: "time" },
  created_at: { key: sql`credentials.created_at`, kind: "time" },
};

export const orderOf = (sort: CredentialSort): ListOrder => listOrder(KEYS, sort);
