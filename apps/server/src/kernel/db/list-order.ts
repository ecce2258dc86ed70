// An order that callers choose for a list: its key, its direction, and the cursor of a page.
import { sql } from "kysely";
import type { RawBuilder } from "kysely";
import { readNamePlace, readTimePlace, writeNamePlace, writeTimePlace } from "../http/cursor.ts";

type Sql = RawBuilder<unknown>;

export interface OrderKey {
  /** The first key; the second one is the id. Never null. */
  key: Sql;
  /** `id`: the key is the id itself, as for the time of creation of a UUIDv7. */
  kind: "time" | "text" | "id";
}

export interface ListOrder extends OrderKey {
  direction: Sql;
  /** `<` or `>`: whether a row comes after another one. */
  comesAfter: Sql;
}

/** A position in the list. */
export interface Place {
  key: Date | string;
  id: string;
}

/** `sort` is a field, with `-` for the descending order. */
export function listOrder<Field extends string, Key extends OrderKey>(
  keys: Readonly<Record<Field, Key>>,
  sort: Field | `-${Field}`,
): Key & ListOrder {
  const isDescending = sort.startsWith("-");
  return {
    ...keys[sort.replace("-", "") as Field],
    direction: isDescending ? sql`desc` : sql`asc`,
    comesAfter: isDescending ? sql`<` : sql`>`,
  };
}

/** The terms after `order by`. */
export const orderTerms = ({ key, direction }: ListOrder, id: Sql): Sql => sql`${key} ${direction}, ${id} ${direction}`;

/** The terms for a page that was read in this order, as the table `page` with the column `key`, and joined to others. */
export const pageTerms = (order: ListOrder): Sql => orderTerms({ ...order, key: sql`page.key` }, sql`page.id`);

/** True for rows after this position; for all rows without one. */
export const isAfter = ({ key, comesAfter }: ListOrder, after: Place | null, id: Sql): RawBuilder<boolean> =>
  after === null ? sql<boolean>`true` : sql<boolean>`(${key}, ${id}) ${comesAfter} (${after.key}, ${after.id}::uuid)`;

/** Throws a refusal for a cursor of another order. */
export function readPlace({ kind }: OrderKey, cursor: string): Place {
  if (kind === "time") {
    const { at, id } = readTimePlace(cursor);
    return { key: at, id };
  }
  const { name, id } = readNamePlace(cursor);
  return { key: kind === "id" ? id : name, id };
}

const writePlace = ({ key, id }: Place): string =>
  key instanceof Date ? writeTimePlace({ at: key, id }) : writeNamePlace({ name: key, id });

/** Cuts a list that has one row more than `limit` when there is a next page. */
export function pageInOrder<R extends Place>(
  rows: readonly R[],
  limit: number,
): { shown: R[]; next_cursor: string | null } {
  const shown = rows.slice(0, limit);
  const last = rows.length > limit ? shown.at(-1) : undefined;
  return { shown, next_cursor: last === undefined ? null : writePlace(last) };
}
