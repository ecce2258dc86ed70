// Finds provider tokens and hashed passwords anywhere in a text, whatever the syntax around them.
import type { Candidate, Line } from "./candidate.ts";
import { escapePattern } from "./quoting.ts";
import { TOKENS, trigger } from "./triggers.ts";
import { randomnessOf } from "./value.ts";
import { TOKEN_SHAPES } from "./token-shapes.ts";
import type { TokenShape } from "./token-shapes.ts";

const byPrefix = new Map<string, { shape: TokenShape; pattern: RegExp; before: RegExp | null }[]>();
for (const shape of TOKEN_SHAPES) {
  const before = shape.before === undefined ? null : new RegExp(`(?<![A-Za-z\\d])${shape.before}$`);
  const entry = { shape, pattern: new RegExp(`${shape.pattern}(?![A-Za-z\\d])`, "y"), before };
  byPrefix.set(shape.prefix, [...(byPrefix.get(shape.prefix) ?? []), entry]);
}
/** Longer prefixes first: the first alternative that matches wins. */
const PREFIXES = new RegExp(
  [...byPrefix.keys()]
    .sort((a, b) => b.length - a.length)
    .map(escapePattern)
    .join("|"),
  "g",
);

trigger(
  [...byPrefix.keys()].filter((prefix) => prefix.length >= 3),
  TOKENS,
);

export function readTokens({ text, base }: Line): Candidate[] {
  const found: Candidate[] = [];
  PREFIXES.lastIndex = 0;
  for (let hit = PREFIXES.exec(text); hit !== null; hit = PREFIXES.exec(text)) {
    for (const { shape, pattern, before } of byPrefix.get(hit[0])!) {
      const start = startOf(text, hit.index, before);
      if (start === -1) continue;
      pattern.lastIndex = hit.index;
      const match = pattern.exec(text);
      if (match === null) continue;
      const end = hit.index + match[0].length;
      const raw = text.slice(start, end);
      if (isSample(raw, shape.prefix)) continue;
      const certainty = shape.confidence ?? 0.95;
      // A wrong checksum lowers the confidence only: a provider may change it.
      const syntax =
        shape.hasValidChecksum === undefined ? certainty : shape.hasValidChecksum(raw) ? 1 : certainty * 0.75;
      found.push({
        detector: shape.name,
        keyName: null,
        raw,
        start: base + start,
        end: base + end,
        isQuoted: true,
        syntax,
        asserted: "api_token",
      });
      PREFIXES.lastIndex = end;
      break;
    }
  }
  return found;
}

function startOf(text: string, at: number, before: RegExp | null): number {
  if (before === null) return /[A-Za-z\d_]/.test(text[at - 1] ?? " ") ? -1 : at;
  const match = before.exec(text.slice(Math.max(0, at - 64), at));
  return match === null ? -1 : at - match[0].length;
}

/** Documentation shows tokens of repeated or counted characters. */
function isSample(token: string, prefix: string): boolean {
  const body = token.startsWith(prefix) ? token.slice(prefix.length) : token;
  if (
    /EXAMPLE|example|xxxx|XXXX|\*\*\*|(.)\1{5,}|0123456789|1234567890|abcdefgh|ABCDEFGH|your|YOUR|dummy|placeholder/.test(
      body,
    )
  )
    return true;
  return (
    new Set(body).size < Math.min(8, body.length / 3) ||
    (body.length >= 16 && !/\d/.test(body) && randomnessOf(body) < 0.35)
  );
}

const HASHES =
  /(?<![A-Za-z\d$])(?:\$wp\$2y\$\d\d\$[./A-Za-z\d]{53}|\${1,2}(?:1|5|6|apr1|md5|sha1|y|7(?=\$[^$\s]+\$)|gy|2[abxy]|argon2(?:id?|d)|scrypt|pbkdf2-sha(?:1|256|512)|P|H)\${1,2}[A-Za-z\d./$,=+-]{20,200}|\{(?:S?SHA|S?MD5|SSHA(?:256|384|512)|SHA(?:256|384|512)|CRYPT|PBKDF2[\w-]*|BLF-CRYPT|SHA512-CRYPT|SHA256-CRYPT|ARGON2\w*)\}[A-Za-z\d./$=+,]{16,200}|grub\.pbkdf2\.sha512\.\d+\.[\dA-F.]{64,600}|(?:pbkdf2_sha256|pbkdf2_sha1|bcrypt_sha256)\$[A-Za-z\d./$=+]{20,200}|SCRAM-SHA-256\$\d+:[A-Za-z\d+/=:$]{40,200}|AQAAAA(?:EAACcQ|IAAYag)AAAAE[A-Za-z\d+/]{50,100}={0,2})/g;

/** In comments of Node-RED's own settings. */
const SHIPPED = "zZWtXTja0fB1pzD4sHCMyOCMYz2Z6dNbM6tl8sJogENOMcxWV9DN.";

/** Hashed passwords with a scheme: crypt(3), LDAP, Django, GRUB, PostgreSQL. */
export function readHashes(text: string): Candidate[] {
  if (!text.includes("$") && !text.includes("}") && !text.includes("grub.") && !text.includes("AQAAAA")) return [];
  return [...text.matchAll(HASHES)].flatMap((match) => {
    const raw = match[0].replace(/[.,]+$/, (end) => (/^\$(?:5|6|1|y|2)/.test(match[0]) && end === "." ? end : ""));
    const line = text.slice(text.lastIndexOf("\n", match.index) + 1, match.index);
    if (raw.endsWith(SHIPPED) && /^\s*(?:\/\/|#)/.test(line)) return [];
    // The beginning of a hash, which a program continues.
    if (raw.startsWith("$argon2") && !/\$[\w+/-]{8,}\$[\w+/=-]{16,}/.test(text.slice(match.index, match.index + 300)))
      return [];
    if (new Set(raw).size < 12 || (/^\$2[abxy]\$/.test(raw) && raw.length < 60) || /(.)\1{7,}|\.\.\./.test(raw))
      return [];
    const userName =
      /(?:^|[\s"'])([\w.@-]{1,64}):\s*["']?$/.exec(text.slice(Math.max(0, match.index - 72), match.index))?.[1] ?? null;
    return [
      {
        detector: "password-hash",
        keyName: null,
        raw,
        start: match.index,
        end: match.index + raw.length,
        isQuoted: true,
        syntax: 0.9,
        asserted: "password_hash" as const,
        userName,
      },
    ];
  });
}
