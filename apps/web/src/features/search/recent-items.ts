// Recently opened search results in this browser: only ids, so that the next user of the browser sees no names.
import { MOST_RECENT, type SearchResult } from "@strongroom/contract";
import { z } from "zod";

const Items = z.array(z.string().max(80)).max(MOST_RECENT);
const keyOf = (userId: string): string => `strongroom.recent.${userId}`;

/** The latest first, each as `kind:id`. */
export function recentItems(userId: string): string[] {
  try {
    return Items.safeParse(JSON.parse(localStorage.getItem(keyOf(userId)) ?? "[]")).data ?? [];
  } catch {
    // Invalid JSON or unavailable storage: start with an empty list.
    return [];
  }
}

/** A host has no stored object with its id, so it is not a recent item. */
export function rememberItem(userId: string, { kind, id }: Pick<SearchResult, "kind" | "id">): void {
  if (kind === "host") return;
  const item = `${kind}:${id}`;
  const items = [item, ...recentItems(userId).filter((each) => each !== item)].slice(0, MOST_RECENT);
  try {
    localStorage.setItem(keyOf(userId), JSON.stringify(items));
  } catch {
    // Unavailable storage: search works without recent items.
  }
}
