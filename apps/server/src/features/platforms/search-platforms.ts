// Finds platforms for the global search.
import { MOST_FOUND } from "#features/search/index.ts";
import type { Hit, Searchable } from "#features/search/index.ts";
import { searchPlatforms } from "./platforms.store.ts";

type Row = Awaited<ReturnType<typeof searchPlatforms>>[number];

export const searchablePlatforms: Searchable = {
  kind: "platform",
  needs: "platform.read",
  find: async (db, _actor, text) => (await searchPlatforms(db, { text }, MOST_FOUND)).map(hitOf),
  read: async (db, _actor, ids) => (await searchPlatforms(db, { ids }, ids.length)).map(hitOf),
};

const hitOf = ({ id, name, description, system_type, connection_method }: Row): Hit => ({
  id,
  title: name,
  detail: `${system_type} over ${connection_method}`,
  by: [description, system_type],
  can: [],
});
