// Where a value without quotes ends. That depends on the file's syntax and on what else the line assigns.
import type { Line } from "./candidate.ts";

interface Bare {
  end: number;
  syntax: number;
}

const LONGEST_VALUE = 4096;
/** Characters around a name that tell whether it is one of several in its line. */
const NEAR = 160;

/**
 * The end of the unquoted value at `at`, for a name at `from`; `around` is the quote of a string that contains both.
 * Null where an unquoted word is a variable or prose.
 */
export function endOfBare(line: Line, at: number, from: number, around: string | null): Bare | null {
  const { text, format } = line;
  const rest = text.slice(at, at + LONGEST_VALUE);
  if (around !== null) {
    // An ampersand separates in a query, and belongs to the value where semicolons separate.
    const and = /;\s*[\w ]{0,40}=\s*$/.test(text.slice(Math.max(0, at - 60), at)) ? "" : "&";
    const end = rest.search(
      around === "`" ? /[`;&\s]/ : new RegExp(`[${around};${and}\\\\]|[\\s,](?:\\s*[\\w.-]+\\s*[=:]|$)|\\s`),
    );
    const isAssignment = text[at - 1] === "=" || /=\s*$/.test(text.slice(from, at));
    // In program text and prose, `"password: …"` is a label.
    if (!isAssignment && (format === "code" || format === "text" || format === "sql")) return null;
    // Where a long line was cut, quotes do not tell what is a string.
    if (text.length > 1000 && format === "code") return null;
    if (!isAssignment) {
      // A header such as `"X-Api-Key: value"` fills its string.
      const isHeader = text[from - 1] === around && end !== -1 && rest[end] === around && /\d/.test(rest.slice(0, end));
      return isHeader ? found(at, rest, end, 0.85) : null;
    }
    return found(at, rest, end, format === "code" || format === "text" ? 0.8 : 0.9);
  }
  switch (format) {
    case "assignments":
      return found(at, rest, endOfSetting(line, rest, from), 1);
    case "yaml":
      // A map or a list.
      if (/^[{[](?!\{)/.test(rest)) return null;
      return found(at, rest, endOfYaml(line, rest, at, from), 1);
    case "shell":
      // `target: prerequisites` of a Makefile, but `elasticsearch.password: x` of a file within the script.
      if (/:\s*$/.test(text.slice(from, at)))
        return /^[ \t]*[a-z]\w*\.[\w.]+:[ \t]$/i.test(text.slice(0, at)) && /^[^\s"'$]+[ \t]*$/.test(rest)
          ? found(at, rest, rest.search(/\s/), 0.9)
          : null;
      return /^\s/.test(rest) || text.slice(from, at).endsWith(" ")
        ? endOfSpacedShell(line, rest, at, from)
        : found(at, rest, endOfWord(rest), 1);
    case "xml":
      return found(at, rest, rest.search(/[<>;"'&\s]/), 0.9);
    case "text":
      return endOfProse(line, rest, at, from);
    case "json":
    case "toml":
    case "hcl": {
      const number = /^\d{3,20}(?=\s*(?:[,}\]#]|$))/.exec(rest);
      if (number !== null) return { end: at + number[0].length, syntax: 0.8 };
      // A file within Terraform's `<<EOF`.
      if (format === "hcl" && text[at - 1] === "=" && /^[ \t]*$/.test(text.slice(0, from)) && /^[^\s"'=]/.test(rest))
        return found(at, rest, endOfWord(rest), 0.8);
      return null;
    }
    case "code":
    case "sql":
      return null;
    default:
      return format satisfies never;
  }
}

function found(at: number, rest: string, stop: number, syntax: number): Bare | null {
  const value = (stop === -1 ? rest : rest.slice(0, stop)).replace(/\s*,?\s*$/, "");
  return value === "" ? null : { end: at + value.length, syntax };
}

/** Ini, properties and dotenv: to the end of the line, except for comments and for lists of settings in one line. */
function endOfSetting(line: Line, rest: string, from: number): number {
  const { text } = line;
  // Bounded: some of these expressions look at each place of `before` again.
  const before = text.slice(Math.max(0, from - NEAR), from);
  const near = rest.slice(0, 2 * NEAR);
  const stops: number[] = [rest.search(/\s[#;]|[\r\n]/)];
  // A list such as `Server=a;Password=b;`, `user=a,password=b`, `?user=a&password=b`, `host=a password=b`.
  if (/=[^;]*;\s*$/.test(before) || /;\s*[\w. -]{2,30}=/.test(near) || /^[^\s;]*;\s*$/.test(near))
    stops.push(rest.indexOf(";"));
  if (/=[^,]*,\s*$/.test(before) || /^[^\s,]*,\s*[\w.-]{2,30}\s*=/.test(near)) stops.push(rest.indexOf(","));
  if (/[?&]$/.test(before) || /^[^\s&]*&[\w.-]{2,30}=/.test(near)) stops.push(rest.indexOf("&"));
  if (
    /[=:]\s*\S+\s+$/.test(before) ||
    /^\S+\s+[\w.-]{2,30}=/.test(near) ||
    /^\s*(?:export|set|setenv)\b|-{1,2}$/.test(before)
  )
    stops.push(rest.search(/\s/));
  if (before.trimEnd().endsWith("{") || (before.includes("{") && near.includes("}"))) stops.push(rest.search(/[,}]/));
  const stop = Math.min(...stops.filter((each) => each !== -1));
  return stop === Infinity ? -1 : stop;
}

function endOfYaml(line: Line, rest: string, at: number, from: number): number {
  const { text } = line;
  // `- KEY=value` and `command: app --password=value`: words.
  if (/=\s*$/.test(text.slice(from, at)))
    return /^\s*-\s*$/.test(text.slice(0, from)) ? rest.search(/\s#|[\r\n]/) : rest.search(/[\s;&,]/);
  if (/[{[][^{[}\]]*$/.test(text.slice(Math.max(0, from - NEAR), from))) return rest.search(/[,}\]\r\n]/);
  return rest.search(/\s#|[\r\n]/);
}

/** A shell's word: quotes and escapes inside it belong to it. */
function endOfWord(rest: string): number {
  return rest.search(/[\s;&|)<>"'`]|,[\w.-]{2,30}=/);
}

/** `KEY = value` in a script is a test or prose, except in Makefiles and Dockerfiles. */
function endOfSpacedShell(line: Line, rest: string, at: number, from: number): Bare | null {
  const isSetting = /^\s*(?:ENV|ARG|LABEL|export|set)?\s*$/i.test(line.text.slice(0, from));
  return isSetting ? found(at, rest, rest.search(/\s|[;&|)]/), 0.8) : null;
}

/** Notes such as `password: Xy7-…`: one word that no dictionary has, or a line `MYSQL_PASSWORD: word`. */
function endOfProse(line: Line, rest: string, at: number, from: number): Bare | null {
  const { text } = line;
  if (
    /^[\s>*`-]*$/.test(text.slice(0, from)) &&
    /^[A-Z][A-Z\d]*(?:_[A-Z\d]+)+[ \t]*[:=]\s*$/.test(text.slice(from, at))
  ) {
    const variable = /^[^\s"'<>|,;)&]{3,128}(?=\s*$)/.exec(rest)?.[0];
    if (variable !== undefined) return { end: at + variable.length, syntax: 0.85 };
  }
  const word = /^[^\s"'<>|,;)&]{6,128}/.exec(rest)?.[0].replace(/[.`*]+$/, "");
  if (word === undefined || !/\d/.test(word) || !/[^\d]/.test(word)) return null;
  const isAlone = /^[\s`*|.<)&]*(?:$|[\r\n])/.test(rest.slice(word.length)) || /=\s*$/.test(text.slice(from, at));
  return isAlone ? { end: at + word.length, syntax: 0.75 } : null;
}
