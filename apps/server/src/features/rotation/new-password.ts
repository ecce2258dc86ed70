// Makes up passwords by a platform's rules, within what the target takes. Every choice is uniform.
import type { PasswordLimits } from "@strongroom/connectors";
import type { PasswordRules } from "@strongroom/contract";
import { randomInt } from "node:crypto";

/** For secrets that belong to no platform. */
export const USUAL_RULES: PasswordRules = {
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

/** A whole number from 0, below the given one. */
export type Pick = (below: number) => number;

/**
 * A password that keeps every rule, limits of the target included; null when no password does. The places of the characters
 * that the rules ask for are as random as the characters.
 */
export function makePassword(rules: PasswordRules, limits: PasswordLimits = {}, pick: Pick = randomInt): string | null {
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

/** Puts a place that may hold a letter first. False when there is none. */
function letterFirst(places: Characters[], lower: Characters, upper: Characters, all: Characters, pick: Pick): boolean {
  const possible = [...places.keys()].filter((at) => [lower, upper, all].includes(places[at]!));
  if (possible.length === 0) return false;
  const at = possible[pick(possible.length)]!;
  const chosen = places[at]!;
  places[at] = places[0]!;
  places[0] = chosen === all ? [...lower, ...upper] : chosen;
  return true;
}

/** Fisher and Yates. */
function shuffled<T>(items: T[], pick: Pick): T[] {
  for (let last = items.length - 1; last > 0; last--) {
    const other = pick(last + 1);
    [items[last], items[other]] = [items[other]!, items[last]!];
  }
  return items;
}
