// The orders of the list of accounts. Each has an index (migration 0138), and a key in the list's cursor.
import type { AccountSort, AccountSortField } from "@strongroom/contract";
import { sql } from "kysely";
import type { RawBuilder } from "kysely";
import { readNamePlace, readTimePlace, writeNamePlace, writeTimePlace } from "#kernel/http/cursor.ts";
import { NAME_KEY } from "#features/secrets/index.ts";

type Sql = RawBuilder<unknown>;

export interface AccountOrder {
  /** The first key; the second one is the id. */
  key: Sql;
  isTime: boolean;
  direction: Sql;
  /** `<` or `>`: whether a row comes after another one. */
  comesAfter: Sql;
  /** The tables of the key. */
  from: Sql;
}

/** A position in the list. */
export interface Place {
  key: Date | string;
  id: string;
}

/** An account that was never validated comes before all others. */
const NEVER = sql`'epoch'::timestamptz`;
const CREDENTIALS = sql`credentials`;

/** The host of an account, in lower case. */
export const HOST_KEY: RawBuilder<string> = sql`lower(credentials.host) collate "C"`;

const KEYS: Record<AccountSortField, Pick<AccountOrder, "key" | "isTime" | "from">> = {
  name: { key: NAME_KEY, isTime: false, from: CREDENTIALS },
  username: { key: sql`lower(credentials.username) collate "C"`, isTime: false, from: CREDENTIALS },
  hostname_ip: { key: HOST_KEY, isTime: false, from: CREDENTIALS },
  last_validated_at: {
    key: sql`coalesce(credentials.last_verification_attempt, ${NEVER})`,
    isTime: true,
    from: CREDENTIALS,
  },
  last_rotated_at: {
    key: sql`accounts.rotated_at`,
    isTime: true,
    from: sql`accounts join credentials on credentials.id = accounts.id`,
  },
  created_at: { key: sql`credentials.created_at`, isTime: true, from: CREDENTIALS },
};

/** Newest first by default. */
export function orderOf(sort: AccountSort = "-created_at"): AccountOrder {
  const isDescending = sort.startsWith("-");
  const field = sort.replace("-", "") as AccountSortField;
  return {
    ...KEYS[field],
    direction: isDescending ? sql`desc` : sql`asc`,
    comesAfter: isDescending ? sql`<` : sql`>`,
  };
}

/** Throws a refusal for a cursor of another order. */
export function readPlace({ isTime }: AccountOrder, cursor: string): Place {
  if (isTime) {
    const { at, id } = readTimePlace(cursor);
    return { key: at, id };
  }
  const { name, id } = readNamePlace(cursor);
  return { key: name, id };
}

export const writePlace = ({ key, id }: Place): string =>
  key instanceof Date ? writeTimePlace({ at: key, id }) : writeNamePlace({ name: key, id });
