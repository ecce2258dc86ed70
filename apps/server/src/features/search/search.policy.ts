// Who may search, and which of two matches is the better one. Pure.
import { MOST_RESULTS, ROLES } from "@strongroom/contract";
import type { SearchResult } from "@strongroom/contract";
import type { Grants } from "#kernel/authz/authorise.ts";
import type { Hit, Searchable } from "./searchable.ts";

export const grants: Grants = { "search.use": ROLES };

const fold = (text: string): string => text.normalize("NFKC").toLowerCase();

/** How far a match is from what was typed: 0 is the very name. What matches elsewhere, such as in a reason, is last. */
export function distance(text: string, { title, by }: Pick<Hit, "title" | "by">): number {
  const wanted = fold(text);
  const name = fold(title);
  const others = by.flatMap((each) => (each === null ? [] : [fold(each)]));
  if (name === wanted) return 0;
  if (others.includes(wanted)) return 1;
  if (name.startsWith(wanted)) return 2;
  if (others.some((each) => each.startsWith(wanted))) return 3;
  if (name.includes(wanted)) return 4;
  return others.some((each) => each.includes(wanted)) ? 5 : 6;
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
