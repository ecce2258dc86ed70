// The advanced search and the options of its filter panel (FILTER-01 to FILTER-09).
import { connectors } from "@strongroom/connectors";
import {
  CONNECTION_METHODS,
  CREDENTIAL_TYPES,
  CREDENTIAL_TYPE_LABELS,
  MOST_COUNTED,
  SYSTEM_TYPES,
  SYSTEM_TYPE_OPTIONS,
} from "@strongroom/contract";
import type { searchValidation } from "@strongroom/contract";
import type { Db } from "#kernel/db/database.ts";
import type { Call } from "#kernel/http/call.ts";
import { readTimePlace, writeTimePlace } from "#kernel/http/cursor.ts";
import { countMatches, findMatches } from "./search.store.ts";
import type { SearchQuery } from "./search.store.ts";
import { toMatch } from "../validation.ts";
import type { ValidationContext } from "../validation.ts";

/** OPEN-129. */
export async function search(
  { kernel, grants }: ValidationContext,
  { actor, body }: Call<typeof searchValidation>,
  db: Db,
) {
  const { filter, limit, cursor } = body;
  const after = cursor === undefined ? null : readTimePlace(cursor);
  const query: SearchQuery = { actor, grants, filter, limit, after, now: kernel.clock.now() };
  const [rows, total] = await Promise.all([findMatches(db, query), countMatches(db, query, MOST_COUNTED)]);
  const shown = rows.slice(0, limit);
  const last = rows.length > limit ? shown.at(-1) : undefined;
  return {
    results: shown.map(toMatch),
    total,
    next_cursor: last === undefined ? null : writeTimePlace({ at: last.created_at, id: last.id }),
  };
}

/** FILTER-05. */
export function filterOptions() {
  const ofAccounts = SYSTEM_TYPES.map((value) => ({ value: value as string, label: labelOf(value) }));
  const known = new Set(ofAccounts.map(({ value }) => value));
  const ofCredentials = CREDENTIAL_TYPES.filter((type) => !known.has(type)).map((value) => ({
    value: value as string,
    label: CREDENTIAL_TYPE_LABELS[value],
  }));
  return {
    system_types: [...ofAccounts, ...ofCredentials],
    connection_methods: [...CONNECTION_METHODS],
    verification_methods: connectors.map(({ id, name }) => ({ value: id, label: name })),
  };
}

const labelOf = (type: string): string => SYSTEM_TYPE_OPTIONS.find(({ value }) => value === type)?.label ?? type;
