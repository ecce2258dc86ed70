// The orders of the list of accounts. Each has an index (migration 0138).
import type { AccountSort, AccountSortField } from "@strongroom/contract";
import { sql } from "kysely";
import type { RawBuilder } from "kysely";
import { listOrder } from "#kernel/db/list-order.ts";
import type { ListOrder, OrderKey } from "#kernel/db/list-order.ts";
import { NAME_KEY } from "#features/secrets/index.ts";

type Sql = RawBuilder<unknown>;

interface AccountKey extends OrderKey {
  /** The tables of the key. */
  from: Sql;
}

export type AccountOrder = AccountKey & ListOrder;

/** An account that was never validated comes before all others. */
const NEVER = sql`'epoch'::timestamptz`;
const CREDENTIALS = sql`credentials`;

/** The host of an account, in lower case. */
export const HOST_KEY: RawBuilder<string> = sql`lower(credentials.host) collate "C"`;

const KEYS: Record<AccountSortField, AccountKey> = {
  name: { key: NAME_KEY, kind: "text", from: CREDENTIALS },
  username: { key: sql`lower(credentials.username) collate "C"`, kind: "text", from: CREDENTIALS },
  hostname_ip: { key: HOST_KEY, kind: "text", from: CREDENTIALS },
  last_validated_at: {
    key: sql`coalesce(credentials.last_verification_attempt, ${NEVER})`,
    kind: "time",
    from: CREDENTIALS,
  },
  last_rotated_at: {
    key: sql`accounts.rotated_at`,
    kind: "time",
    from: sql`accounts join credentials on credentials.id = accounts.id`,
  },
  created_at: { key: sql`credentials.created_at`, kind: "time", from: CREDENTIALS },
};

/** Newest first by default. */
export const orderOf = (sort: AccountSort = "-created_at"): AccountOrder => listOrder(KEYS, sort);
