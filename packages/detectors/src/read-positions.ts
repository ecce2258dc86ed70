// Logins by position: `("imap.example.net", 993, "user", "password")`, `user:password@host`, lines below a header.
import type { Candidate } from "./candidate.ts";
import type { FileKind } from "./file-kind.ts";
import type { Format } from "./format.ts";
import { generatedKindOf } from "./generated.ts";
import { judgeKey } from "./key-name.ts";
import { isPasswordLike } from "./password-like.ts";

const TEXT = (name: string, pattern: string) => `(?:"(?<${name}>${pattern})"|'(?<${name}1>${pattern})')`;
const HOST = `(?:[\\w-]+\\.)+[\\w-]+|localhost|[a-z]+:[^"'\\s]{3,120}`;
const OTHER = `(?:"[^"\\n]{0,60}"|'[^'\\n]{0,60}')`;
/** A host, its port, perhaps a name, a user and a password. */
const WITH_PORT = new RegExp(
  `${TEXT("host", HOST)}\\s{0,20},\\s{0,20}(?:["']?\\d{2,5}["']?|(?<=://[^"']{1,120}["'],\\s{0,8}))\\s{0,9},?\\s{0,20}(?:${OTHER}\\s{0,20},\\s{0,20}){0,1}?${TEXT("user", "[\\w.@\\\\+-]{2,64}")}\\s{0,20},\\s{0,20}${TEXT("value", "[^\"'\\s]{4,64}")}\\s*[,)\\]]`,
  "g",
);
/** The same without a port, in a call that connects or logs in. */
const IN_CALL = new RegExp(
  `(?<call>connect|log_?[io]n|auth\\w{0,30}|credentials?|pw|passw(?:or)?d|usernametoken|credentials?\\s+\\w{1,40}\\s*=\\s*new|client|session|open)\\w{0,30}\\s{0,9}\\(\\s{0,20}(?:[\\w.$>]{1,40}\\s{0,20},\\s{0,20})?(?:${TEXT("host", HOST)}\\s{0,20},\\s{0,20})?${TEXT("user", "[\\w.@\\\\+-]{2,64}")}\\s{0,20},\\s{0,20}${TEXT("value", "[^\"'\\s]{4,64}")}\\s*[,)]`,
  "gi",
);
/** Redis: `client:auth("x")`. */
const AUTH_CALL = /(?:[:.]|->)auth(?:enticate)?\(\s{0,9}(?:"([^"\s]{4,128})"|'([^'\s]{4,128})')\s{0,9}\)/g;
/** Three values in a row: a full host name or an address, a user and a password. */
const TRIPLE = new RegExp(
  `${TEXT("host", "(?:[\\w-]+\\.){2,}[a-z]{2,}|\\d{1,3}(?:\\.\\d{1,3}){3}")}\\s{0,20},\\s{0,20}${TEXT("user", "[a-z][\\w.@-]{1,63}")}\\s{0,20},\\s{0,20}${TEXT("value", "[^\"'\\s]{6,64}")}\\s*[,)\\]]`,
  "g",
);
/** `jwt.sign({id}, "x", …)`: the second argument is the key. */
const JWT_CALL =
  /\bjwt\.(?:sign|verify|encode|decode)\((?:\{[^{}()]{0,120}\}|[\w.$]{1,60}),\s*["']([^"'\s$]{8,128})["']\s*[,)]/gi;
/** The address of a service account or of a server, and its key below: `tacacs server a` with `key x`. */
const SERVER_KEY =
  /^[ \t]*(?:tacacs|radius|aaa)[^\n]{0,100}\n(?:[ \t]+[^\n]{0,100}\n){0,6}?[ \t]+(?:key|secret)[ \t]+(?:[067][ \t]+)?(\S{3,128})[ \t]*$/gim;
/** MikroTik's `/snmp community` with `name=x` below. */
const FIREWALL_COMMUNITY =
  /^config system snmp community\r?\n(?:[ \t]+(?!end)[^\n]{0,200}\n){0,20}?[ \t]+set name "([^"\n]{3,64})"/gm;
const ROUTER_COMMUNITY =
  /^\/snmp community\r?\n(?:(?:add|set)[^\n]{0,400}\n){0,20}?(?:add|set)[^\n]{0,200}\sname=([^\s"]{3,64})/gm;
/** A generated key as the argument of a call: `jwt.sign(payload, "x")`, `createHmac("sha256", "x")`. */
const KEY_CALL =
  /(?:[sS]ign|[hH]mac|HMAC|[eE]ncrypt|[dD]ecrypt|[cC]ipher)\w{0,20}\([^()\n]{0,80}?,\s*b?["']([A-Za-z\d+/=_-]{16,128})["']\s*[,)]/g;
/** `UserPasswordAuth({"bob": "x"})`. */
const AUTH_MAP = new RegExp(
  `(?:Password|Basic|Digest|Token|Static)\\w{0,30}(?:Auth|Users|Provider|Checker)\\w{0,30}\\s{0,9}\\(\\s{0,20}[{[]\\s{0,20}\\(?${TEXT("user", "[\\w.@-]{2,64}")}\\s*[:,]\\s*b?${TEXT("value", "[^\"'\\s]{4,64}")}`,
  "g",
);
/** Erlang's and Elixir's `{password, "x"}` and `{default_pass, <<"x">>}`. */
const TERM = /\{[ \t]*:?([a-z]\w{1,40})[ \t]*,[ \t]*(?:<<)?"([^"\n]{3,200})"(?:>>)?[ \t]*\}/g;
/** `user:password@host` without a scheme. */
const AT_HOST =
  /(?<![\w@:/.+-])([A-Za-z\d][\w.-]{1,31}):([^\s:@/"'<>,;()]{4,64})@(?:(?:[a-z\d][a-z\d-]{0,62}\.){1,6}[a-z][a-z\d-]{1,24}|localhost|\d{1,3}(?:\.\d{1,3}){3})(?=[:/\s"',;]|$)/gi;
/** `incominguser bob x`, `WebUser bob x`, `user bob x`. */
const USER_LINE =
  /^[ \t]*[\w.-]{0,30}(?:user|login|account|auth|credentials?)[\w.-]{0,12}[ \t]+["']?([\w.@\\-]{2,64})["']?[ \t]+["']?([^\s"'<>]{6,64})["']?[ \t]*$/gim;
/** `User1=bob,x,admin`. */
const USER_LIST =
  /^[ \t]*[\w.-]{0,30}(?:user|login|account|operator|admin)\w{0,6}[ \t]*[=:][ \t]*["']?([\w.@\\-]{2,64})[ \t]*[,;|][ \t]*([^\s,;|"']{6,64})["']?(?:[ \t]*[,;|][^\n]*)?$/gim;
/** `host 12000 bob x`. */
const HOST_LINE =
  /(?<![\w.-])(?:(?:[a-z\d][a-z\d-]{0,62}\.){1,6}[a-z\d-]{1,24})[ \t]+\+?\d{2,5}[ \t]+(?:([\w.@-]{2,64})[ \t]+)?([^\s"'<>]{6,64})(?=[ \t]|$)/gim;
/** `user_bob = x .group` and JAAS's `user_bob="x";`. */
const USER_ENTRY =
  /^[ \t]*user_(?!agent|name|id|email|host)([\w.-]{1,40})[ \t]*=[ \t]*"?([^\s"]{6,128})"?(?:[ \t]+\.\w+)*;?[ \t]*$/gm;
const NOT_USER =
  /^(?:mailto|to|cc|bcc|from|email|e-?mail|sips?|xmpp|acct|npm|link|contact|author|maintainer|reply-to|sender|recipient|https?|ssh|git|image|docker|user|url|by|and|or|see)$/i;

interface Around {
  format: Format;
  kind: FileKind;
}

export function readPositions(text: string, { format, kind }: Around): Candidate[] {
  if (kind.isGenerated || kind.isSample || kind.isTranslation || text.length > 1_000_000) return [];
  const found: Candidate[] = [];
  if (format !== "text" && format !== "xml") {
    for (const pattern of [WITH_PORT, IN_CALL, AUTH_MAP, TRIPLE])
      for (const match of text.matchAll(pattern))
        found.push(...loginOf(match, pattern === WITH_PORT || pattern === AUTH_MAP));
    found.push(
      ...termsIn(text),
      ...keysIn(text),
      ...(/\bjwt\./i.test(text) ? placedIn(text, JWT_CALL, "api_token") : []),
    );
  }
  if (format === "assignments" && /tacacs|radius|^aaa/im.test(text))
    found.push(...placedIn(text, SERVER_KEY, "password"));
  if (text.includes("config system snmp community")) found.push(...placedIn(text, FIREWALL_COMMUNITY, "password"));
  if (text.includes("/snmp community")) found.push(...placedIn(text, ROUTER_COMMUNITY, "password"));
  if (format !== "code" && format !== "text" && format !== "sql") {
    if (text.includes("@")) found.push(...pairsOf(text, AT_HOST));
    if (format !== "json")
      found.push(
        ...pairsOf(text, USER_LINE),
        ...pairsOf(text, USER_LIST),
        ...pairsOf(text, HOST_LINE),
        ...pairsOf(text, USER_ENTRY),
      );
  }
  return found;
}

function loginOf(match: RegExpExecArray, isSure: boolean): Candidate[] {
  const groups = match.groups ?? {};
  const value = groups["value"] ?? groups["value1"] ?? "";
  const user = groups["user"] ?? groups["user1"] ?? "";
  const host = groups["host"] ?? groups["host1"] ?? null;
  if (value === user || (!isPasswordLike(value) && !(isSure && /^[a-z]{8,40}$/.test(value)))) return [];
  if (
    host === null &&
    (/^(?:connect|client|session|open)/i.test(groups["call"] ?? "") ||
      (/\.\w{2,}$|^\d/.test(user) && !user.includes("@")))
  )
    return [];
  const start = match.index + match[0].lastIndexOf(value);
  return [
    {
      detector: "call",
      keyName: null,
      raw: value,
      start,
      end: start + value.length,
      isQuoted: true,
      syntax: isSure ? 0.8 : 0.7,
      asserted: "password",
      userName: user,
      host: host === null || host.includes("/") ? null : host,
    },
  ];
}

function keysIn(text: string): Candidate[] {
  const passwords = [...text.matchAll(AUTH_CALL)].flatMap((match): Candidate[] => {
    const raw = match[1] ?? match[2] ?? "";
    if (!isPasswordLike(raw)) return [];
    const start = match.index + match[0].lastIndexOf(raw);
    const end = start + raw.length;
    return [{ detector: "call", keyName: null, raw, start, end, isQuoted: true, syntax: 0.7, asserted: "password" }];
  });
  const keys = [...text.matchAll(KEY_CALL)].flatMap((match): Candidate[] => {
    const raw = match[1]!;
    if (generatedKindOf(raw) === null) return [];
    const start = match.index + match[0].lastIndexOf(raw);
    const end = start + raw.length;
    return [{ detector: "call", keyName: null, raw, start, end, isQuoted: true, syntax: 0.7, asserted: "api_token" }];
  });
  return [...passwords, ...keys];
}

/** Words of which the place says that they are secrets. */
function placedIn(text: string, pattern: RegExp, asserted: "password" | "api_token"): Candidate[] {
  return [...text.matchAll(pattern)].map((match) => {
    const raw = match[1]!;
    const start = match.index + match[0].lastIndexOf(raw);
    const detector = asserted === "password" ? "phrase" : "jwt-key";
    return { detector, keyName: null, raw, start, end: start + raw.length, isQuoted: true, syntax: 0.7, asserted };
  });
}

function termsIn(text: string): Candidate[] {
  if (!text.includes("{")) return [];
  return [...text.matchAll(TERM)].flatMap((match) => {
    const [whole, keyName = "", raw = ""] = match;
    if ((judgeKey(keyName)?.strength ?? 0) < 0.7) return [];
    const start = match.index + whole.lastIndexOf(raw);
    return [{ detector: "assignment", keyName, raw, start, end: start + raw.length, isQuoted: true, syntax: 0.95 }];
  });
}

function pairsOf(text: string, pattern: RegExp): Candidate[] {
  return [...text.matchAll(pattern)].flatMap((match) => {
    const [whole, userName = "", raw = ""] = match;
    if (pattern === USER_ENTRY && /[(<]/.test(raw)) return [];
    // JAAS: `user_admin="admin-secret"`.
    const isSure = pattern === USER_ENTRY && text.includes("LoginModule");
    if (NOT_USER.test(userName) || (!isSure && !isPasswordLike(raw)) || /^\s*(?:[#;*]|\/\/|--)/.test(whole)) return [];
    const start = match.index + (pattern === AT_HOST ? userName.length + 1 : whole.lastIndexOf(raw));
    return [
      {
        detector: "login-pair",
        keyName: null,
        raw,
        start,
        end: start + raw.length,
        isQuoted: true,
        syntax: 0.75,
        asserted: "password" as const,
        userName,
      },
    ];
  });
}
