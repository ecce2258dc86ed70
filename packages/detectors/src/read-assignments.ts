// Finds named values in a line: `KEY=value`, `key: value`, `"key": "value"`, `<key>value</key>`, `key("value")`, `key value`.
import { candidateAt } from "./candidate.ts";
import type { Candidate, Line } from "./candidate.ts";
import { endOfQuoted, isQuote, quoteAround } from "./quoting.ts";
import { isPasswordLike } from "./password-like.ts";
import { judgeKey } from "./key-name.ts";
import { readDirective } from "./read-directives.ts";
import { readNamedValue } from "./read-named-values.ts";
import { endOfBare } from "./bare-values.ts";

/** Parts of names that may announce a secret; `judgeKey` decides on the whole name. */
const KEY_PARTS =
  /pass|pwd|secret|token|psk|key|cred|auth|salt|kennwort|contrase|senha|clave|wachtwoord|heslo|lozinka|parola|senord|adgangskode|kodeord|salasana|jelszo|sifre|şifre|hasło|парол|schl(?:ü|ue)ssel|\bpw\b|[_.-]pw\b|pw\b|\bpsw|pin\b|dsn|communit|\bmdp\b|haslo|jwt|connectionstring|encrypt\b|conn_?str|pepper|hmac/gi;

const LONGEST_NAME = 100;
/** Values read in one line, or in one piece of a long line. Only hostile text has more. */
const MOST = 128;

export function readAssignments(line: Line): Candidate[] {
  const found: Candidate[] = [];
  const { text } = line;
  const parts = new RegExp(KEY_PARTS.source, "gi");
  let next = 0;
  for (let hit = parts.exec(text); hit !== null && found.length < MOST; hit = parts.exec(text)) {
    if (hit.index < next) continue;
    const from = startOfName(text, hit.index);
    const to = endOfName(text, hit.index + hit[0].length);
    next = to;
    parts.lastIndex = to;
    const candidate = readValue(line, Math.max(from, 0), to);
    if (candidate === null) continue;
    found.push(candidate);
    // Names in an encrypted value such as `enc:routine.key:…` are part of it.
    if (/^(?:enc|encrypted|vault|cipher|aes)\\?:\S+$/i.test(candidate.raw))
      parts.lastIndex = next = candidate.end - line.base;
    // The value of a quoted string is not searched for names, unless it is a list of settings itself.
    if (candidate.isQuoted && !/[=:]/.test(candidate.raw) && !/^keys?$/i.test(candidate.keyName ?? "")) {
      next = Math.max(next, candidate.end - line.base);
      parts.lastIndex = next;
    }
  }
  return found;
}

const isNameCharacter = (code: number): boolean =>
  (code >= 97 && code <= 122) ||
  (code >= 65 && code <= 90) ||
  (code >= 48 && code <= 57) ||
  code === 95 ||
  code === 45 ||
  code === 46 ||
  code >= 128;

function startOfName(text: string, at: number): number {
  let from = at;
  while (from > 0 && at - from < LONGEST_NAME && isNameCharacter(text.charCodeAt(from - 1))) from -= 1;
  // Dashes of an option and dots of a member are not part of its name.
  while (from < at && /[-.]/.test(text[from]!)) from += 1;
  return from;
}

function endOfName(text: string, at: number): number {
  let to = at;
  while (to < text.length && to - at < LONGEST_NAME && isNameCharacter(text.charCodeAt(to))) to += 1;
  return to;
}

/** `=`, `:`, `=>` and others, after the quote or bracket that closes the name. `==`, `::`, `=~` and `://` do not assign. */
const SEPARATOR = /\\?["'`]?[\])}]?[ \t]{0,40}(?:=>|:=|\?=|\+=|\|\|=|=(?![=~*])|:(?!:|\/\/))[ \t]{0,80}/y;
/** Types: `password: str =`, `password string =`, `password[] =`, `Password[string] :`. */
const TYPED =
  /\[\d*\][ \t]{0,20}=(?!=)[ \t]*|[ \t]+(?:[Aa]s[ \t]+\w+|N?VARCHAR2?\(\d+\)|CHAR\(\d+\))[ \t]*:?=[ \t]*|[ \t]*\{[ \t]*get;[^}]{0,40}\}[ \t]*=[ \t]*|[ \t]+(?:PIC|TYPE|type)[ \t]+\S+[ \t]+(?:VALUE|value)[ \t]+|(?:\[\d*\])?[ \t]{0,20}(?::[ \t]*(?:&?(?:'\w+ )?(?:mut )?[\w.]+(?:<[\w., ]+>)?(?:\[\])?(?: ?\| ?\w+)?)|(?:string|String|STRING|str|varchar|\*string|const char ?\*))[ \t]{0,20}:?=(?![=~])[ \t]*/y;
/** Variables of SQL procedures: `password CONSTANT VARCHAR2(40) :=`, `@password nvarchar(50) =`. */
const DECLARED =
  /[ \t]{1,20}(?:constant[ \t]{1,20})?(?:n?varchar2?|n?char|n?text|n?clob|string)(?:[ \t]?\([ \t\w]{1,20}\))?[ \t]{0,20}(?:not[ \t]null[ \t]{0,20})?:?=[ \t]*/iy;
/** Fallbacks: `env.PASSWORD || "x"`, `getenv("PASSWORD") or "x"`, `"PASSWORD", "x"`. */
const FALLBACK = /(?:["'`]?[\])]{1,2})?[ \t]{0,20}(?:\|\||\?\?|\?:|\bor\b)[ \t]{0,20}(?=["'`])/y;
const NEXT_ARGUMENT = /["'`]?[ \t]*,[ \t]*(?:[A-Za-z]+[ \t]*[=:][ \t]*)?(?=["'`])/y;
const COMPARISON = /["'`]?[\])]{0,2}[ \t]{0,10}(?:[=!]==?|=|-eq|\beq|\.equals\()[ \t]{0,10}(?=["'])/y;
const CALL = /[ \t]{0,4}\([ \t]*(?=["'`])/y;
/** Literals may have a prefix: `b"…"`, `r'…'`, `@"…"`, `N'…'`, or a conversion around them. */
const LITERAL_PREFIX =
  /(?:[bBrRuUfFLN@$]{1,2}|new String\(|String\.valueOf\(|bytes\.fromhex\(|base64\.b64decode\(|(?:Base64|Hex|Convert|hex|base64)\.(?:get\w{0,20}\(\)\.)?\w{0,20}(?:[dD]ecode|FromBase64|FromHex)\w{0,20}\(|\(string\)|std::string\(|SecureString\(|bytes\(|\[\]byte\(|Buffer\.from\(|\(|["']?\\)(?=["'`])/y;
/** A list of values, of which the first is read: `= array("x")`, `= ["x"]`. */
const LIST_PREFIX = /(?:array\(|\[|\{(?=[ \t]*["'][^"'\n]{1,200}["'][ \t]*[,}]))[ \t]*\(?(?=["'])/y;
/** A block with one value: `keys { "x"; }`. */
const BRACES = /[ \t]*\{[ \t]*(?=["'])/y;
/** Functions whose second argument is the value of the first. */
const SETTERS =
  /(?:define|\w*[sS]et\w*|\w*[pP]ut\w*|getenv|env|ENV\.fetch|\w*[gG]et\w*|\w*config\w*|\w*[pP]aram\w*|\w*[pP]ropert\w*|\w*add\w*|\w*with\w*|\w*header\w*|\w*[vV]ariable\w*|\w*append\w*|\w*[oO]ption\w*|fetch|insert|store|export|entry|of|String)[ \t]*\(?[ \t]*\[?(?:["']?[\w.]+["']?[ \t]*,[ \t]*)?["'`$]$/;

function readValue(line: Line, from: number, to: number): Candidate | null {
  const { text, format } = line;
  const before = text[from - 1];
  if (before === "<" || (before === ":" && /<[\w-]{1,20}:$/.test(text.slice(Math.max(0, from - 24), from))))
    return readElement(line, from, to);
  if (before === "/" && text[from - 2] === "<") return null;
  if (before === ">" && text.startsWith("</", to)) return readPair(line, from, to);
  // A record of DNS is public.
  if (/\sTXT\s+\(?\s*"/.test(text)) return null;
  const named = readNamedValue(line, from, to);
  if (named !== null) return named;
  if (text.slice(Math.max(0, from - 2), from) === "${" || (before === "{" && text[from - 2] === "$"))
    return readDefault(line, from, to);

  // In a template: `{{ lookup('vault', 'secret=data/app:password') }}`.
  if (text.lastIndexOf("{{", from) > text.lastIndexOf("}}", from) && !/^[ \t]*\|/.test(text.slice(to, to + 8)))
    return null;
  // `checksum/secret: …` is an annotation of Kubernetes.
  if (before === "/" && text.endsWith("checksum/", from)) return null;
  const at = after(SEPARATOR, text, to);
  // In `"password:"` the quote closes the string.
  if (at !== -1 && isQuote(before) && text[at] === before && text[to] !== before) return null;
  const typed = format === "code" || format === "sql" ? after(TYPED, text, to) : -1;
  if (typed !== -1) return readAt(line, from, to, typed, 1);
  if (at !== -1) return readAt(line, from, to, at, 1);
  const declared = format === "sql" ? after(DECLARED, text, to) : -1;
  if (declared !== -1) return readAt(line, from, to, declared, 1);
  const fallback = after(FALLBACK, text, to);
  if (fallback !== -1) return readAt(line, from, to, fallback, 0.8);
  const isConstant =
    format === "code" &&
    /[.(, ]/.test(before ?? "") &&
    /^[A-Z][A-Z\d_.]{5,}$/.test(text.slice(from, to).replace(/^[\w.]*\./, ""));
  if (isConstant && /\(/.test(text.slice(Math.max(0, from - 60), from))) {
    const argument = after(NEXT_ARGUMENT, text, to);
    if (argument !== -1) return readAt(line, from, to, argument, 0.85);
  }
  if ((isQuote(before) || before === "$") && SETTERS.test(text.slice(Math.max(0, from - 60), from))) {
    const argument = after(NEXT_ARGUMENT, text, to);
    // `modparam("auth", "secret", "x")`: the second argument is the name.
    const second =
      argument === -1 ? null : /^(["'])([\w.-]{1,60})\1[ \t]*,[ \t]*["']/.exec(text.slice(argument, argument + 80));
    if (second !== null && judgeKey(second[2]!) !== null) return null;
    if (argument !== -1) {
      const found = readAt(line, from, to, argument, 0.85);
      return found !== null &&
        /(?:env|get|ENV\.fetch)[ \t]*\(?[ \t]*["'`]$/i.test(text.slice(Math.max(0, from - 20), from))
        ? { ...found, isFallback: true }
        : found;
    }
  }
  // A pair in a list: `['password', 'x']`.
  if (isQuote(before) && text[from - 2] === "[" && format === "code") {
    const second = after(NEXT_ARGUMENT, text, to);
    const pair = second === -1 ? null : /^(["'])([^"'\n]{6,64})\1[ \t]*\]/.exec(text.slice(second, second + 70));
    if (pair !== null && isPasswordLike(pair[2]!)) return readAt(line, from, to, second, 0.85);
  }
  const compared = after(COMPARISON, text, to);
  if (compared !== -1) return readAt(line, from, to, compared, 0.75);
  const braces = format === "assignments" ? after(BRACES, text, to) : -1;
  if (braces !== -1) return readAt(line, from, to, braces, 0.95);
  const isSetter = format === "assignments" && /^set[A-Z_]|^[A-Z]+$/.test(text.slice(from, to));
  const call = format === "code" || isSetter ? after(CALL, text, to) : -1;
  if (call !== -1) {
    return readAt(
      line,
      from,
      to,
      call,
      /(?:^|_)(?:get|find|read|load|fetch|decode|encode|encrypt|hash|check|verify|is|has)/i.test(text.slice(from, to))
        ? 0.3
        : isSetter
          ? 0.95
          : 0.8,
    );
  }
  // Groovy and Ruby: `password "x"`.
  const juxtaposed = format === "code" && !isQuote(before) ? /^[ \t]+(?=["'])/.exec(text.slice(to, to + 20)) : null;
  if (juxtaposed !== null) return readAt(line, from, to, to + juxtaposed[0].length, 0.85);
  const filtered = /^[ \t]*\|[ \t]*(?:d|default)\([ \t]*(?=["'])/.exec(text.slice(to, to + 60));
  if (filtered !== null) return readAt(line, from, to, to + filtered[0].length, 0.8);
  return readDirective(line, from, to);
}

function after(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : -1;
}

/** The value that starts at `at`, for the name from `from` to `to`. */
function readAt(line: Line, from: number, to: number, at: number, syntax: number): Candidate | null {
  const { text } = line;
  const keyName = text.slice(from, to);
  const around = quoteAround(text, from);
  // The name is a separate string only if that string ends with the name.
  const isEmbedded = around !== null && text[to] !== around && text[to] !== "\\";
  const isList = /[\w"'\])}][ \t]*[=:][ \t]*$/.test(text.slice(Math.max(0, at - 20), at));
  const list = isList ? after(LIST_PREFIX, text, at) : -1;
  const prefix = list === -1 ? after(LITERAL_PREFIX, text, at) : list;
  const start = prefix === -1 ? at : prefix;
  const quote = text[start];
  const isIniQuote = quote === "`" && line.format === "assignments" && /^`[^`\s]+`\s*$/.test(text.slice(start));
  if (quote === "`" && line.format === "text") {
    // Markdown: "Password: `x`".
    const marked = /^`([^`\s]{6,64})`/.exec(text.slice(start, start + 70))?.[1] ?? "";
    return isPasswordLike(marked)
      ? candidateAt(line, "assignment", start + 1, start + 1 + marked.length, { keyName, syntax: 0.75 })
      : null;
  }
  if (quote === "`" && line.format !== "code" && !isIniQuote) return null;
  const isEscapedQuote = text[start - 1] === "\\";
  if (isQuote(quote) && (!isEmbedded || quote !== around || isEscapedQuote)) {
    if (text.startsWith(quote.repeat(3), start)) {
      const close = text.indexOf(quote.repeat(3), start + 3);
      return close === -1
        ? null
        : candidateAt(line, "assignment", start + 3, close, { keyName, isQuoted: true, syntax });
    }
    const end = isEscapedQuote
      ? text.indexOf(`\\${quote}`, start + 1)
      : endOfQuoted(text, start + 1, quote, line.format === "sql");
    if (end === -1 || end - start > 8192) return null;
    const joined = /^(?:[ \t]*[+%][ \t]*[\w$(]|[ \t]*\.[ \t]*\$|[ \t]+\.[ \t]*\w|\.[ \t]+\w)/.test(
      text.slice(end + 1, end + 40),
    );
    return candidateAt(line, "assignment", start + 1, end, {
      keyName,
      isQuoted: true,
      syntax: joined ? syntax * 0.4 : list === -1 ? syntax : syntax * 0.75,
    });
  }
  // `primary_conninfo = 'user=app password=''x'''`: within quotes, a quote is written twice.
  if (isEmbedded && text.startsWith(around.repeat(2), start)) {
    const close = text.indexOf(around.repeat(2), start + 2);
    return close === -1 ? null : candidateAt(line, "assignment", start + 2, close, { keyName, isQuoted: true, syntax });
  }
  // `password= user=app` has no password.
  if (
    /=[ \t]+$/.test(text.slice(from, at)) &&
    /^[\w.-]{2,30}=(?:$|[^=\s])/.test(text.slice(at, at + 40)) &&
    !/[ \t]=/.test(text.slice(from, at))
  )
    return null;
  // Within a hash: `$1$8epR4PiC$REssQpw:16021:0`.
  if (text[at - 1] === ":" && /\$[\w./]{1,40}\$[\w./]*$/.test(text.slice(Math.max(0, from - 60), from))) return null;
  // A record of several fields, such as Proxmox's `token:bob@pve!app:0:1::`.
  if (text[at - 1] === ":" && from === 0 && /^(?:[^\s:]*:){3}[^\s]*$/.test(text.slice(at, at + 400))) return null;
  // The names of the fields of a record: `user:password:uid:gid`.
  if (text[at - 1] === ":" && text[from - 1] === ":" && /^(?:[\w()]*:){2}/.test(text.slice(at, at + 200))) return null;
  // The salt beside a hash is public.
  if (
    /^salt$/i.test(keyName) &&
    /(?:^|[\s"'<])hash["']?[ \t]*[=:>]/i.test(line.file.slice(Math.max(0, line.base - 160), line.base + 200))
  )
    return null;
  // `-Dsonar.password=x` and `--build-arg PASSWORD_ARG=x`, wherever the command is written.
  const isProperty =
    (text[from - 1] === "-" && /^D[a-z]/.test(text.slice(from, from + 2))) ||
    /--(?:build-arg|env)[ =]["']?$/.test(text.slice(Math.max(0, from - 14), from)) ||
    (line.format === "text" && /[ "'`]--$/.test(text.slice(Math.max(0, from - 3), from)));
  const property = isProperty ? /^=([^\s"'$\\{}()<>;|&]{3,200})/.exec(text.slice(at - 1, at + 200)) : null;
  if (property !== null)
    return candidateAt(line, "option", at, at + property[1]!.length, {
      keyName: keyName.replace(/_?ARG$/, ""),
      isSetting: true,
      syntax: syntax * 0.9,
    });
  const bare = endOfBare(line, at, from, isEmbedded ? around : null);
  // The mapping of an attribute: `attrs = uid=user,userPassword=password`.
  if (bare === null || (text[from - 1] === "," && /^pass(?:word|wd)?$/i.test(text.slice(at, bare.end)))) return null;
  // Icinga: texts are quoted, and words are names of constants.
  if (/^[A-Z][A-Za-z]+$/.test(text.slice(at, bare.end)) && /^(?:object|apply|template) \w+ "/m.test(line.file))
    return null;
  const fallback = /^\$\{(?:\w+[-=]|[\w.]+:[-=]|[\w.]+:(?![?+]))([^{}$]{1,200})\}$/.exec(text.slice(at, bare.end));
  if (fallback !== null && /^\/\w/.test(fallback[1]!)) return null;
  if (fallback !== null) {
    const end = bare.end - 1;
    return candidateAt(line, "default", end - fallback[1]!.length, end, {
      keyName,
      isFallback: true,
      syntax: syntax * 0.85,
    });
  }
  return candidateAt(line, "assignment", at, bare.end, { keyName, syntax: syntax * bare.syntax });
}

/** `<password>value</password>` and `<password encoding="base64">…`. */
function readElement(line: Line, from: number, to: number): Candidate | null {
  const { text } = line;
  const keyName = text.slice(from, to);
  const close = text.indexOf(">", to);
  if (close === -1 || close - to > 300 || text[close - 1] === "/" || !/[\s>]/.test(text[to]!)) return null;
  let start = close + 1;
  const cdata = text.startsWith("<![CDATA[", start);
  if (cdata) start += 9;
  const end = cdata ? text.indexOf("]]>", start) : text.indexOf("<", start);
  if (end === -1 || (!cdata && text[end + 1] !== "/")) {
    // An element that contains `<Value>`, as in Windows' answer files; or an attribute of the element.
    const inner = /^\s*<(?:value|plaintext|string|text)>([^<]{1,512})<\//i.exec(
      line.file.slice(line.base + close + 1, line.base + close + 700),
    );
    if (inner === null) return null;
    const at = line.base + close + 1 + inner[0].indexOf(">") + 1;
    return {
      detector: "xml",
      keyName,
      raw: inner[1]!,
      start: at,
      end: at + inner[1]!.length,
      isQuoted: true,
      syntax: 0.9,
    };
  }
  if (end - start > 4096) return null;
  const raw = text.slice(start, end);
  const trimmed = raw.trim();
  const at = start + raw.indexOf(trimmed);
  const candidate = candidateAt(line, "xml", at, at + trimmed.length, { keyName, isQuoted: true, syntax: 1 });
  return /encoding="base64"/i.test(text.slice(to, close))
    ? { ...candidate, decoded: Buffer.from(trimmed, "base64").toString(), encoding: "base64" }
    : candidate;
}

/** `${PASSWORD:-value}` of shells and `${password:value}` of Spring. */
function readDefault(line: Line, from: number, to: number): Candidate | null {
  const { text } = line;
  const match = /^(?::?[-=]|:(?![?+]))([^{}$]{1,200})\}/.exec(text.slice(to, to + 210));
  if (match === null) return readVariable(line, from, to);
  const start = to + match[0].length - 1 - match[1]!.length;
  const value = match[1]!;
  // `${provider:/path:name}` names a provider and a place.
  if (/^\/\w/.test(value)) return null;
  const trim = isQuote(value[0]) && value.endsWith(value[0]) ? 1 : 0;
  return candidateAt(line, "default", start + trim, start + value.length - trim, {
    keyName: text.slice(from, to),
    isFallback: true,
    syntax: 0.75,
  });
}

/** Robot Framework's `${PASSWORD}    value`. */
function readVariable(line: Line, from: number, to: number): Candidate | null {
  const match =
    from > 2 ? null : /^\}[ \t]*(?:=[ \t]*|[ \t]{2}[ \t]*)([^\s$]\S{2,127})[ \t]*$/.exec(line.text.slice(to, to + 200));
  if (match === null || line.format === "shell") return null;
  const end = to + match[0].trimEnd().length;
  return candidateAt(line, "assignment", end - match[1]!.length, end, {
    keyName: line.text.slice(from, to),
    syntax: 0.9,
  });
}

/**
 * An element with the name and the next one with the value: Apple's `<key>Password</key> <string>x</string>`, Hadoop's
 * `<name>a.password</name> <value>x</value>`.
 */
function readPair(line: Line, from: number, to: number): Candidate | null {
  const { text, base, file } = line;
  if (!/<(?:[\w-]{1,20}[:-])?(?:key|name)(?:\s[^<>]{0,60})?>\s*$/i.test(text.slice(Math.max(0, from - 90), from)))
    return null;
  const at = base + to;
  const match =
    /^<\/[\w:-]{1,30}>\s{0,80}<((?:[\w-]{1,20}[:-])?(?:string|value))(?:\s[^<>]{0,60})?>\s*(?:<!\[CDATA\[)?([^<>\n\s](?:[^<>\n]{0,510}[^<>\s])?)(?:\]\]>)?\s*<\/\1>/i.exec(
      file.slice(at, at + 760),
    );
  if (match === null) return null;
  const raw = match[2]!;
  const start = at + match[0].lastIndexOf(raw);
  return {
    detector: "xml",
    keyName: text.slice(from, to),
    raw,
    start,
    end: start + raw.length,
    isQuoted: true,
    syntax: 1,
  };
}
