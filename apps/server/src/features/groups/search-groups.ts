// Makes groups available to the global search; matches them as the list of groups does.
import { MOST_FOUND } from "#features/search/index.ts";
import type { Hit, Searchable } from "#features/search/index.ts";
import { listGroups, readGroups } from "./groups.store.ts";
import type { ShownGroup } from "./groups.store.ts";

export const searchableGroups: Searchable = {
  kind: "group",
  needs: "group.read",
  find: async (db, _actor, text) => (await listGroups(db, text, MOST_FOUND, null)).map(hitOf),
  read: async (db, _actor, ids) => (await readGroups(db, ids)).map(hitOf),
};

function hitOf({ id, name, description, kind, member_count }: ShownGroup): Hit {
  const people = member_count === 1 ? "1 person" : `${member_count.toLocaleString("en")} people`;
  return { id, title: name, detail: `${kind}, ${people}`, by: [description], can: [] };
}
