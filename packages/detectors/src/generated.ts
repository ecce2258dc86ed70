// Recognises values that a generator made, by their characters alone: random letters and digits, base64 and hexadecimal.
export type GeneratedKind = "mixed" | "base64" | "base32" | "hex";

/** The alphabet of a generated value, or null. Values of fewer than 16 characters are too short to tell. */
export function generatedKindOf(value: string): GeneratedKind | null {
  if (value.length < 16 || value.length > 200) return null;
  if (/^(?:[\da-f]+|[\dA-F]+)$/.test(value))
    return value.length >= 32 && value.length % 2 === 0 && /[a-f]/i.test(value) && new Set(value).size >= 8
      ? "hex"
      : null;
  if (value.length >= 26 && /^[A-Z2-7]+$/.test(value) && /[2-7]\D+[2-7]/.test(value) && changesOf(value) > 0.15)
    return "base32";
  if (!/^[A-Za-z\d+/_-]+={0,2}$/.test(value)) return null;
  const body = value.replace(/=+$/, "");
  const digits = body.match(/\d/g)?.length ?? 0;
  if (ALGORITHM.test(body) || !/[a-z].*[a-z]/.test(body) || !/[A-Z].*[A-Z]/.test(body)) return null;
  // Neighbours in random text differ in kind six times of ten, in `camelCase2` less often.
  const changes = changesOf(body);
  const words = lengthOfWords(body) / body.length;
  if (digits === 0) return value.length >= 24 && changes >= 0.38 && words <= 0.35 ? "mixed" : null;
  const isSure = digits > 1 && (value.length >= 24 || /\d[^\d]+\d/.test(body));
  if (isSure ? changes < (value.length < 28 ? 0.33 : 0.28) || words > 0.4 : changes < 0.45 || words > 0.25) return null;
  return /[+/=]/.test(value) ? "base64" : "mixed";
}

const ALGORITHM = /AES|SHA-?\d|H(?:MAC|mac)|PKCS|PBE|RSA|ECDSA|TLS_/;
const WORD = /^[A-Za-z]?[^aeiouy]{0,2}(?:[aeiouy]{1,2}[^aeiouy]{1,3})*[aeiouy]{0,2}$/;

/** How many characters are in pronounceable runs of lower case with a first letter of either case, as in camel case. */
const lengthOfWords = (text: string): number =>
  (text.match(/[A-Za-z][a-z]{2,}/g) ?? [])
    .filter((run) => /[aeiouy]/i.test(run) && WORD.test(run))
    .reduce((sum, run) => sum + run.length, 0);

/** The share of neighbours that are of different kinds: lower case, upper case, digits, other characters. */
function changesOf(text: string): number {
  let changes = 0;
  for (let index = 1; index < text.length; index += 1)
    if (kindAt(text, index) !== kindAt(text, index - 1)) changes += 1;
  return changes / (text.length - 1);
}

function kindAt(text: string, index: number): number {
  const code = text.charCodeAt(index);
  return code >= 97 ? 0 : code >= 65 && code <= 90 ? 1 : code >= 48 && code <= 57 ? 2 : 3;
}
