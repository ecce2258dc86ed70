// Decides who may search and how results are ranked. Pure.
import { MOST_RESULTS, ROLES } from "@strongroom/contract";
import type { SearchResult } from "@strongroom/contract";
import type { RolePermissions } from "#kernel/authz/authorise.ts";
import { wordsOf } from "#kernel/db/containing.ts";
import type { Hit, Searchable } from "./searchable.ts";

export const rolePermissions: RolePermissions = { "search.use": ROLES };

const fold = (text: string): string => text.normalize("NFKC").toLowerCase();

/**
 * The distance of a match from the search text: 0 for the exact name, 8 if the text occurs in none of these fields but
 * elsewhere, such as in a reason.
 */
export function distance(text: string, { title, by }: Pick<Hit, "title" | "by">): number {
  const wanted = fold(text);
  const words = wordsOf(wanted);
  const name = fold(title);
  const others = by.flatMap((each) => (each === null ? [] : [fold(each)]));
  const all = [name, ...others];
  const closest = [
    name === wanted,
    others.includes(wanted),
    name.startsWith(wanted),
    others.some((each) => each.startsWith(wanted)),
    words.every((word) => hasWordThatBegins(name, word)),
    words.every((word) => all.some((each) => hasWordThatBegins(each, word))),
    words.every((word) => name.includes(word)),
    words.every((word) => all.some((each) => each.includes(word))),
  ].indexOf(true);
  return closest === -1 ? FARTHEST : closest;
}

const FARTHEST = 8;

/** For example, "app-prod-01" has words that begin with "app", "app-prod" and "prod". */
function hasWordThatBegins(text: string, beginning: string): boolean {
  for (let at = text.indexOf(beginning); at !== -1; at = text.indexOf(beginning, at + 1)) {
    if (at === 0 || !/[\p{L}\p{N}]/u.test(text[at - 1]!)) return true;
  }
  return false;
}

export interface Answer {
  kind: Searchable["kind"];
  hits: readonly Hit[];
}

/** Returns the best matches of each kind, starting with the kind of the best match. Ties go to the shorter name. */
export function ranked(text: string, answers: readonly Answer[]): SearchResult[] {
  const kinds = answers
    .filter(({ hits }) => hits.length > 0)
    .map(({ kind, hits }) => {
      const judged = hits.map((hit) => ({ hit, far: distance(text, hit) }));
      const best = judged.toSorted((a, b) => a.far - b.far || a.hit.title.length - b.hit.title.length);
      return { kind, best: best.slice(0, MOST_RESULTS) };
    });
  return kinds
    .toSorted((a, b) => a.best[0]!.far - b.best[0]!.far)
    .flatMap(({ kind, best }) => best.map(({ hit }) => toResult(kind, hit)));
}

export const toResult = (kind: Searchable["kind"], { id, title, detail, can }: Hit): SearchResult => ({
  kind,
  id,
  title,
  detail,
  can: [...can],
});
