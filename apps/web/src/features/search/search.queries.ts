// What the search asks the server.
import { readRecent, searchEverywhere } from "@strongroom/contract";
import { keepPreviousData } from "@tanstack/react-query";
import { queryOf } from "#shared/api/query.ts";

/** What one may do changes at any time: nothing of an answer is offered a second time. */
const ALWAYS_ASKED = { staleTime: 0, gcTime: 0 } as const;

export const foundFor = (text: string) => ({
  ...queryOf(searchEverywhere, { query: { search: text } }),
  ...ALWAYS_ASKED,
  placeholderData: keepPreviousData,
});

/** `items` as `recentItems` keeps them. */
export const stillSeen = (items: readonly string[]) => ({
  ...queryOf(readRecent, { query: { items: items.join(",") } }),
  ...ALWAYS_ASKED,
});
