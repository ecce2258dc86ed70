// The interface through which a feature takes part in the global search.
import type { Permission, SearchAction, SearchKind } from "@strongroom/contract";
import type { Actor } from "#kernel/authz/actor.ts";
import type { Db } from "#kernel/db/database.ts";

export interface Hit {
  id: string;
  title: string;
  /** Distinguishes it from others of the same name. */
  detail: string;
  /** Other fields that match the search beside the title: host, user name, address. */
  by: readonly (string | null)[];
  /** The actions this user may take on it now. */
  can: readonly SearchAction[];
}

/** INVARIANT: `find` and `read` return only what this user may see by the feature's own rule. */
export interface Searchable {
  kind: SearchKind;
  /** The permission a user needs to search this kind at all. */
  needs: Permission;
  /** Returns at most `MOST_FOUND` matches, including the best ones. */
  find(db: Db, actor: Actor, text: string): Promise<Hit[]>;
  /** Returns those of these items that exist, in any order. */
  read(db: Db, actor: Actor, ids: readonly string[]): Promise<Hit[]>;
}

/** The limit for each kind; only the best of them are shown. */
export const MOST_FOUND = 20;
