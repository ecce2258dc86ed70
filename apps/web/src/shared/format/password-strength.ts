// Estimates how hard a password is to guess, for the strength meter. The server decides which passwords it accepts.

export const STRENGTHS = ["too short", "weak", "fair", "good"] as const;
export type Strength = (typeof STRENGTHS)[number];

const SHORTEST = 8;
/**
 * The number of characters that add information: a repeated one, the next of a sequence or a known word adds almost
 * none.
 */
const FAIR_FROM = 10;
const GOOD_FROM = 14;
const PREDICTABLE = 0.25;

/** `known` are words that others know about the user, such as their email. */
export function strengthOf(password: string, known: readonly string[] = []): Strength {
  if ([...password].length < SHORTEST) return "too short";
  const effective = effectiveLength(withoutKnown(password.normalize("NFKC").toLowerCase(), known));
  if (effective < FAIR_FROM) return "weak";
  return effective < GOOD_FROM ? "fair" : "good";
}

/** For a target's secret, which may have to be weak; undefined for a strong or empty one. */
export const weakSecretNote = (secret: string): string | undefined =>
  secret !== "" && ["too short", "weak"].includes(strengthOf(secret))
    ? "This is easy to guess. You can store it, but a longer one is safer."
    : undefined;

function withoutKnown(text: string, known: readonly string[]): string {
  const words = ["strongroom", "password", ...known.flatMap((each) => each.toLowerCase().split(/[^\p{L}\p{N}]+/u))];
  return words.filter((word) => word.length >= 3).reduce((rest, word) => rest.replaceAll(word, "\0"), text);
}

function effectiveLength(text: string): number {
  const codes = Array.from(text, (each) => each.codePointAt(0) ?? 0);
  const seen = new Set<number>();
  let length = 0;
  for (const [at, code] of codes.entries()) {
    const isNext = at > 0 && Math.abs(code - (codes[at - 1] ?? 0)) <= 1;
    length += isNext ? PREDICTABLE : seen.has(code) ? 0.75 : 1;
    seen.add(code);
  }
  return length;
}
