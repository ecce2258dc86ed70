// Offers sessions to the global search, to the same readers as the list of sessions.
import { MOST_FOUND } from "#features/search/index.ts";
import type { Hit, Searchable } from "#features/search/index.ts";
import { readShownSessions, searchShown } from "./shown-sessions.store.ts";
import type { ShownSession } from "./shown-sessions.store.ts";

export const searchableSessions: Searchable = {
  kind: "privileged-session",
  needs: "privileged-session.list",
  find: async (db, actor, text) => (await searchShown(db, actor, text, MOST_FOUND)).map(hitOf),
  read: async (db, actor, ids) => (await readShownSessions(db, actor, ids)).map(hitOf),
};

const hitOf = (row: ShownSession): Hit => ({
  id: row.id,
  title: `${row.user_name} on ${row.account_name}`,
  detail: `${row.target}, ${row.status === "active" ? "active since" : "started"} ${toMinute(row.began_at)}`,
  by: [row.user_name, row.account_name, row.target],
  can: [],
});

/** For example, `2026-11-23 21:04 UTC`. */
const toMinute = (at: Date): string => `${at.toISOString().slice(0, 16).replace("T", " ")} UTC`;
