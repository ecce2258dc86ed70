// Finds users for the global search, with the same query as the list of users.
import { MOST_FOUND } from "#features/search/index.ts";
import type { Hit, Searchable } from "#features/search/index.ts";
import { findUsers, listPage } from "../users.store.ts";
import type { Person } from "../users.store.ts";

export const searchableUsers: Searchable = {
  kind: "user",
  needs: "user.list",
  async find(db, _actor, search) {
    const query = { limit: MOST_FOUND, after: null, search, withRoleRequest: false };
    return (await listPage(db, query)).map(hitOf);
  },
  read: async (db, _actor, ids) => (await findUsers(db, ids)).map(hitOf),
};

function hitOf({ id, name, email, role, status }: Person): Hit {
  const detail = [email, role, ...(status === "active" ? [] : [status])].join(", ");
  return { id, title: name, detail, by: [email], can: [] };
}
