// Values that span lines or depend on the document: Kubernetes Secrets, YAML blocks, cloud-init's chpasswd, Basic authentication.
import type { Candidate } from "./candidate.ts";
import { judgeKey } from "./key-name.ts";
import type { Format } from "./format.ts";

export function readBlocks(text: string, format: Format): Candidate[] {
  const found = [...readBasic(text), ...readLdif(text), ...readInlineLogin(text)];
  if (format === "json") found.push(...readTypedValues(text));
  if (format === "hcl" || format === "yaml" || format === "json") found.push(...readDeclared(text));
  if (format === "yaml") found.push(...readKubernetes(text), ...readBlockScalars(text), ...readChpasswd(text));
  // A script that writes a file for cloud-init.
  if (format === "shell") found.push(...readChpasswd(text));
  return found;
}

const SECRET_DOCUMENT = /^kind:\s*["']?Secret["']?\s*$/m;
const DATA =
  /^(?<indent> *)(?<map>data|stringData):[ \t]*\n(?<body>(?:\k<indent>[ \t]+[^\n]*(?:\n|$)|[ \t]*(?:#[^\n]*)?\n)+)/gm;
const ENTRY =
  /^[ \t]+["']?(?<key>[\w.-]+)["']?:[ \t]*(?<quote>["']?)(?<value>[^\n"'|>#\s][^\n]*?)\k<quote>[ \t]*(?:#[^\n]*)?$/gm;
/** Entries of Secrets that identify rather than authenticate. */
const PUBLIC_ENTRY =
  /^(?:user(?:name)?|login|host(?:name)?|port|db(?:name)?|database|url|endpoint|region|bucket|email|ca\.crt|tls\.crt|namespace|type|name|mode|env(?:ironment)?|debug|level)$|(?:^|[_.-])(?:user|username|host|port|database|db|name|region|email)$/i;

/** A Kubernetes Secret: `data` in base64, `stringData` as text. Every entry that is not an identifier counts. */
function readKubernetes(text: string): Candidate[] {
  if (!SECRET_DOCUMENT.test(text)) return [];
  const found: Candidate[] = [];
  for (const map of text.matchAll(DATA)) {
    const { body = "", map: kind } = map.groups ?? {};
    const documentStart = text.lastIndexOf("\n---", map.index);
    const documentEnd = text.indexOf("\n---", map.index);
    if (!SECRET_DOCUMENT.test(text.slice(Math.max(0, documentStart), documentEnd === -1 ? text.length : documentEnd)))
      continue;
    const base = map.index + map[0].length - body.length;
    for (const entry of body.matchAll(ENTRY)) {
      const { key = "", value = "" } = entry.groups ?? {};
      if (PUBLIC_ENTRY.test(key)) continue;
      const start = base + entry.index + entry[0].indexOf(value, entry[0].indexOf(":"));
      const decoded = kind === "data" ? fromBase64(value) : value;
      if (decoded === null || /^-----BEGIN|^\s*[{[]/.test(decoded)) continue;
      found.push({
        detector: "kubernetes-secret",
        keyName: key,
        raw: value,
        start,
        end: start + value.length,
        isQuoted: true,
        syntax: 0.95,
        asserted: judgeKey(key)?.kind === "password" ? "password" : "api_token",
        decoded,
        encoding: kind === "data" ? "base64" : "plain",
      });
    }
  }
  return found;
}

/** The text, or null when it is no base64 of printable UTF-8. */
function fromBase64(value: string): string | null {
  if (!/^[A-Za-z\d+/_-]{4,}={0,2}$/.test(value) || value.replace(/=+$/, "").length % 4 === 1) return null;
  const text = Buffer.from(value, "base64").toString("utf8");
  return /[\ufffd\p{Cc}]/u.test(text.replace(/[\r\n]+$/, "")) ? null : text.replace(/[\r\n]+$/, "");
}

const SCALAR =
  /^([ \t]*)(?:- )?["']?([\w.-]*(?:pass|pwd|secret|token|key)[\w.-]*)["']?:[ \t]*[|>][+-]?\d?[ \t]*\n([ \t]+)(\S[^\n]*)(?:\n(?!\3)|\n*$(?![\s\S]))/gim;

/** `password: |` with one line below. */
function readBlockScalars(text: string): Candidate[] {
  return [...text.matchAll(SCALAR)].flatMap((match) => {
    const [whole, indent = "", keyName = "", inner = "", value = ""] = match;
    if (inner.length <= indent.length || value.startsWith("-----")) return [];
    const raw = value.trimEnd();
    const start = match.index + whole.indexOf(value, whole.indexOf("\n"));
    return [{ detector: "assignment", keyName, raw, start, end: start + raw.length, isQuoted: true, syntax: 0.95 }];
  });
}

const CHPASSWD =
  /^[ \t]*(?:chpasswd:[ \t]*\n(?:[ \t]+[^\n]*\n){0,4}?)?[ \t]*list:[ \t]*(?:\|[+-]?)?[ \t]*\n((?:[ \t]+[^\n]+\n?){1,50})/gm;

/** cloud-init: `chpasswd` has `user:password` lines. */
function readChpasswd(text: string): Candidate[] {
  if (!/^\s*chpasswd:/m.test(text)) return [];
  return [...text.matchAll(CHPASSWD)].flatMap((block) => {
    const base = block.index + block[0].length - block[1]!.length;
    return [
      ...block[1]!.matchAll(/^[ \t]+(?:- )?["']?([\w.-]{1,32}):[ ]?(?!R(?:ANDOM)?\s)([^\s"']{3,128})["']?[ \t]*$/gm),
    ].map((line) => {
      const raw = line[2]!;
      const start = base + line.index + line[0].lastIndexOf(raw);
      return {
        detector: "file-format",
        keyName: "chpasswd",
        raw,
        start,
        end: start + raw.length,
        isQuoted: false,
        syntax: 0.95,
        asserted: "password" as const,
        userName: line[1]!,
      };
    });
  });
}

const BASIC =
  /(?:\bBasic[ \t]+|"auth"[ \t]*:[ \t]*"|\b_auth[ \t]*=[ \t]*"?)([A-Za-z\d+/]{8,512}={0,2})(?![A-Za-z\d+/=])/g;

/** `Authorization: Basic …`, Docker's `"auth"` and npm's `_auth`: base64 of `user:password`. */
function readBasic(text: string): Candidate[] {
  if (!text.includes("Basic ") && !text.includes("auth")) return [];
  return [...text.matchAll(BASIC)].flatMap((match) => {
    const raw = match[1]!;
    const decoded = fromBase64(raw);
    const colon = decoded?.indexOf(":") ?? -1;
    if (decoded === null || colon < 1 || /\s/.test(decoded)) return [];
    const start = match.index + match[0].length - raw.length;
    return [
      {
        detector: "basic-authentication",
        keyName: null,
        raw,
        start,
        end: start + raw.length,
        isQuoted: true,
        syntax: 0.95,
        asserted: "password" as const,
        decoded: decoded.slice(colon + 1),
        encoding: "base64" as const,
        userName: decoded.slice(0, colon),
      },
    ];
  });
}

const DECLARED =
  /(?:\bvariable[ \t]+"([\w-]{1,80})"[ \t]*\{|^[ \t]*"?([A-Za-z]{0,40}(?:[Pp]assword|[Ss]ecret|[Tt]oken|[Pp]asswd))"?:[ \t]*\{?[ \t]*$)([^{}]{0,400}?)\b[Dd]efault"?[ \t]*[=:][ \t]*(?:"([^"\n]{1,256})"|'([^'\n]{1,256})'|([^\s"'{}[\],#][^\n,#]{0,200}))/gm;

const TYPED =
  /"type"\s{0,20}:\s{0,20}"(?:password"\s{0,20},\s{0,80}"value|random_password"[^\0]{0,2000}?"result)"\s{0,20}:\s{0,20}"([^"\n]{4,256})"/g;

/** Keycloak: `"type": "password", "value": "x"`; and passwords that Terraform generated. */
const readTypedValues = (text: string): Candidate[] =>
  [...text.matchAll(TYPED)].map((match) => {
    const raw = match[1]!;
    const start = match.index + match[0].length - 1 - raw.length;
    return {
      detector: "named-value",
      keyName: "password",
      raw,
      start,
      end: start + raw.length,
      isQuoted: true,
      syntax: 0.95,
    };
  });

/** Variables of Terraform and parameters of CloudFormation with a default value. */
function readDeclared(text: string): Candidate[] {
  if (!/\bdefault\b/i.test(text)) return [];
  return [...text.matchAll(DECLARED)].flatMap((match) => {
    const keyName = match[1] ?? match[2] ?? "";
    const raw = (match[4] ?? match[5] ?? match[6] ?? "").trimEnd();
    const indent = /^[ \t]*/.exec(match[0])![0].length;
    // In YAML and JSON, the default belongs to the parameter only if no other key of its level lies between.
    if (match[1] === undefined && new RegExp(`\\n {0,${indent}}\\S`).test(match[3] ?? "")) return [];
    if (match[6] !== undefined && match[1] !== undefined) return [];
    const start = match.index + match[0].lastIndexOf(raw);
    return [
      {
        detector: "assignment",
        keyName,
        raw,
        start,
        end: start + raw.length,
        isQuoted: match[6] === undefined,
        syntax: 0.9,
      },
    ];
  });
}

/** LDIF: two colons announce base64. */
function readLdif(text: string): Candidate[] {
  if (!text.includes(":: ")) return [];
  return [...text.matchAll(/^(\w*(?:[Pp]assword|RootPW|[Ss]ecret))::[ ]+([A-Za-z\d+/]{4,512}={0,2})$/gm)].flatMap(
    (match) => {
      const raw = match[2]!;
      const decoded = fromBase64(raw);
      const start = match.index + match[0].length - raw.length;
      return decoded === null
        ? []
        : [
            {
              detector: "assignment",
              keyName: match[1]!,
              raw,
              start,
              end: start + raw.length,
              isQuoted: true,
              syntax: 0.95,
              decoded,
              encoding: "base64" as const,
            },
          ];
    },
  );
}

/** OpenVPN: user and password between `<auth-user-pass>` tags. */
function readInlineLogin(text: string): Candidate[] {
  if (!text.includes("<auth-user-pass>")) return [];
  return [...text.matchAll(/<auth-user-pass>\s*\n([^\n]{1,128})\n([^\s<][^\n]{0,128})\n<\/auth-user-pass>/g)].map(
    (match) => {
      const raw = match[2]!.trimEnd();
      const start = match.index + match[0].lastIndexOf(`\n${raw}`) + 1;
      return {
        detector: "file-format",
        keyName: "auth-user-pass",
        raw,
        start,
        end: start + raw.length,
        isQuoted: true,
        syntax: 0.95,
        asserted: "password" as const,
        userName: match[1]!.trim(),
      };
    },
  );
}
