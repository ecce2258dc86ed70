// Who may search, and which of two matches is the better one. Pure.
import { MOST_RESULTS, ROLES } from "@strongroom/contract";
import type { SearchResult } from "@strongroom/contract";
import type { Grants } from "#kernel/authz/authorise.ts";
import { wordsOf } from "#kernel/db/containing.ts";
import type { Hit, Searchable } from "./searchable.ts";

export const grants: Grants = { "search.use": ROLES };

const fold = (text: string): string => text.normalize("NFKC").toLowerCase();

/** The distance of a match from the typed text: 0 is the name itself. Matches elsewhere, such as in a reason, come last. */
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

/** "app-prod-01" has words that begin with "app", "app-prod" and "prod". */
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

/** The best few of each kind; the kind with the best one first. Of two that are as good, the shorter name. */
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
