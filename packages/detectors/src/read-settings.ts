// Finds secrets by their value, their parent or a user name beside them, where the name of the setting is not enough.
import type { Candidate } from "./candidate.ts";
import type { FileKind } from "./file-kind.ts";
import type { DetectorClass } from "./finding.ts";
import type { Format } from "./format.ts";
import { generatedKindOf } from "./generated.ts";
import { isDigest } from "./hashes.ts";
import { judgeKey, wordsOf } from "./key-name.ts";
import { PUBLIC_NAME } from "./read-collections.ts";
import { isPasswordLike } from "./password-like.ts";
import { hasUserBeside, parentOf, settingsIn } from "./settings.ts";
import type { Setting } from "./settings.ts";
import { judgeValue } from "./value.ts";

/** Larger files are data. */
const LARGEST = 256_000;

/** Names of parts of a secret, which their parent names: `password: {value: x}`, `[token] current = x`. */
const PART =
  /^(?:value|val|v|string|str|text|plain_?text|plain|clear_?text|key|data|content|literal|raw|current|previous|next|old|new|default|primary|secondary|main|inbox|outbox|session|material)$/i;
/** Names that say a secret only beside a user name or together with a random value. */
const WEAK_NAME =
  /(?:^|[._-])(?:code|pin|phrase|key|auth|authentication|enable|value|credentials?|answer|p|pw|licen[sc]e_?(?:number|key)?)$|[a-z](?:Code|Pin|Phrase|Auth|LicenseNumber)$/;
/** Maps from users to passwords. */
const USERS = /(?:^|[._-])(?:users|accounts|logins)$|[a-z](?:Users|Accounts|Logins)$/;
const AUTH_NAME = /(?:^|[._-])(?:auth|phrase|authentication)$/i;
const LOGIN_NAME =
  /(?:^|[._-])(?:auth\w*|log[io]n|credentials?|user_?pass|user_?pw|basic(?:_?auth)?|proxy|users?|account|user[._]?info)$|[a-z](?:Auth|Login|Credentials|Authentication|UserPwd)$|\w(?:_AUTH|_LOGIN|_CREDENTIALS)$/;
const LOGIN = /^([A-Za-z][\w.@\\-]{0,63})::?([^\s:@/,]{4,64})$/;
/** Words for things that are random and public: anywhere in a name, and as its last word. */
const PUBLIC_WORDS = new Set(
  "secure encrypted sealed wrapped public pubkey publickey pub cert certificate certs fingerprint thumbprint checksum digest sha sha1 sha256 sha384 sha512 md5 spki trace pinned pin commit revision etag integrity jwk jwks nkey resolved gpg pgp".split(
    " ",
  ),
);
const PUBLIC_LAST_WORDS = new Set(
  "username user login id ids uuid guid sid kid ca chain sum checksums hash hashes digests fingerprints rev serial nonce iv image img logo icon body html css font path file filename url uri name title version build tag ref label class type kty crv x y n e t d modulus exponent cursor host hostname address bucket dn mac ssid format pattern regex charset alphabet mask locale zone signed module package dependency query select sql comment description text message subject sitekey alias drive".split(
    " ",
  ),
);
const isPublic = (name: string): boolean => {
  const words = wordsOf(name);
  const last = words.at(-1) ?? "";
  if (/^cookie|^session|^password/.test(words.at(-2) ?? "") && last === "hash") return false;
  return (
    words.some((word) => PUBLIC_WORDS.has(word) || word.startsWith("encrypted")) ||
    (PUBLIC_LAST_WORDS.has(last) && !(last === "id" && words.at(-2) === "unique")) ||
    (last === "key" && words.at(-2) === "site")
  );
};
/** Names of settings in which a random value in hexadecimal is rather a key than a checksum or an id. */
const SECURITY =
  /cookie|crypt|cipher|sign|session|csrf|xsrf|hmac|secur|auth|login|cluster|shared|seed|hash_?(?:path|key|salt)|private|master|activation|registration|enrol|join|gossip|unique_?id|uniqueid|(?:^|[._-])s[02]_|account|unlock|material|key/i;

interface Around {
  format: Format;
  kind: FileKind;
}

export function readSettings(text: string, { format, kind }: Around): Candidate[] {
  if (text.length > LARGEST || kind.isGenerated || kind.isSample || kind.isTranslation) return [];
  if (format === "sql" || format === "text" || format === "shell" || (format === "code" && !kind.isSettings)) return [];
  // Another reader knows which entries of a Secret of Kubernetes are secret.
  if (format === "yaml" && /^kind:[ \t]*["']?Secret\b/m.test(text)) return [];
  return settingsIn(text, format).flatMap((setting) => readOne(text, named(text, setting), format) ?? []);
}

function readOne(text: string, setting: Setting, format: Format): Candidate | null {
  const { name, value, isDirective } = setting;
  // `checksum/secret: …` is an annotation of Kubernetes.
  if (text.endsWith("checksum/", setting.at)) return null;
  // A record of several fields.
  if (/^(?:[^\s:]*:){3}/.test(value)) return null;
  const key = judgeKey(name);
  const generated = generatedKindOf(value);
  const isPassword = isPasswordLike(value);
  if (key !== null && key.strength > 0.6)
    return generated === null &&
      (key.strength < 0.9 || judgeValue(value).kind !== "uuid") &&
      (!isPassword || isDirective)
      ? null
      : candidate(setting, "assignment", { syntax: 0.9 });
  if (/^hash$/i.test(name) && isDigest(value) && hasSaltBeside(text, setting))
    return candidate(setting, "password-hash", { syntax: 0.7, asserted: "password_hash" });
  const login = isDirective && !/auth/i.test(name) ? null : loginIn(name, value);
  if (login !== null)
    return candidate({ ...setting, start: setting.end - login.password.length, value: login.password }, "login-pair", {
      asserted: "password",
      userName: login.user,
    });
  if (PART.test(name) && !isDirective) {
    const parent = parentOf(text, setting.at, format);
    const judged = parent === null || parent === name ? null : judgeKey(parent);
    if (
      judged !== null &&
      judged.strength >= 0.6 &&
      (isPassword || generated !== null || /^(?:value|string|text|plain)/i.test(name))
    )
      return judged.strength > 0.65
        ? candidate({ ...setting, name: parent! }, "assignment", { syntax: 0.85 })
        : isPassword
          ? candidate({ ...setting, name: parent! }, "secret-section", { syntax: 0.7, asserted: "password" })
          : null;
  }
  if (
    isPassword &&
    !isDirective &&
    !PUBLIC_NAME.test(name) &&
    !isPublic(name) &&
    isMapOfUsers(parentOf(text, setting.at, format), format)
  )
    return candidate(setting, "secret-section", { syntax: 0.65, asserted: "password", userName: name });
  // `"RegisteredUsers": {"admin": "admin"}`.
  if (name === value && value.length >= 4 && !isDirective && USERS.test(parentOf(text, setting.at, format) ?? ""))
    return candidate(setting, "file-format", { syntax: 0.65, asserted: "password", userName: name });
  if (WEAK_NAME.test(name) && !name.includes(" ") && isPassword && hasUserBeside(text, setting))
    return candidate(setting, "beside-user", { syntax: 0.7, asserted: generated === null ? "password" : "api_token" });
  if (
    AUTH_NAME.test(name) &&
    value.length >= 10 &&
    isPassword &&
    /^(?=.*\d)(?=.*[a-z])(?=.*[A-Z])/.test(value) &&
    judgeValue(value).randomness > 0.7
  )
    return candidate(setting, "generated-value", { syntax: 0.6, asserted: "password" });
  const parent = parentOf(text, setting.at, format) ?? "";
  // Ids of templates by their names.
  if (/template|_ids?$|Ids?$/i.test(parent) || name === "user_data") return null;
  if (generated === null || isPublic(name) || generatedKindOf(name) === "hex" || !isToken(value)) return null;
  if (isDirective && !SECURITY.test(name)) return null;
  if (generated === "hex" || generated === "base32") {
    if (
      !SECURITY.test(name) ||
      /signature$/i.test(name) ||
      (value.length === 40 && !/crypt|cipher|secur|csrf|cookie|session/i.test(name))
    )
      return null;
  }
  // A value that SOPS encrypted: `ENC[AES256_GCM,data:…]`.
  if (/\bENC\[\w{1,20},[^\]\n]*$/.test(text.slice(Math.max(0, setting.at - 400), setting.at))) return null;
  return candidate(setting, "generated-value", { syntax: 0.6, asserted: "api_token" });
}

const isMapOfUsers = (parent: string | null, format: Format): boolean =>
  parent !== null && (USERS.test(parent) || (format === "assignments" && /^(?:auth|logins?|htpasswd)$/i.test(parent)));

const hasSaltBeside = (text: string, { at, end }: Setting): boolean =>
  /(?:^|[\s"'<])salt["']?[ \t]*[=:>]/i.test(text.slice(Math.max(0, at - 160), end + 160));

/** `auth = user:password`, and `NEO4J_AUTH=user/password`. */
function loginIn(name: string, value: string): { user: string; password: string } | null {
  if (!LOGIN_NAME.test(name)) return null;
  const match = LOGIN.exec(value) ?? (/auth$/i.test(name) ? /^([A-Za-z]\w{1,31})\/([^\s/]{4,64})$/.exec(value) : null);
  const [, user = "", password = ""] = match ?? [];
  const { kind } = judgeValue(password);
  if (!(kind === "secret" || (kind === "weak" && /auth$/i.test(name))) || !/[A-Za-z]/.test(password)) return null;
  if (!/\d|[^\w./-]/.test(password)) return null;
  if (
    /^[\w-]+(?:\.[\w-]+)+$/.test(password) ||
    /^(?:https?|tcp|udp|file|env|vault|unix|basic|bearer|ldaps?|socks\d?)$/i.test(user)
  )
    return null;
  return { user, password };
}

/** In `name="code" value="x"`, the first value is the name. */
function named(text: string, setting: Setting): Setting {
  if (!/^value$/i.test(setting.name)) return setting;
  const before = text.slice(Math.max(0, setting.at - 140), setting.at);
  const name = /\b(?:name|key)["']?[ \t]*[=:][ \t]*["']?([\w.-]{1,60})["']?[^<>{}]{0,80}$/i.exec(before)?.[1];
  return name === undefined ? setting : { ...setting, name };
}

function candidate(
  { name, value, start, end }: Setting,
  detector: string,
  more: { syntax?: number; asserted?: DetectorClass; userName?: string },
): Candidate {
  return { detector, keyName: name, raw: value, start, end, isQuoted: true, syntax: 0.85, ...more };
}

/** Prefixes of public keys, certificates and checksums. */
const isToken = (value: string): boolean =>
  !/^(?:MI[IG]|MC[ow]w|AAA|ssh-|sha\d{1,3}[-:]|h1:|pk_|6L[a-z]|UA-|G-|iVBOR|R0lGOD|PHN2Zy|eyJ)/i.test(value) &&
  judgeValue(value).kind === "secret";
