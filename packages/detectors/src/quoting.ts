// Quoted strings in a line, and escapes.

const LONGEST_VALUE = 8192;

/** Index of the quote that closes the string which starts at `at`, or -1. Backslashes escape; doubled quotes only in SQL. */
export function endOfQuoted(text: string, at: number, quote: string, isSql = false): number {
  const limit = Math.min(text.length, at + LONGEST_VALUE);
  for (let index = at; index < limit; index += 1) {
    const character = text[index];
    if (character === "\\") index += 1;
    else if (isSql && character === quote && text[index + 1] === quote) index += 1;
    else if (character === quote) return index;
  }
  return -1;
}

export const isQuote = (character: string | undefined): character is string =>
  character === '"' || character === "'" || character === "`";

let lastText = "";
let lastQuotes: Uint8Array = new Uint8Array(0);

/** The quote of the string that contains index `at`, or null. Apostrophes within words do not open a string. */
export function quoteAround(text: string, at: number): string | null {
  // All names of a line ask about the same line.
  if (text !== lastText) [lastText, lastQuotes] = [text, quotesIn(text)];
  const code = lastQuotes[at] ?? 0;
  return code === 0 ? null : String.fromCharCode(code);
}

/** For each index, the code of the quote that is open there, or 0. */
function quotesIn(text: string): Uint8Array {
  const quotes = new Uint8Array(text.length + 1);
  let open = 0;
  for (let index = 0; index < text.length; index += 1) {
    quotes[index] = open;
    const code = text.charCodeAt(index);
    if (code === 92) {
      index += 1;
      if (index <= text.length) quotes[index] = open;
    } else if (open === 0) {
      if (code === 34 || code === 96 || (code === 39 && !/\w/.test(text[index - 1] ?? " "))) open = code;
    } else if (code === open) open = 0;
  }
  quotes[text.length] = open;
  return quotes;
}

/** For a regular expression that matches the text itself. */
export const escapePattern = (text: string): string => text.replace(/[.$()[\]/+*?|\\^{}-]/g, "\\$&");

/** Resolves the escapes that JSON, YAML and most languages share. */
export function unescape(text: string): string {
  if (!text.includes("\\")) return text;
  return text.replace(/\\(?:u([\da-f]{4})|x([\da-f]{2})|(.))/gi, (_, unicode, hex, character: string) => {
    const code = unicode ?? hex;
    if (code !== undefined) return String.fromCharCode(Number.parseInt(code, 16));
    return { n: "\n", t: "\t", r: "\r", b: "\b", f: "\f" }[character] ?? character;
  });
}

const ENTITIES: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

/** Resolves the entities of XML. */
export function unescapeXml(text: string): string {
  return text.replace(/&(?:#(\d{1,6})|#x([\da-f]{1,6})|(amp|lt|gt|quot|apos));/gi, (whole, decimal, hex, name) => {
    if (name !== undefined) return ENTITIES[String(name).toLowerCase()] ?? whole;
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}
