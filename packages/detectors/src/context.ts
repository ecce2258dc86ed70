// The account that a secret opens, as far as the lines around it say.
import type { Format } from "./format.ts";

export interface Context {
  userName: string | null;
  host: string | null;
  port: number | null;
}

/** Characters before and after the value that are read. */
const BEFORE = 700;
const AFTER = 400;

const PAIR = `["']?\\]?[ \\t]*(?:=>|:=|=|:|[ \\t])[ \\t]*(?:"([^"\\n]{1,128})"|'([^'\\n]{1,128})'|([^\\s"'<>;,&{}()]{1,128}))`;
const USER = new RegExp(
  `(?:^|[\\s"'<\\[{;,&?$(-])((?:[\\w-]+[._-])?(?:user(?:[_-]?(?:name|id))?|login|account|uid|usr|bind_?dn|User Id|principal)|[a-z]+(?:User|UserName|Username|Login))${PAIR}`,
  "gi",
);
const HOST = new RegExp(
  `(?:^|[\\s"'<\\[{;,&?$(-])((?:[\\w-]+[._-])?(?:host(?:[_-]?name)?|server|address|endpoint|data source|db_?host|url|uri)|[a-z]+(?:Host|Server|HostName))${PAIR}`,
  "gi",
);
const PORT = new RegExp(`(?:^|[\\s"'<\\[{;,&?$(-])((?:[\\w-]+[._-])?port|[a-z]+Port)${PAIR}`, "gi");
const ELEMENT_USER = /<([\w.-]*(?:user(?:name)?|login))>\s*([^<\n]{1,128}?)\s*<\//gi;
const ELEMENT_HOST = /<([\w.-]*(?:host(?:name)?|server|url))>\s*([^<\n]{1,128}?)\s*<\//gi;

export function contextOf(text: string, start: number, end: number, format: Format, keyName: string | null): Context {
  const { before, after } = blockAround(text, start, end, format);
  const block: Block = { before, after, stem: stemOf(keyName) };
  const user = nearest(block, USER) ?? nearest(block, ELEMENT_USER);
  const host = nearest(block, HOST) ?? nearest(block, ELEMENT_HOST);
  const port = nearest(block, PORT);
  const name = hostIn(host);
  return {
    userName: user !== null && isName(user) ? user : null,
    host: name?.host ?? null,
    port: port !== null && /^\d{1,5}$/.test(port) ? Number(port) : (name?.port ?? null),
  };
}

interface Block {
  before: string;
  after: string;
  /** Of the secret's key. */
  stem: string;
}

/** The section of an ini file, the paragraph of other files. */
function blockAround(text: string, start: number, end: number, format: Format): { before: string; after: string } {
  const before = text.slice(Math.max(0, start - BEFORE), start);
  const after = text.slice(end, end + AFTER);
  const isSectioned = format === "assignments" || format === "toml";
  const edge = isSectioned
    ? /\n[ \t]*\[|\n[ \t]*\n(?=[ \t]*\n)/g
    : format === "yaml"
      ? /\n---/g
      : /\n[ \t]*\n|\n[ \t]*\}/g;
  let from = 0;
  for (const match of before.matchAll(edge)) from = match.index + match[0].length;
  const to = after.search(edge);
  return { before: before.slice(from), after: to === -1 ? after : after.slice(0, to) };
}

/** `DB_` of `DB_PASSWORD`: settings with the same stem belong together. */
function stemOf(keyName: string | null): string {
  if (keyName === null) return "";
  return keyName
    .toLowerCase()
    .replace(/(?:pass(?:word|wd|phrase)?|pwd|secret|token|key|pw|cred\w*)[\w]*$/i, "")
    .replace(/[^a-z\d]+$/, "");
}

function nearest(block: Block, pattern: RegExp): string | null {
  let best: { value: string; score: number } | null = null;
  for (const [part, isBefore] of [
    [block.before, true],
    [block.after, false],
  ] as const) {
    for (const match of part.matchAll(pattern)) {
      const value = match.slice(2).find((group) => group !== undefined);
      if (value === undefined || value === "") continue;
      const distance = isBefore ? part.length - match.index : match.index;
      const name = match[1]!.toLowerCase();
      const isRelated = block.stem !== "" && name.startsWith(block.stem);
      const score = distance + (isRelated ? 0 : 400) + (isBefore ? 0 : 20);
      if (best !== null && score >= best.score) continue;
      if (isRelated || !belongsToOther(block, name)) best = { value, score };
    }
  }
  return best?.value ?? null;
}

const ROLE =
  /[._-]?(?:user(?:[_-]?(?:name|id))?|login|account|uid|usr|bind_?dn|principal|host(?:[_-]?name)?|server|address|endpoint|url|uri|port)$/;

/** `DB_USER` beside `SMTP_PASSWORD` is of the other account when there is a `DB_PASSWORD` too. */
function belongsToOther({ before, after, stem }: Block, name: string): boolean {
  const [family] = stem.split(/[^a-z\d]/);
  const [other] = name.replace(ROLE, "").split(/[^a-z\d]/);
  if (!family || !other || other === family) return false;
  const secret = new RegExp(`(?:^|[^a-z\\d])${other}[._-]?(?:\\w+[._-])?(?:pass|pwd|pw|secret|token|key|cred)`, "i");
  return secret.test(before) || secret.test(after);
}

const isName = (value: string): boolean =>
  /^[\w.@\\$=,+ -]{1,128}$/.test(value) && !/^\$|^(?:true|false|null|none|password|name)$/i.test(value);

function hostIn(value: string | null): { host: string; port: number | null } | null {
  if (value === null) return null;
  const match =
    /^(?:jdbc:)?(?:[a-z][a-z\d+.:-]*:\/\/)?(?:[^@/\s]*@)?([A-Za-z\d](?:[\w.-]{0,250}[A-Za-z\d])?|\[[\da-f:]+\])(?:[:,](\d{1,5}))?(?:[/?;]|$)/i.exec(
      value,
    );
  if (match === null || /^(?:true|false|null|none|\d+)$/i.test(match[1]!)) return null;
  return { host: match[1]!, port: match[2] === undefined ? null : Number(match[2]) };
}
