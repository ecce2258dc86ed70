// What a feature hands to the search: how its things are found, and what a person may see of some of them.
import type { Permission, SearchAction, SearchKind } from "@strongroom/contract";
import type { Actor } from "#kernel/authz/actor.ts";
import type { Db } from "#kernel/db/database.ts";

export interface Hit {
  id: string;
  title: string;
  /** What tells it from others of the same name. */
  detail: string;
  /** What it is found by beside its title: host, user name, address. */
  by: readonly (string | null)[];
  /** What this person may do with it now. */
  can: readonly SearchAction[];
}

/** INVARIANT: both answer with what this person may see by the feature's own rule, and with nothing else. */
export interface Searchable {
  kind: SearchKind;
  /** What a person needs to search among these at all. */
  needs: Permission;
  /** Some that match, the best among them, as many as `MOST_FOUND` or fewer. */
  find(db: Db, actor: Actor, text: string): Promise<Hit[]>;
  /** Those of these that there are, in any order. */
  read(db: Db, actor: Actor, ids: readonly string[]): Promise<Hit[]>;
}

/** Of each kind; the best of them are shown. */
export const MOST_FOUND = 20;
