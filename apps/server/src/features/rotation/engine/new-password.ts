// Generates passwords by a platform's rules and the target's limits. Every choice is uniform.
import type { PasswordLimits } from "@strongroom/connectors";
import type { PasswordRules } from "@strongroom/contract";
import { randomInt } from "node:crypto";

/** For secrets without a platform. */
export const DEFAULT_RULES: PasswordRules = {
  length: 24,
  max_length: 64,
  min_lowercase: 1,
  min_uppercase: 1,
  min_digits: 1,
  min_symbols: 1,
  symbols: "!#%+-.:=@_~",
  forbidden_characters: "",
  begins_with_letter: true,
  history: 5,
};

const LOWERCASE = "abcdefghijklmnopqrstuvwxyz";
const UPPERCASE = LOWERCASE.toUpperCase();
const DIGITS = "0123456789";

/** Returns an integer from 0 to `below` - 1. */
export type RandomIndex = (below: number) => number;

/**
 * Returns a password that meets every rule and the target's limits; null when none exists. Both the characters that
 * the rules require and their positions are random.
 */
export function generatePassword(
  rules: PasswordRules,
  limits: PasswordLimits = {},
  pick: RandomIndex = randomInt,
): string | null {
  const length = Math.min(rules.length, rules.max_length, limits.maxLength ?? Infinity);
  const forbidden = new Set([...rules.forbidden_characters, ...(limits.forbidden ?? "")]);
  const without = (characters: string) => [...new Set(characters)].filter((each) => !forbidden.has(each));
  const [lower, upper, digits, symbols] = [
    without(LOWERCASE),
    without(UPPERCASE),
    without(DIGITS),
    without(rules.symbols),
  ];
  const all = [...lower, ...upper, ...digits, ...symbols];
  const asked = [
    ...times(rules.min_lowercase, lower),
    ...times(rules.min_uppercase, upper),
    ...times(rules.min_digits, digits),
    ...times(rules.min_symbols, symbols),
  ];
  if (asked.length > length) return null;
  const places = shuffled([...asked, ...times(length - asked.length, all)], pick);
  if (rules.begins_with_letter && !letterFirst(places, lower, upper, all, pick)) return null;
  if (places.some((characters) => characters.length === 0)) return null;
  return places.map((characters) => characters[pick(characters.length)]!).join("");
}

type Characters = readonly string[];

const times = (count: number, characters: Characters): Characters[] => Array.from({ length: count }, () => characters);

/** Moves a position that may hold a letter to the front. Returns false without such a position. */
function letterFirst(
  places: Characters[],
  lower: Characters,
  upper: Characters,
  all: Characters,
  pick: RandomIndex,
): boolean {
  const possible = [...places.keys()].filter((at) => [lower, upper, all].includes(places[at]!));
  if (possible.length === 0) return false;
  const at = possible[pick(possible.length)]!;
  const chosen = places[at]!;
  places[at] = places[0]!;
  places[0] = chosen === all ? [...lower, ...upper] : chosen;
  return true;
}

/** Fisher–Yates shuffle. */
function shuffled<T>(items: T[], pick: RandomIndex): T[] {
  for (let last = items.length - 1; last > 0; last--) {
    const other = pick(last + 1);
    [items[last], items[other]] = [items[other]!, items[last]!];
  }
  return items;
}
