// Generates an example password by a platform's rules, in the browser; it is never used.
import type { PasswordRules } from "@strongroom/contract";
import { characterOf, fillRandom, randomBelow, type FillRandom } from "#shared/format/random-character.ts";

const LOWERCASE = "abcdefghijklmnopqrstuvwxyz";
const UPPERCASE = LOWERCASE.toUpperCase();
const DIGITS = "0123456789";

export type ExampleRules = Omit<PasswordRules, "history">;

export type Example = { password: string; bits: number } | { problem: string };

interface CharacterClass {
  name: string;
  alphabet: string;
  least: number;
}

const unique = (text: string): string => [...new Set(text)].join("");

function classesOf(rules: ExampleRules): CharacterClass[] {
  const allowed = (text: string) =>
    unique(text)
      .split("")
      .filter((letter) => !rules.forbidden_characters.includes(letter))
      .join("");
  return [
    { name: "lowercase letters", alphabet: allowed(LOWERCASE), least: rules.min_lowercase },
    { name: "uppercase letters", alphabet: allowed(UPPERCASE), least: rules.min_uppercase },
    { name: "digits", alphabet: allowed(DIGITS), least: rules.min_digits },
    { name: "symbols", alphabet: allowed(rules.symbols), least: rules.min_symbols },
  ];
}

/** The reason why no password can satisfy these rules; null when one can. */
function problemOf(rules: ExampleRules, classes: readonly CharacterClass[]): string | null {
  const missing = classes.find(({ alphabet, least }) => least > 0 && alphabet === "");
  if (missing !== undefined) return `The rules require ${missing.name} but allow none.`;
  const least = classes.reduce((sum, each) => sum + each.least, 0);
  if (least > rules.length) return "The password length is too short for the required characters.";
  if (rules.length > rules.max_length) return "The length exceeds the target's maximum.";
  if (classes.every(({ alphabet }) => alphabet === "")) return "The rules allow no characters.";
  const [lower, upper] = classes;
  if (!rules.begins_with_letter) return null;
  if (`${lower?.alphabet}${upper?.alphabet}` === "")
    return "Passwords must begin with a letter, but the rules allow no letters.";
  const others = classes.slice(2).reduce((sum, each) => sum + each.least, 0);
  return others >= rules.length
    ? "Passwords must begin with a letter, but digits and symbols fill the whole length."
    : null;
}

/**
 * Shuffles the alphabets of all positions, including the required ones, then draws a character from each; `fill`
 * provides the random bytes.
 */
export function exampleOf(rules: ExampleRules, fill: FillRandom = fillRandom): Example {
  const classes = classesOf(rules);
  const problem = problemOf(rules, classes);
  if (problem !== null) return { problem };
  const alphabet = classes.map((each) => each.alphabet).join("");
  const letters = `${classes[0]?.alphabet ?? ""}${classes[1]?.alphabet ?? ""}`;
  const required = classes.flatMap((each) => Array.from({ length: each.least }, () => each.alphabet));
  const places = [...required, ...Array.from({ length: rules.length - required.length }, () => alphabet)];
  shuffle(places, fill);
  if (rules.begins_with_letter) beginWithLetter(places, { letters, alphabet });
  return {
    password: places.map((characters) => characterOf(characters, fill)).join(""),
    bits: Math.floor(rules.length * Math.log2(alphabet.length)),
  };
}

/**
 * Fisher-Yates shuffle. Beyond position 256 it swaps only with the last 256 positions, which is enough for an example.
 */
function shuffle(places: string[], fill: FillRandom): void {
  for (let last = places.length - 1; last > 0; last -= 1) {
    const other = last - randomBelow(Math.min(last + 1, 256), fill);
    [places[last], places[other]] = [places[other] ?? "", places[last] ?? ""];
  }
}

/**
 * Moves a position that can hold a letter to the front, and limits it to letters. Required digits and symbols keep
 * their positions. `problemOf` rejects rules without such a position.
 */
function beginWithLetter(places: string[], { letters, alphabet }: { letters: string; alphabet: string }): void {
  const at = places.findIndex((characters) => characters === alphabet || letters.includes(characters));
  const chosen = places[at] ?? alphabet;
  places[at] = places[0] ?? "";
  places[0] = chosen === alphabet ? letters : chosen;
}
