// Entries whose names say nothing but whose place does: a file named secrets.yaml, `[admins]`, and `secrets:` with entries below.
import type { Candidate, Line } from "./candidate.ts";
import type { Format } from "./format.ts";
import { generatedKindOf } from "./generated.ts";
import { isPasswordLike } from "./password-like.ts";

const SECRET_FILE = /(?:^|[/._-])secrets?(?:[._-]\w{1,20})?\.(?:ya?ml|toml|ini|conf|cfg|properties|env)$/i;
const SECTION =
  /^\[(?<name>admins|passwords|secrets|credentials|tokens|api[_-]?keys)\][ \t]*\n(?<body>(?:(?!\[)[^\n]*\n?)*)/gim;
const MAP =
  /^(?<indent>[ ]*)["']?(?<name>passwords|secrets|tokens|api[_-]?keys)["']?:[ \t]*\n(?<body>(?:\k<indent>[ ]+[^\n]*(?:\n|$))+)/gim;
const JSON_MAP = /"(?<name>passwords|secrets|tokens|api_?keys)"[ \t]*:[ \t]*\{(?<body>[^{}]{0,4000})\}/gi;
const JSON_ENTRY = /"(?<key>[\w.-]{1,80})"[ \t]*:[ \t]*(?<quote>")(?<value>[^\s"{}$&*!][^\n"]*)\k<quote>/g;
const ENTRY =
  /^[ \t]*["']?(?<key>[\w.-]{1,80})["']?[ \t]*[:=][ \t]*(?<quote>["']?)(?<value>[^\s"'{}[\]|>$&*!][^\n"']*?)\k<quote>[ \t]*(?:#[^\n]*)?$/gm;
/** Entries that identify, locate or configure. */
export const PUBLIC_NAME =
  /(?:^|[_.-])(?:user(?:name)?|login|host(?:name)?|server|broker|address|port|db|name|database|url|uri|endpoint|region|bucket|email|e?mail|namespace|type|id|uuid|path|file|ssid|alias|ttl|version|engine|public|fingerprint|checksum|sha\d*|digest|crt|cert|certificate|pem)$/i;

/** `[users]` with `name = password, role`. */
const USERS = /^\[users\][ \t]*\n(?<body>(?:(?!\[)[^\n]*\n?)*)/gim;
const USER =
  /^[ \t]*(?<key>[\w.@-]{1,64})[ \t]*=[ \t]*(?<quote>["']?)(?<value>(?=[^\s,]*\d)(?=[^\s,]*[A-Za-z])[^\s,"'{}[\]|>$&*!][^\s,"']{5,127})\k<quote>(?:[ \t]*,[^\n]*)?[ \t]*$/gm;
const USER_WITH_WORD =
  /^[ \t]*(?<key>[\w.@-]{1,64})[ \t]*=[ \t]*(?<quote>)(?<value>[a-z]{8,40}|[a-z]+(?:-[a-z\d]+){2,6})[ \t]*$/gm;
/** A literal with secrets in a program: `API_TOKENS = {"agent": "x"}`, `'passwords' => ['bob' => 'x']`. */
const LITERAL =
  /(?<name>passwords|secrets|tokens|api_?keys)["']?\]?[ \t]*(?:=>|:=|=|:)[ \t]*(?:(?:map\[string\]string|dict|array|new \w+)[ \t]*)?[({[][ \t]*$/i;
const LITERAL_ENTRY =
  /["']?(?<key>[\w.@-]{1,80})["']?[ \t]*(?:=>|:|=)[ \t]*(?<quote>["'])(?<value>[^\s"'{}$&*!][^\n"']*)\k<quote>/g;

/** The entries of the literal that starts at the end of the line. */
export function readLiterals({ text, base, file, format }: Line): Candidate[] {
  const name = format === "code" ? LITERAL.exec(text)?.groups?.["name"] : undefined;
  if (name === undefined) return [];
  const start = base + text.length;
  const body = /^[^()[\]{}]{0,4000}/.exec(file.slice(start, start + 4000))?.[0] ?? "";
  return entriesOf(body, start, /^passwords$/i.test(name) ? "password" : "api_token", LITERAL_ENTRY).filter(({ raw }) =>
    /\d/.test(raw),
  );
}

/** A list of secrets: `tokens = ["x", "y"]`; the match starts within the name. */
const LIST =
  /(?:passwords|passwds|secrets|tokens|keys|keyring|communities|passphrases|pass\w{0,8}(?:sha\d{0,3}|hash(?:es)?))(?:_(?:b64|base64|hex))?["']?\]?[ \t]{0,40}(?:=>|:=|=|:)[ \t]{0,40}(?:array[ \t]*)?[[({]\s*(?<body>(?:b?(?:"[^"\n]{4,200}"|'[^'\n]{4,200}')(?:[\s,]|[#;][^\n]{0,200}\n){0,200}){1,50})[\])}]/gi;
/** The same in YAML, with one entry in each line. */
const YAML_LIST =
  /(?:passwords|passwds|secrets|tokens|keys|keyring|communities|passphrases|auth|authentication|logins|credentials)["']?:[ \t]*\n(?<body>(?:[ ]*-[ ]+["']?[^\s"'#{}[\]&*!|>]{4,200}["']?[ \t]*(?:\n|$))+)/gi;
/** A map in one literal: `PASSWORDS = {"bob": "x", "ada": "y"}`. */
const MAP_LITERAL =
  /(?:Auth\w{0,20}\(|(?:passwords|secrets|tokens|keys|users|accounts|logins)["']?\]?[ \t]{0,40}(?:=>|:=|=|:))[ \t]{0,40}(?:dict|array|map\[string\]string)?[ \t]*[[({]\s*(?<body>(?:["']?[\w.@-]{1,64}["']?\s{0,20}(?:=>|:|=)\s{0,20}(?:"[^"\n]{4,200}"|'[^'\n]{4,200}')\s*,?\s*){1,50})[\])}]/gi;
const ITEM = /(?<=["' -])[^\s"']{4,200}(?=["'\s]|$)/g;

/** Each item of a list is judged by the list's name. */
export function readLists(text: string, format: Format): Candidate[] {
  return (format === "yaml" ? [LIST, YAML_LIST] : [LIST]).flatMap((pattern) =>
    [...text.matchAll(pattern)].flatMap((match) => {
      const body = match.groups?.["body"] ?? "";
      const base = match.index + match[0].lastIndexOf(body);
      const first = /[\w.-]*$/.exec(text.slice(Math.max(0, match.index - 60), match.index))![0];
      const keyName = first + /^\w+/.exec(match[0])![0];
      return [...body.matchAll(ITEM)].flatMap((item) => {
        // Items such as `user:password` and `role:token`.
        const name = /^[\w.@,-]{1,64}:(?!\/\/)/.exec(item[0])?.[0] ?? "";
        const raw = item[0].slice(name.length);
        const start = base + item.index + name.length;
        if (!isListed(raw)) return [];
        const found = { keyName, raw, start, end: start + raw.length, isQuoted: true };
        return [
          name === ""
            ? /keyring$|^(?:unseal|recovery)_?keys/i.test(keyName)
              ? { ...found, detector: "secret-section", syntax: 0.7, asserted: "api_token" }
              : { ...found, detector: "assignment", syntax: 0.85 }
            : { ...found, detector: "login-pair", syntax: 0.7, asserted: "password", userName: name.slice(0, -1) },
        ];
      });
    }),
  );
}

export function readMaps(text: string): Candidate[] {
  return [...text.matchAll(MAP_LITERAL)].flatMap((match) => {
    const body = match.groups?.["body"] ?? "";
    const base = match.index + match[0].lastIndexOf(body);
    const entries = entriesOf(body, base, "password", LITERAL_ENTRY);
    // Words are passwords where other entries are.
    const isSure = entries.some(({ raw }) => isListed(raw));
    return entries.flatMap((entry) =>
      isListed(entry.raw) || (isSure && /^[a-z]{8,40}$/.test(entry.raw))
        ? [{ ...entry, syntax: 0.75, userName: entry.keyName }]
        : [],
    );
  });
}

const isListed = (value: string): boolean => isPasswordLike(value) || generatedKindOf(value) !== null;

export function readCollections(path: string, text: string, format: Format): Candidate[] {
  if (format !== "yaml" && format !== "assignments" && format !== "toml" && format !== "json") return [];
  // In manifests of Kubernetes, only the data of Secrets is secret.
  if (SECRET_FILE.test(path)) return /^apiVersion:/m.test(text) ? [] : entriesOf(text, 0, "api_token", ENTRY);
  const groups = format === "json" ? JSON_MAP : format === "yaml" ? MAP : SECTION;
  const users = format === "assignments" ? [...text.matchAll(USERS)] : [];
  const ofUsers = users.flatMap((match) => {
    const { body = "" } = match.groups ?? {};
    const base = match.index + match[0].length - body.length;
    const found = entriesOf(body, base, "password", USER);
    // Words are passwords where other users have some.
    return found.length === 0 ? [] : [...found, ...entriesOf(body, base, "password", USER_WITH_WORD)];
  });
  const entry = format === "json" ? JSON_ENTRY : ENTRY;
  const ofGroups = [...text.matchAll(groups)].flatMap((match) => {
    const { name = "", body = "" } = match.groups ?? {};
    const base = match.index + match[0].length - body.length;
    return entriesOf(body, base, /^(?:admins|passwords)$/i.test(name) ? "password" : "api_token", entry);
  });
  return [...ofUsers, ...ofGroups];
}

function entriesOf(body: string, base: number, asserted: "password" | "api_token", entry: RegExp): Candidate[] {
  return [...body.matchAll(entry)].flatMap((match) => {
    const { key = "", value = "" } = match.groups ?? {};
    if (PUBLIC_NAME.test(key) || value.length < 8 || /\s|^[./~]|:\/\/|^\d{4}-\d\d-\d\d/.test(value)) return [];
    const start = base + match.index + match[0].indexOf(value, match[0].search(/[:=]/) + 1);
    return [
      {
        detector: "secret-section",
        keyName: key,
        raw: value,
        start,
        end: start + value.length,
        isQuoted: true,
        syntax: 0.85,
        asserted,
      },
    ];
  });
}
