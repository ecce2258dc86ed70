// The interface through which a feature takes part in the global search.
import type { Permission, SearchAction, SearchKind } from "@strongroom/contract";
import type { Actor } from "#kernel/authz/actor.ts";
import type { Db } from "#kernel/db/database.ts";

export interface Hit {
  id: string;
  title: string;
  /** Distinguishes the item from others with the same name. */
  detail: string;
  /** Fields other than the title that match the search: host, user name, address. */
  by: readonly (string | null)[];
  /** The actions that this user may take on the item now. */
  can: readonly SearchAction[];
}

/** INVARIANT: `find` and `read` return only what this user may see by the feature's own rule. */
export interface Searchable {
  kind: SearchKind;
  /** The permission a user needs to search this kind at all. */
  needs: Permission;
  /** Returns at most `MOST_FOUND` matches, including the best ones. */
  find(db: Db, actor: Actor, text: string): Promise<Hit[]>;
  /** Returns those of these items that still exist, in any order. */
  read(db: Db, actor: Actor, ids: readonly string[]): Promise<Hit[]>;
}

/** The limit for each kind; only the best matches are shown. */
export const MOST_FOUND = 20;
