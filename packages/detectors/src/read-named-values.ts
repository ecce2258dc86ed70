// Pairs that name the setting in one value and give it in another: `name: PASSWORD` and `value: x` of Kubernetes,
// `<add key="Password" value="x"/>`, `"Key": "Password", "Value": "x"`.
import type { Candidate, Line } from "./candidate.ts";

const NAMES =
  /(?:^|[\s"'{<,:([-])(?:name|key|id|property|param|parameter|parameterkey|parameter_name|variable|field|option|option_name|config_name|setting|n|k)["']?\s*(?:=|:|=>)\s*["']?(?:[\w.:/-]{0,60}[.:/])?$/i;
const VALUES =
  /(?:^|[\s"'{<,([])(?:value|val|parametervalue|default|defaultvalue|default_value|content|secretstring|stringvalue|config_value|option_value|v)["']?\s*(?:=>|[=:])\s*(?:"([^"\n]{1,1024})"|'([^'\n]{1,1024})'|([^\s"'<>{}[\],&*!|#;][^\n,}<>]{0,512}))/i;
/** How far away the value may be. */
const REACH = 360;

export function readNamedValue(line: Line, from: number, to: number): Candidate | null {
  const { text, base, file } = line;
  const before = text.slice(Math.max(0, from - 100), from);
  if (!NAMES.test(before)) return null;
  const keyName = text.slice(from, to);
  const quote = /(["'])(?:[\w.:/-]{0,60}[.:/])?$/.exec(before)?.[1] ?? null;
  const closesName =
    quote === null ? /^\s*(?:[\r\n,}>]|$)/.test(text.slice(to, to + 8)) || to === text.length : text[to] === quote;
  if (!closesName) return null;
  const nameEnd = base + to + (quote === null ? 0 : 1);
  const after = file.slice(nameEnd, nameEnd + REACH);
  // The next name ends the pair.
  const nextName = after.search(/[\s"'{<,([-](?:name|key)["']?\s*(?:=|:)\s*\S/i);
  const scope = nextName === -1 ? after : after.slice(0, nextName);
  return element(scope, nameEnd, keyName) ?? valueIn(scope, nameEnd, keyName, line) ?? valueBefore(line, from, keyName);
}

/** `<entry key="password">x</entry>`, or an element with the value inside. */
function element(scope: string, at: number, keyName: string): Candidate | null {
  const match =
    /^[^<>]{0,200}[^/]?>\s*(?:<(?:value|string|text|plaintext|default|stringvalue)\b[^<>]{0,80}>)?(?:<!\[CDATA\[)?\s*([^<>\s](?:[^<>\n]{0,500}[^<>\s])?)\s*(?:\]\]>)?<\//i.exec(
      scope,
    );
  if (match === null || match[0].startsWith("/")) return null;
  const start = at + match[0].lastIndexOf(match[1]!);
  return { detector: "xml", keyName, raw: match[1]!, start, end: start + match[1]!.length, isQuoted: true, syntax: 1 };
}

function valueIn(scope: string, at: number, keyName: string, line: Line): Candidate | null {
  const match = VALUES.exec(scope);
  if (match === null) return null;
  const isQuoted = match[3] === undefined;
  if (!isQuoted && (line.format === "code" || line.format === "json" || line.format === "hcl")) return null;
  const raw = (match[1] ?? match[2] ?? match[3]!.replace(/\s+#.*$/, "")).trimEnd();
  const start = at + match.index + match[0].length - (isQuoted ? 1 : 0) - (match[1] ?? match[2] ?? match[3]!).length;
  return { detector: "named-value", keyName, raw, start, end: start + raw.length, isQuoted, syntax: 0.95 };
}

/** `<param value="x" name="password"/>`: only within the same tag. */
function valueBefore(line: Line, from: number, keyName: string): Candidate | null {
  const { text, base } = line;
  const tag = text.lastIndexOf("<", from);
  if (tag === -1) return null;
  const match = /\bvalue\s*=\s*"([^"<>]{1,512})"/i.exec(text.slice(tag, from));
  if (match === null) return null;
  const start = base + tag + match.index + match[0].length - 1 - match[1]!.length;
  return {
    detector: "named-value",
    keyName,
    raw: match[1]!,
    start,
    end: start + match[1]!.length,
    isQuoted: true,
    syntax: 0.9,
  };
}
