// Binds the calls of the search.
import { readRecent, searchEverywhere } from "@strongroom/contract";
import { implement } from "#kernel/http/implement.ts";
import { recent, search } from "./search.ts";
import type { Site } from "./search.ts";

export function bindSearch(site: Site): void {
  implement(site.kernel, searchEverywhere, (call, db) => search(site, call, db));
  implement(site.kernel, readRecent, (call, db) => recent(site, call, db));
}
