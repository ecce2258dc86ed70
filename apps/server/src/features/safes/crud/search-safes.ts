// Makes safes available to the global search; matches them as the list of safes does.
import { MOST_FOUND } from "#features/search/index.ts";
import type { Hit, Searchable } from "#features/search/index.ts";
import { listSafes, readSafes } from "../safes.store.ts";
import type { ShownSafe } from "../safes.store.ts";

export const searchableSafes: Searchable = {
  kind: "safe",
  needs: "safe.list",
  async find(db, actor, search) {
    const query = { limit: MOST_FOUND, after: null, search, status: null, permission: null };
    return (await listSafes(db, actor, query)).map(hitOf);
  },
  read: async (db, actor, ids) => (await readSafes(db, actor, ids)).map(hitOf),
};

function hitOf({ id, name, description, owner_name, owner_email, account_count, status }: ShownSafe): Hit {
  const accounts = account_count === 1 ? "1 account" : `${account_count.toLocaleString("en")} accounts`;
  const detail = [accounts, `owned by ${owner_name}`, ...(status === "active" ? [] : [status])].join(", ");
  return { id, title: name, detail, by: [description, owner_name, owner_email], can: [] };
}
