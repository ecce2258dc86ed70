// Where this person was by the search, in this browser: ids alone, so that no name stays behind for the next person.
import { MOST_RECENT, type SearchResult } from "@strongroom/contract";
import { z } from "zod";

const Items = z.array(z.string().max(80)).max(MOST_RECENT);
const keyOf = (userId: string): string => `strongroom.recent.${userId}`;

/** The latest first, each as `kind:id`. */
export function recentItems(userId: string): string[] {
  try {
    return Items.safeParse(JSON.parse(localStorage.getItem(keyOf(userId)) ?? "[]")).data ?? [];
  } catch {
    // No JSON, or a browser that keeps nothing: then there is nothing to go back to.
    return [];
  }
}

export function rememberItem(userId: string, { kind, id }: Pick<SearchResult, "kind" | "id">): void {
  const item = `${kind}:${id}`;
  const items = [item, ...recentItems(userId).filter((each) => each !== item)].slice(0, MOST_RECENT);
  try {
    localStorage.setItem(keyOf(userId), JSON.stringify(items));
  } catch {
    // A browser that keeps nothing: the search works without.
  }
}
