// Finds machine identities for the global search, with the query of their list.
import { MOST_FOUND } from "#features/search/index.ts";
import type { Hit, Searchable } from "#features/search/index.ts";
import type { Clock } from "#kernel/clock.ts";
import { listMachines, readMachines } from "./machines.store.ts";
import type { MachineRow } from "./machines.store.ts";

export const searchableMachines = (clock: Clock): Searchable => ({
  kind: "machine-identity",
  needs: "user.manage",
  async find(db, _actor, search) {
    const found = await listMachines(db, { search, limit: MOST_FOUND, after: null }, clock.now());
    return found.slice(0, MOST_FOUND).map(hitOf);
  },
  read: async (db, _actor, ids) => (await readMachines(db, ids, clock.now())).map(hitOf),
});

function hitOf({ id, name, description, role, status, active_tokens: tokens }: MachineRow): Hit {
  const held = tokens === 1 ? "1 active token" : `${tokens} active tokens`;
  const detail = [role, held, ...(status === "active" ? [] : [status])].join(", ");
  return { id, title: name, detail, by: [description], can: [] };
}
