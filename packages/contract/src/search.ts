// Global search: every object that a user can see, found by its name, host, user name or address.
import { z } from "zod";
import { endpoint } from "./endpoint.ts";

export const SEARCH_KINDS = [
  "account",
  /** A host of accounts that the caller can see. Its id is derived from its name, which is the title. */
  "host",
  "credential",
  "safe",
  "access-request",
  "privileged-session",
  "user",
  "machine-identity",
  "group",
  "platform",
] as const;
export const SearchKind = z.enum(SEARCH_KINDS);
export type SearchKind = z.infer<typeof SearchKind>;

/** Actions on a result that the caller can take immediately. `connect`: open a session. `request`: request access. */
export const SEARCH_ACTIONS = ["copy", "connect", "verify", "rotate", "request"] as const;
export const SearchAction = z.enum(SEARCH_ACTIONS);
export type SearchAction = z.infer<typeof SearchAction>;

export const SearchResult = z.object({
  kind: SearchKind,
  id: z.uuid(),
  title: z.string(),
  /** Distinguishes the result from others of the same name. */
  detail: z.string(),
  can: z.array(SearchAction),
});
export type SearchResult = z.infer<typeof SearchResult>;

/** The maximum number of results of each kind. */
export const MOST_RESULTS = 6;
export const MOST_RECENT = 8;

export const searchEverywhere = endpoint({
  method: "GET",
  path: "/api/v1/search",
  summary: "The best results of each kind that the caller can see: by exact name, then prefix, then any part",
  query: z.object({ search: z.string().trim().min(1).max(100) }),
  /** The kind with the best result first, its best result first. */
  reply: z.object({ results: z.array(SearchResult) }),
  needs: "search.use",
  audit: "none",
});

const RecentItem = z.object({ kind: SearchKind, id: z.uuid() });
export type RecentItem = z.infer<typeof RecentItem>;

function itemOf(text: string): { kind: string; id: string } {
  const at = text.indexOf(":");
  return { kind: text.slice(0, at), id: text.slice(at + 1) };
}

/** Recently visited objects: the browser stores only ids, and asks which of them the caller can still see. */
export const readRecent = endpoint({
  method: "GET",
  path: "/api/v1/search/recent",
  summary: "Which of the given objects the caller can see now, in the given order",
  query: z.object({
    /** `account:<id>,safe:<id>` */
    items: z
      .string()
      .max(600)
      .transform((text, context) => {
        const items = z.array(RecentItem).max(MOST_RECENT).safeParse(text.split(",").map(itemOf));
        if (items.success) return items.data;
        context.addIssue({ code: "custom", message: "Must name up to eight objects, each as kind:id" });
        return z.NEVER;
      }),
  }),
  reply: z.object({ results: z.array(SearchResult) }),
  needs: "search.use",
  audit: "none",
});
