// Queries every searchable feature with the caller's permissions and ranks the results.
import type { SearchResult, readRecent, searchEverywhere } from "@strongroom/contract";
import type { Actor } from "#kernel/authz/actor.ts";
import { requireScope } from "#kernel/authz/token-scope.ts";
import type { Db } from "#kernel/db/database.ts";
import type { Call } from "#kernel/http/call.ts";
import { Refusal } from "#kernel/http/refuse.ts";
import type { Kernel } from "#kernel/kernel.ts";
import { ranked, toResult } from "./search.policy.ts";
import type { Searchable } from "./searchable.ts";

export interface SearchContext {
  kernel: Kernel;
  searchables: readonly Searchable[];
}

export async function search(
  context: SearchContext,
  call: Call<typeof searchEverywhere>,
  db: Db,
): Promise<{ results: SearchResult[] }> {
  const text = call.query.search;
  const allowed = allowedTo(context, call.actor);
  const answers = allowed.map(async ({ kind, find }) => ({ kind, hits: await find(db, call.actor, text) }));
  return { results: ranked(text, await Promise.all(answers)) };
}

/** Leaves out items that were deleted or that the caller may no longer see. */
export async function recent(
  context: SearchContext,
  call: Call<typeof readRecent>,
  db: Db,
): Promise<{ results: SearchResult[] }> {
  const { items } = call.query;
  const found = new Map<string, SearchResult>();
  const reading = allowedTo(context, call.actor).map(async ({ kind, read }) => {
    const ids = items.filter((item) => item.kind === kind).map(({ id }) => id);
    if (ids.length === 0) return;
    for (const hit of await read(db, call.actor, ids)) found.set(`${kind}:${hit.id}`, toResult(kind, hit));
  });
  await Promise.all(reading);
  return { results: items.flatMap(({ kind, id }) => found.get(`${kind}:${id}`) ?? []) };
}

/**
 * INVARIANT: a caller who may not list a kind of object finds no objects of that kind, and neither does a token without
 * the scope.
 */
const allowedTo = ({ kernel, searchables }: SearchContext, actor: Actor): Searchable[] =>
  searchables.filter(({ needs }) => {
    try {
      kernel.authority.require(needs, actor);
      requireScope({ needs }, actor);
      return true;
    } catch (error) {
      if (error instanceof Refusal) return false;
      throw error;
    }
  });
