// Makes the caller's own credentials available to the global search.
import { MOST_FOUND } from "#features/search/index.ts";
import type { Hit, Searchable } from "#features/search/index.ts";
import type { SecretRow } from "#features/secrets/index.ts";
import { findNewest } from "./find-credentials.ts";
import { readNamed, readOwn } from "./vault.store.ts";

export const searchableCredentials: Searchable = {
  kind: "credential",
  needs: "credential.list",
  async find(db, actor, text) {
    const [named, matching] = await Promise.all([
      readNamed(db, actor, text, MOST_FOUND),
      findNewest(db, actor, text, MOST_FOUND),
    ]);
    const all = new Map([...named, ...matching].map((row) => [row.id, row]));
    return [...all.values()].map(hitOf);
  },
  read: async (db, actor, ids) => (await readOwn(db, actor, ids)).map(hitOf),
};

function hitOf({ id, name, username, host }: SecretRow): Hit {
  const detail = [username, host].filter((each) => each !== null && each !== "").join(" at ");
  return { id, title: name, detail, by: [username, host], can: ["copy", "verify", "rotate"] };
}
