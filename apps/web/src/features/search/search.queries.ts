// Queries of the search.
import { readRecent, searchEverywhere } from "@strongroom/contract";
import { keepPreviousData } from "@tanstack/react-query";
import { queryOf } from "#shared/api/query.ts";

/** Permissions can change at any time, so results are never reused. */
const ALWAYS_ASKED = { staleTime: 0, gcTime: 0 } as const;

export const foundFor = (text: string) => ({
  ...queryOf(searchEverywhere, { query: { search: text } }),
  ...ALWAYS_ASKED,
  placeholderData: keepPreviousData,
});

/** `items` in the format of `recentItems`. */
export const stillSeen = (items: readonly string[]) => ({
  ...queryOf(readRecent, { query: { items: items.join(",") } }),
  ...ALWAYS_ASKED,
});
