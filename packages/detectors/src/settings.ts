// Lists the settings of a file whatever their names are, and finds what surrounds one: its parent and a user name beside it.
import type { Format } from "./format.ts";

export interface Setting {
  name: string;
  value: string;
  /** Span of the value in the text. */
  start: number;
  end: number;
  /** Index of the name. */
  at: number;
  /** Only spaces are between name and value, or the name has several words: prose may look like that. */
  isDirective: boolean;
}

const NAME = `[A-Za-z_\\u0080-\\u00ff][\\w.@\\u0080-\\u00ff-]{0,59}`;
/** `name = value`, `"name": "value"`, `'name' => 'value'`, `name="value"`. */
const PAIR = new RegExp(
  `(?<![\\w.-]|[$%{]\\{)(["']?)(${NAME})\\1[\\])}]{0,2}[ \\t]{0,40}(?:=>|:=|=(?![=~>])|:(?![:/]))[ \\t]{0,80}` +
    `(?:"([^"\\n]{4,200})"|'([^'\\n]{4,200})'|([^\\s"'\`{}[\\],;<>()#|][^\\s"'\`{}[\\],;<>()]{3,199})(?=[ \\t]*(?:$|[,;}\\])\\r\\n]|[ \\t][#;])))`,
  "gm",
);
/** `<name>value</name>`. */
const ELEMENT =
  /<([A-Za-z][\w.:-]{0,59})(?:\s[^<>]{0,200})?>[ \t]*(?:<!\[CDATA\[)?([^<>\s[\]]{4,200})(?:\]\]>)?[ \t]*<\//g;
/** `name value` on a separate line, also as `option name 'value'`. */
const DIRECTIVE =
  /^[ \t]*(?:(?:option|set)[ \t]+)?([A-Za-z][\w.-]{1,59})[ \t]+(?:"([^"\n]{4,200})"|'([^'\n]{4,200})'|([^\s"'={}<>;#()][^\s"'={}<>;]{3,199}));?[ \t]*$/gm;
/** `api key = value`: names of several words. */
const SPACED = /^[ \t]*([A-Za-z]\w*(?: \w+){1,4})[ \t]*[=:][ \t]*(?:"([^"\n]{4,200})"|([^\s"']{4,200}))[ \t]*$/gm;

/** More settings are in no file that people write. */
const MOST = 20_000;

export function settingsIn(text: string, format: Format): Setting[] {
  const patterns = format === "xml" ? [ELEMENT, PAIR] : format === "assignments" ? [PAIR, DIRECTIVE, SPACED] : [PAIR];
  if (format === "yaml") patterns.push(SPACED);
  const found: Setting[] = [];
  for (const pattern of patterns) {
    for (const match of text.matchAll(pattern)) {
      if (found.length >= MOST) return found;
      const groups = match.slice(1);
      const isPair = pattern === PAIR;
      const name = groups[isPair ? 1 : 0]!;
      const value = groups.slice(isPair ? 2 : 1).find((group) => group !== undefined)!;
      const isQuoted = /["']$/.test(match[0]) && match[0].at(-2 - value.length) === match[0].at(-1);
      const start =
        pattern === ELEMENT || !isPair
          ? match.index + match[0].lastIndexOf(value)
          : match.index + match[0].length - value.length - (isQuoted ? 1 : 0);
      if (isComment(text, match.index)) continue;
      found.push({
        name,
        value,
        start,
        end: start + value.length,
        at: match.index,
        isDirective: pattern === DIRECTIVE || pattern === SPACED,
      });
    }
  }
  return found;
}

const isComment = (text: string, at: number): boolean =>
  /^\s*(?:[#;*]|\/\/|--\s|<!--|REM\s|dnl\s|%\s)/i.test(text.slice(text.lastIndexOf("\n", at - 1) + 1, at + 3));

/** Characters before a setting in which its parent is searched. */
const REACH = 2000;
const BLOCK_NAME =
  /(?:^|[\s,{[(])(?:["']?([\w.-]{1,60})["']?)[\])]?[ \t]*(?:(?:=>|:=|[:=])[ \t]*(?:new \w+|array|dict)?[ \t\n]*|(?<brace>[ \t\n]*))$/;

/** The name of the section, map or element that contains the index, or null. */
export function parentOf(text: string, at: number, format: Format): string | null {
  if (format === "xml") return elementAround(text, at);
  const inBraces = braceAround(text, at);
  if (inBraces !== null) return inBraces;
  if (format === "yaml") return keyAbove(text, at);
  if (format !== "assignments" && format !== "toml") return null;
  const before = text.slice(Math.max(0, at - 2 * REACH), at);
  const section = before.lastIndexOf("\n[");
  const header = /^\[{1,3}[ \t]*["']?([^\]\n"']{1,80})/.exec(section === -1 ? before : before.slice(section + 1));
  return header?.[1] ?? null;
}

function braceAround(text: string, at: number): string | null {
  let depth = 0;
  const stop = Math.max(0, at - REACH);
  for (let index = at - 1; index >= stop; index -= 1) {
    const character = text[index];
    if (character === "}" || character === "]" || character === ")") depth += 1;
    else if (character === "{" || character === "[" || character === "(") {
      if (depth > 0) {
        depth -= 1;
        continue;
      }
      const opened = BLOCK_NAME.exec(text.slice(Math.max(0, index - 90), index));
      if (opened !== null && (character === "{" || opened.groups?.["brace"] === undefined)) return opened[1]!;
    }
  }
  return null;
}

function keyAbove(text: string, at: number): string | null {
  const lineStart = text.lastIndexOf("\n", at - 1) + 1;
  const above = text.slice(Math.max(0, lineStart - REACH), lineStart).split("\n");
  const indent = indentOf(text.slice(lineStart, at));
  for (let index = above.length - 1; index >= 0; index -= 1) {
    const line = above[index]!;
    if (/^\s*(?:#|$)/.test(line) || indentOf(line) >= indent) continue;
    return /^[ \t]*(?:-[ \t]+)?["']?([\w.-]{1,60})["']?:[ \t]*(?:[|>&!][^\n]*)?$/.exec(line)?.[1] ?? null;
  }
  return null;
}

/** A dash counts as indentation: `- name: x` and the line below belong together. */
const indentOf = (line: string): number => /^[ \t]*(?:-[ \t]+)?/.exec(line)![0].length;

function elementAround(text: string, at: number): string | null {
  const before = text.slice(Math.max(0, at - REACH), at);
  let depth = 0;
  for (const tag of [...before.matchAll(/<(\/?)([A-Za-z][\w.:-]{0,59})(?:\s[^<>]{0,300})?(\/?)>/g)].reverse()) {
    if (tag[3] === "/") continue;
    if (tag[1] === "/") depth += 1;
    else if (depth > 0) depth -= 1;
    else return tag[2]!;
  }
  return null;
}

/** A literal user name in a program: `$username = "root"`, `user: 'root'`. */
const USER_LITERAL =
  /(?:^|[\s"'{,;(.$])(?:[\w.-]{0,40}(?:user(?:_?(?:name|id))?|login|uid|usr|usuario|usuari|utilisateur|benutzer)|[a-z]{1,20}(?:User|UserName|Login))["']?[\])]?[ \t]*(?:=>|:=|[=:])[ \t]*["'][\w.@\\+-]{2,}["']/i;

/** Whether a literal within three lines of the value from `start` to `end` is a user name. */
export function hasUserLiteral(text: string, start: number, end: number): boolean {
  const before = text
    .slice(Math.max(0, start - 300), start)
    .split("\n")
    .slice(-NEAR_LINES - 1);
  const after = text
    .slice(end, end + 200)
    .split("\n")
    .slice(0, NEAR_LINES);
  return USER_LITERAL.test(before.join("\n")) || USER_LITERAL.test(after.join("\n"));
}

/** Lines before and after a setting in which a user name counts as beside it. */
const NEAR_LINES = 3;
const USER =
  /(?:^|[\s"'<{,;&(>])(?:[\w.-]{0,40}(?:user(?:_?(?:name|id))?|login|account|uid|usr|benutzer|usuario|utilisateur|bind_?dn|principal|ssid)|[a-z]{1,20}(?:User|UserName|Login))["']?[\])]?[ \t]*(?:=>|[=:>]|[ \t](?:value=)?)[ \t]*["']?[\w.@\\+-]{2,}/i;

/** Whether a setting within a few lines of the same section or block names a user. */
export function hasUserBeside(text: string, { at, end }: Setting): boolean {
  const before = text
    .slice(Math.max(0, at - 300), at)
    .split("\n")
    .slice(-NEAR_LINES - 1);
  const after = text
    .slice(end, end + 200)
    .split("\n")
    .slice(0, NEAR_LINES);
  const edge = before.slice(0, -1).findLastIndex((line) => /^\s*(?:\[|$|\S+\s*\{\s*$|---)/.test(line));
  const edgeAfter = after.findIndex((line, index) => index > 0 && /^\s*(?:\[|\}|$|---)/.test(line));
  const block = [...before.slice(edge + 1), "\n", ...(edgeAfter === -1 ? after : after.slice(0, edgeAfter))].join("\n");
  return USER.test(block);
}
