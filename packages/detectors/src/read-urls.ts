// Credentials in URLs and in data source names: `scheme://user:password@host`, `user:password@tcp(host)`.
import { isComment } from "./candidate.ts";
import type { Candidate } from "./candidate.ts";
import { randomnessOf } from "./value.ts";

/** Beyond this length, a URL is not read further. */
const LONGEST = 600;
const SCHEME = /([A-Za-z][A-Za-z\d+.-]{1,30})$/;
/** A password may have raw slashes, colons and at signs; the host that follows the last one tells. */
const AUTHORITY =
  /^([^\s:/@"'<>`\\,;()[\]{}]{0,128}):([^\s"'<>`\\@/]{1,256}|[^\s"'<>`\\]{1,128}?)@((?:[A-Za-z\d_](?:[\w.-]{0,250}[\w])?|\[[\da-f:.]+\]|[$%{<][^\s"'@]{1,80}))(?::(\d{1,5}|[$%{][^\s"'/@]{1,60})|%3a\d{1,5})?(?=[/?#\s"'<>`\\,;)|\]}]|$)/i;
const TOKEN_ONLY = /^([^\s:/@"'<>`\\,;()[\]{}?#=&]{16,256})@([\w.-]+\.[a-z]{2,})(?::\d+)?(?=[/\s"'<>`]|$)/i;

export function readUrls(text: string): Candidate[] {
  const found: Candidate[] = [];
  for (let at = text.indexOf("://"); at !== -1; at = text.indexOf("://", at + 3)) {
    const start = at + 3;
    const rest = text.slice(start, start + LONGEST);
    const authority = rest.slice(0, Math.max(0, rest.search(/[\s"'<>`]|$/)));
    if (!authority.includes("@")) continue;
    const scheme = SCHEME.exec(text.slice(Math.max(0, at - 31), at))?.[1];
    if (scheme === undefined) continue;
    const candidate = withPassword(rest, start, scheme) ?? withToken(rest, start, scheme);
    if (candidate === null) continue;
    found.push({ ...candidate, isComment: isComment(beginningOfLine(text, at)) });
    // A list of hosts, each with a login: `rabbit://a:x@h1:5672,a:y@h2:5672/`.
    for (let end = candidate.end - start; end < authority.length;) {
      const next = /^@[\w.-]+(?::\d{1,5})?,(?=[^\s,@]+:[^\s,@]+@)/.exec(rest.slice(end))?.[0].length;
      if (next === undefined) break;
      const other = withPassword(rest.slice(end + next), start + end + next, scheme);
      if (other === null) break;
      found.push(other);
      end = other.end - start;
    }
  }
  return found;
}

/** The line before `at`; empty where it is longer than any that people write. */
function beginningOfLine(text: string, at: number): string {
  const from = Math.max(0, at - 200);
  const before = text.slice(from, at);
  const newline = before.lastIndexOf("\n");
  return newline === -1 && from > 0 ? "" : before.slice(newline + 1);
}

function withPassword(rest: string, start: number, scheme: string): Candidate | null {
  const match = AUTHORITY.exec(rest);
  if (match === null) return null;
  const [, user = "", password = "", host = "", port] = match;
  // `http://host:8080/path@x` has a port, not a password.
  if (/^\d{1,5}\//.test(password)) return null;
  const from = start + user.length + 1;
  const tail = /^[^\s"'<>`;]{0,200}/.exec(rest.slice(match[0].length))?.[0] ?? "";
  return {
    detector: "url",
    keyName: null,
    raw: password,
    start: from,
    end: from + password.length,
    isQuoted: true,
    syntax: isExample(host) ? 0.4 : 0.95,
    asserted: /^(?:x-access-token|oauth2|x-token-auth|gitlab-ci-token|_json_key|token|x-oauth-basic)$/i.test(user)
      ? "api_token"
      : "password",
    encoding: /%[\dA-F]{2}/i.test(password) ? "url" : "plain",
    userName: user === "" ? null : user,
    host,
    port: port !== undefined && /^\d+$/.test(port) ? Number(port) : null,
    url: `${scheme}://${host}${port === undefined ? "" : `:${port}`}${tail.replace(/[?#].*$/, "")}`,
  };
}

function withToken(rest: string, start: number, scheme: string): Candidate | null {
  const match = TOKEN_ONLY.exec(rest);
  if (match === null || randomnessOf(match[1]!) < 0.6) return null;
  const [, raw = "", host = ""] = match;
  return {
    detector: "url",
    keyName: null,
    raw,
    start,
    end: start + raw.length,
    isQuoted: true,
    syntax: 0.8,
    asserted: "api_token",
    host,
    url: `${scheme}://${host}`,
  };
}

const isExample = (host: string): boolean =>
  /^(?:host|hostname|server|example|your[\w-]*|my-?(?:host|server|domain)[\w.]*|domain\.(?:com|tld)|address|ip)$/i.test(
    host,
  );

const GO_DSN = /([\w.-]{1,64}):([^\s:"'`()/]{1,128})@(?:tcp|unix|udp)\(([^)\s"']{0,128})\)/g;

/** Without an address: `root:password@/shop`. */
const GO_LOCAL_DSN = /(?<=["'`])([\w.-]{1,64}):([^\s@:/"'`()]{1,128})@\/[\w-]{1,64}(?=["'`?])/g;

/** Oracle's thin and OCI drivers: `jdbc:oracle:thin:user/password@//host:1521/service`. */
const ORACLE_DSN =
  /jdbc:oracle:(?:thin|oci8?):([\w$#.-]{1,64})\/"?([^\s"'@/]{1,128})"?@(?:\/\/)?([\w.-]{1,128}(?::\d{1,5})?)/g;

/** Perl's `"DBI:…", "user", "password"`, wherever it is stored. */
const PERL_DSN =
  /["']dbi:[^"'\n]{1,200}["'][ \t]*,[ \t]*["']([^"'\n]{0,64})["'][ \t]*,[ \t]*["']([^"'\n]{1,128})["']/gi;

export function readDataSourceNames(text: string): Candidate[] {
  const found: Candidate[] = [];
  if (text.includes("@tcp(") || text.includes("@unix(")) found.push(...dataSourcesIn(text, GO_DSN));
  if (text.includes("@/")) found.push(...dataSourcesIn(text, GO_LOCAL_DSN));
  if (text.includes("DBI:") || text.includes("dbi:")) found.push(...dataSourcesIn(text, PERL_DSN));
  if (text.includes("jdbc:oracle:")) found.push(...dataSourcesIn(text, ORACLE_DSN));
  return found;
}

function dataSourcesIn(text: string, pattern: RegExp): Candidate[] {
  return [...text.matchAll(pattern)].map((match) => {
    const [whole, userName = "", raw = "", host = ""] = match;
    const start =
      match.index +
      (pattern === ORACLE_DSN
        ? whole.indexOf(raw, whole.indexOf("/") + 1)
        : whole.lastIndexOf(raw, pattern === GO_DSN || pattern === GO_LOCAL_DSN ? userName.length + 1 : undefined));
    return {
      detector: "data-source",
      keyName: null,
      raw,
      start,
      end: start + raw.length,
      isQuoted: true,
      syntax: 0.95,
      isComment: isComment(beginningOfLine(text, match.index)),
      asserted: "password",
      userName,
      host: host === "" ? null : host.replace(/:\d+$/, ""),
    };
  });
}
