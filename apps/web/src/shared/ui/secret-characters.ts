// The characters of a secret with their kinds, so that l, 1, I, O and 0 cannot be confused.

export interface SecretCharacter {
  text: string;
  kind: "upper" | "lower" | "digit" | "symbol";
  /** The character in words, such as "lower case l". */
  name: string;
}

const SPACE = "␣";

/** One element per Unicode character. */
export function charactersOf(secret: string): SecretCharacter[] {
  return Array.from(secret, (text) => {
    if (/\p{Lu}/u.test(text)) return { text, kind: "upper", name: `upper case ${text}` };
    if (/\p{Ll}/u.test(text)) return { text, kind: "lower", name: `lower case ${text}` };
    if (/\p{Nd}/u.test(text)) return { text, kind: "digit", name: `digit ${text}` };
    if (text === " ") return { text: SPACE, kind: "symbol", name: "space" };
    return { text, kind: "symbol", name: `symbol ${text}` };
  });
}
