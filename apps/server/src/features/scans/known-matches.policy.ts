// Joins the findings of a file without known secrets and the places of known secrets in it.
import type { FindingFacts } from "@strongroom/detectors";

type Span = Pick<FindingFacts, "start" | "end">;
type Found = Span & Pick<FindingFacts, "class" | "knownSecrets">;

export const KNOWN = "known_secret";

/**
 * `plain` is what a scan without known secrets finds, and `all` is what one with them finds; both are in order and without
 * overlaps. Returns every finding of `plain`, with the ids of the known secrets that replace it, and the known secrets.
 */
export function joinMatches<F extends Found>(plain: readonly F[], all: readonly F[]): (F & { hiddenFrom: string[] })[] {
  const matches = all.filter((each) => each.class === KNOWN);
  const others = all.filter((each) => each.class !== KNOWN);
  const spanOf = ({ start, end }: Span) => `${start}-${end}`;
  const [inPlain, inOthers] = [new Set(plain.map(spanOf)), new Set(others.map(spanOf))];
  // A finding that only the scan with known secrets reports is left out. The longer one that contains it stays for all users.
  const shortened = others.filter((each) => !inPlain.has(spanOf(each)));
  const replacing = (each: F): string[] =>
    inOthers.has(spanOf(each)) || overlapping(shortened, each).length > 0
      ? []
      : [...new Set(overlapping(matches, each).flatMap(({ knownSecrets }) => knownSecrets))];
  return [
    ...matches.map((each) => ({ ...each, hiddenFrom: [] })),
    ...plain.map((each) => ({ ...each, hiddenFrom: replacing(each) })),
  ];
}

/** Those of the sorted spans that overlap this one. */
function overlapping<S extends Span>(sorted: readonly S[], { start, end }: Span): S[] {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle]!.end <= start) low = middle + 1;
    else high = middle;
  }
  const found: S[] = [];
  for (let at = low; at < sorted.length && sorted[at]!.start < end; at += 1) found.push(sorted[at]!);
  return found;
}
