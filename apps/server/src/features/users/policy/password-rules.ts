// The password rules (NIST SP 800-63B-4 §3.1.1.2): long enough, not common, not made of publicly known words.
import type { Role, SignInPolicy } from "@strongroom/contract";
import { refuse } from "#kernel/http/refuse.ts";
import { isOnBlocklist } from "./blocked-passwords.ts";

type Lengths = Pick<SignInPolicy, "password_min_length" | "privileged_password_min_length">;

export interface ChosenPassword {
  password: string;
  /** The role that the person has or requests. */
  role: Role;
  email: string;
  name: string;
}

interface Problem {
  code: "password.too-short" | "password.too-common" | "password.guessable";
  message: string;
}

/** Throws 400 for a password that may not be chosen; `path` names its field. No composition rules. */
export function requireGoodPassword(policy: Lengths, chosen: ChosenPassword, path = "password"): void {
  const problem = passwordProblem(policy, chosen);
  if (problem === null) return;
  throw refuse(400, problem.code, problem.message, { errors: [{ path, msg: problem.message }] });
}

/** Why a password may not be chosen; null when it may. */
export function passwordProblem(policy: Lengths, { password, role, email, name }: ChosenPassword): Problem | null {
  const text = password.normalize("NFKC");
  const least = leastLength(policy, role);
  if ([...text].length < least) {
    return { code: "password.too-short", message: `Password must be at least ${least} characters.` };
  }
  const lower = text.toLowerCase();
  if (isPattern(lower) || formsOf(lower).some(isOnBlocklist)) {
    return {
      code: "password.too-common",
      message: "This password is too common. Choose another one, such as four random words.",
    };
  }
  if (isMadeOf(lower, knownWords(email, name))) {
    return {
      code: "password.guessable",
      message: "This password is based on your name, your email address or the product's name. Choose another one.",
    };
  }
  return null;
}

/** Managers and administrators have the higher of two limits. */
const leastLength = (policy: Lengths, role: Role): number =>
  role === "user"
    ? policy.password_min_length
    : Math.max(policy.password_min_length, policy.privileged_password_min_length);

/** One repeated character, a repeated short piece, or consecutive characters in one direction such as `abcdefgh`. */
function isPattern(text: string): boolean {
  const codes = Array.from(text, (each) => each.codePointAt(0) ?? 0);
  const isDigits = /^\d+$/.test(text);
  const stepAt = (at: number) => {
    const step = codes[at]! - codes[at - 1]!;
    return isDigits ? ((step + 15) % 10) - 5 : step;
  };
  const step = stepAt(1);
  if (Math.abs(step) <= 1 && codes.every((_, at) => at === 0 || stepAt(at) === step)) return true;
  const unit = repeatedUnit(text);
  return unit !== null && unit.length <= 4;
}

/** The shortest text that this is a repetition of; null if it is not a repetition. */
function repeatedUnit(text: string): string | null {
  const at = (text + text).indexOf(text, 1);
  return at === text.length ? null : text.slice(0, at);
}

/** A common word with up to this many digits and symbols around it still counts as common. */
const MOST_AROUND = 6;
const SHORTEST_WORD = 4;

/**
 * The text, its word without outer digits and symbols, and its repeated piece; each also without substitutions, and backwards.
 */
function formsOf(text: string): string[] {
  const word = wordIn(text);
  const isMostlyWord = word.length >= SHORTEST_WORD && text.length - word.length <= MOST_AROUND;
  const pieces = [text, ...(isMostlyWord ? [word] : []), repeatedUnit(text) ?? text, repeatedUnit(word) ?? text];
  const plain = pieces.flatMap((piece) => [piece, ...withoutSubstitutions(piece)]);
  return plain.flatMap((piece) => [piece, backwards(piece)]);
}

const wordIn = (text: string): string => text.replace(/^[\d\p{P}\p{S}]+|[\d\p{P}\p{S}]+$/gu, "");

const backwards = (text: string): string => [...text].toReversed().join("");

const SUBSTITUTES: Record<string, string> = { 0: "o", 3: "e", 4: "a", 5: "s", 7: "t", "@": "a", $: "s", "!": "i" };

/** `1` can replace two letters: l and i. */
function withoutSubstitutions(text: string): string[] {
  const letters = text.replace(/[03457@$!]/g, (each) => SUBSTITUTES[each] ?? each);
  return [letters.replaceAll("1", "l"), letters.replaceAll("1", "i")];
}

const PRODUCT = "strongroom";
const SHORTEST_KNOWN = 3;

/** The product's name and the parts of the user's name and address, longest first. */
function knownWords(email: string, name: string): string[] {
  const [local = "", domain = ""] = email.toLowerCase().split("@");
  const labels = domain.split(".").slice(0, -1);
  const parts = [email, name, local, ...local.split(/[^\p{L}\p{N}]+/u), ...name.split(/\s+/), ...labels, PRODUCT];
  const words = parts.map(letters).filter((word) => word.length >= SHORTEST_KNOWN);
  return [...new Set(words.flatMap((word) => [word, backwards(word)]))].toSorted(
    (one, other) => other.length - one.length,
  );
}

const letters = (text: string): string =>
  text
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, "");

/** Whether removing these words and all digits leaves nothing, or only a common word. */
function isMadeOf(text: string, known: readonly string[]): boolean {
  const forms = [text, ...withoutSubstitutions(text), ...withoutSubstitutions(wordIn(text))].map(letters);
  return forms.some((form) => {
    const left = known.reduce((rest, word) => rest.replaceAll(word, " "), form);
    if (left === form) return false;
    const rest = left.replace(/[\d\s]/g, "");
    return rest.length < SHORTEST_WORD || isOnBlocklist(rest);
  });
}
