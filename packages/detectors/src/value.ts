// Classifies a value by its text alone: a secret, a well-known weak one, a hash, or none of them.
import { isWeak } from "./weak-values.ts";
import { isHash } from "./hashes.ts";

type ValueKind =
  | "secret"
  | "weak"
  | "hash"
  | "empty"
  | "placeholder"
  | "reference"
  | "encrypted"
  | "path"
  | "url"
  | "number"
  | "keyword"
  | "identifier"
  | "prose"
  | "uuid";

export interface ValueVerdict {
  kind: ValueKind;
  /** From 0 (words) to 1 (random). */
  randomness: number;
}

/** Values beyond this length are judged by their beginning. */
const LONGEST = 4096;

export function judgeValue(given: string): ValueVerdict {
  // `\u00fc` of properties is a letter.
  const value = (given.length > LONGEST ? given.slice(0, LONGEST) : given).replace(/\\u[\da-f]{4}/gi, "e");
  const kind = kindOf(value);
  return { kind, randomness: kind === "secret" || kind === "hash" ? randomnessOf(value) : 0 };
}

function kindOf(value: string): ValueKind {
  if (value.trim() === "") return "empty";
  if (KEYWORDS.has(value.toLowerCase()) || ALGORITHM.test(value) || FINGERPRINT.test(value)) return "keyword";
  if (MEDIA_TYPE.test(value)) return "keyword";
  if (/^\$\(\w+ /.test(value)) return "reference";
  if (COMMAND_LINE.test(value)) return "reference";
  // An attribute of LDAP.
  if (value === "userPassword") return "keyword";
  // Random characters can contain the syntax of a variable, a template or a path.
  if (isNoise(value)) return "secret";
  if (isReference(value)) return "reference";
  if (isEncrypted(value)) return "encrypted";
  if (UPPER_CASE.test(value)) return "placeholder";
  // `my-secret-pw` is a password, `my-password-here` stands for one.
  if (isWeak(value) || MADE_UP.test(value)) return "weak";
  if (isPlaceholder(value)) return "placeholder";
  if (isHash(value)) return "hash";
  // Below these folders, even a random name is the name of a file.
  if (/^\/(?:var|etc|opt|usr|home|srv|root|run|data)\/(?:[\w.@%+-]+\/)*[\w@%+-]+\.[a-z]{2,10}$/.test(value))
    return "path";
  if (isPath(value) && !(value.length >= 20 && randomnessOf(value) > 0.78)) return "path";
  if (/^[a-z][a-z\d+.-]*:\/\/[^\s]*$/i.test(value)) return "url";
  if (UUID.test(value)) return "uuid";
  if (
    /^[+-]?\d+(?:\.\d+)?$|^(?:19|20)\d\d-\d\d(?:-\d\d)?$|^\d+(?::\d+)+$|^\w=\d+$|^\d{1,3}(?:\.\d{1,3}){3}(?:\/\d{1,2}|:\d+)?$/.test(
      value,
    )
  )
    return "number";
  if (/^[\^~><=v]{0,2}\d+\.\d+(?:\.\d+)?(?:[-+][\w.]{1,30})?$/.test(value)) return "number";
  if (/^\d{1,6}(?:ms|s|m|h|d|w|y|kb|mb|gb|k|px|%)$/i.test(value)) return "number";
  if (isProse(value)) return "prose";
  if (isIdentifier(value)) return "identifier";
  return "secret";
}

/** Such as the salts of WordPress: all kinds of characters, with many different symbols and no word. */
export const isNoise = (value: string): boolean =>
  value.length >= 32 &&
  /^(?=.*\d)(?=.*[a-z].*[a-z])(?=.*[A-Z].*[A-Z])[ -~]+$/.test(value) &&
  !/a-z|A-Z|0-9/.test(value) &&
  new Set(value.replace(/[A-Za-z\d/.:_=&?-]/g, "")).size >= (value.length < 48 ? 6 : value.length === 64 ? 3 : 5) &&
  randomnessOf(value) > 0.6;

/** `CHANGE_ME` stands for a value, `changeme` can be one. */
const UPPER_CASE =
  /^(?:CHANGE[-_ ]?(?:ME|THIS|IT)|USER(?:NAME)?|PASS(?:WORD|WD|PHRASE)?|SECRET|TOKEN|KEY|API_?KEY|[A-Z]+_(?:PASSWORT|KENNWORT|WACHTWOORD|CONTRASENA|HASLO|HESLO|SENHA))$/;
const MADE_UP = /^my[-_]?(?:(?:super|very)[-_]?)?(?:secret|jwt)[-_]?(?:token|key|pass|pw)?$/i;

/** `alias newpw='openssl rand -base64 18'`. */
const COMMAND_LINE =
  /^(?:openssl|pwgen|apg|gpg2?|cryptsetup|vault|aws|gcloud|kubectl|secret-tool|docker) (?:-|[a-z]+[A-Za-z]* \S)/;

/** `HMAC-SHA256`, `RC4_HMAC_MD5`, `AES-256-CBC`. */
const ALGORITHM =
  /^(?:(?:X?HMAC|RSA|SHA|AES|RC4|MD5|ECDSA|ECDH|DES|PBE|PBKDF2|CMAC|GCM|CBC|ED|HS|RS|ES|PS|OAEP|PKCS|WITH|SSHA|SCRAM|TLS|KW|WRAP)\d*[-_/]?)+(?:\d{1,4}(?:[-_](?:CBC|GCM|CTR|ECB|SHA\d*))?)?$/i;
const MEDIA_TYPE = /^(?:application|audio|font|image|multipart|text|video)\/[\w.+-]+$/i;
/** `8e:12:5d:b0:47:fc`: fingerprints and hardware addresses. */
const FINGERPRINT = /^(?:SHA256:[\w+/]{43}=?|(?:MD5:)?[\da-f]{2}(?:[:-][\da-f]{2}){5,63})$/i;
const UUID = /^\{?[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}\}?(?::\w{1,4})?$/i;

/** Values of settings that are about secrets without being one: switches, types, methods, algorithms. */
const KEYWORDS = new Set(
  (
    "true false yes no on off y n t f 0 1 null nil none undefined nan void empty ~ - -- ... string str text char varchar nvarchar bytes buffer blob int integer number " +
    "boolean bool object array any unknown optional required mandatory always never auto automatic default-none disabled enabled allow deny reject prompt ask interactive " +
    "manual md5 sha1 sha-1 sha256 sha-256 sha512 sha-512 crypt bcrypt argon2 argon2id scrypt pbkdf2 scram scram-sha-256 scram-sha-1 plain plaintext cleartext login " +
    "cram-md5 digest-md5 ntlm gssapi kerberos peer ident trust cert ldap pam radius basic bearer digest oauth oauth2 oidc saml saml2 jwt jws hs256 hs384 hs512 rs256 rs384 rs512 es256 " +
    "es384 es512 eddsa ed25519 ed448 rsa dsa ecdsa aes des 3des aes-256-cbc aes-256-gcm aes-128-cbc aes128 aes256 mysql_native_password caching_sha2_password " +
    "sha256_password email username user file files env environment vault keyring keychain cookie header session memory redis database local remote self this public private protected internal static input output " +
    "function symbol bigint passphrase hashed encrypted nullable sometimes confirmed hidden visible show hide sensitive redacted masked removed unchanged keep inherit inherited same any all new old current mixed strong weak medium low high short long expired active inactive required-if-enabled on_create use-keyring " +
    "fortinetpasswordmask locked specialize oobesystem windowspe generalize auditsystem audituser offlineservicing try-first-pass use-first-pass sufficient requisite include substack form json xml yaml html base64 hex ascii utf-8 utf8 utf-16 utf16 latin1 forever session_token access_token refresh_token id_token token exop nds disable generate needed via"
  ).split(" "),
);

/** Variables, templates, function calls and pointers to another place. */
function isReference(value: string): boolean {
  const first = value[0]!;
  if (
    first === "$" &&
    (/^\$(?:[A-Za-z_]\w*|[({@].*|env:.+|::.+|\d)$/.test(value) || /^\$[A-Za-z_]\w*(?:->|::|\[|\.\w+\().*$/.test(value))
  )
    return true;
  if (/\$\{[^}]*\}|\{\{.*?\}\}|\$\([^)]*\)|<%.*%>|\{%.*%\}|#\{[^}]*\}|\[\[.*\]\]/.test(value)) return true;
  if (
    /^%[\w.-]+%$|^%[({][^)}]*[)}]s?$|^@[\w.-]+@$|^@@\w+@@\w?$|^__\w+__$|^\{\w*\}$|^:\w+$|^%\w?$|^%\w+$|^&&?\w+[;.]?$|^\*(?![\da-f]{40}$)[a-z]\w*$/i.test(
      value,
    )
  )
    return true;
  if (
    first === "!" &&
    /^!(?:vault|secret|env|env_var|ref|sub|getatt|importvalue|join|lookup|var|include|reference)\b/i.test(value)
  )
    return true;
  if (first === "`" || /^[A-Za-z_$][\w$.]*\((?:[^)]*["'].*|.*\)[;,]?)$/.test(value)) return true;
  if (/^exec:\/\S+(?: \S+)*$|^SECRET\[[\w.]+\]$|^(?:SHA[12]?|MD5|CONCAT|CRYPT|ENCRYPT)\(/.test(value)) return true;
  if (/^(?:required|nullable|sometimes)\|[\w|:,]+$/.test(value)) return true;
  if (/^%env\([^()]*\)%$|^@[\w.-]+\.(?:txt|json|pem|key)$|^\$[A-Za-z]\w*\$(?:\s|$)/.test(value)) return true;
  if (/^os\.environ\/|^[a-z_]+\([\w.@, ]*$/.test(value)) return true;
  if (/^\(&|^.{0,39}%[sdn](?:$|[\s)\\])|^\{[\w.]+(?:![rsa])?(?::\w+)?\}$/.test(value)) return true;
  if (
    /^(?:process\.env|os\.(?:environ|getenv)|environ|env|ENV|System\.(?:getenv|getProperty)|getenv|config|settings|Environment|import\.meta|Deno\.env|vars|var|local|data|module|each|self|inputs|secrets|params|props|this|parent|ctx|context|req|request|res|args|argv|opts|options|cfg|conf|app|ansible_\w+|hostvars|lookup|random_password\.\w+|aws_\w+\.\w+|azurerm_\w+\.\w+|google_\w+\.\w+|vault_\w+\.\w+|kubernetes_\w+\.\w+)(?:\.|\[|\(|->|::)[\w.[\]()'"*$>:-]*[\w\])'"]?$/.test(
      value,
    )
  )
    return true;
  if (
    /^(?:op|vault|ssm|secretsmanager|awssm|awsps|gcpsm|azurekeyvault|akv|doppler|infisical|bitwarden|bws|keepass|keyring|keychain|pass|gopass|sops|berglas|exec|ref\+\w+|secret|secretref|file|env|sm|aws-secretsmanager|gcp-sm|kv|strongroom|hash(?!:[\da-f]{32}$)|btree|lmdb|regexp|pcre|texthash|cdb|proxy|mysql|ldap|pgsql|cidr|conjur|cyberark|1password|lastpass|resolve:[\w-]+):(?:\/\/)?[\w/.#@${}[\]?&=:+-]+$/i.test(
      value,
    )
  )
    return true;
  if (/^\{\s*"[\w.-]+"\s*:|^\$[A-Z]+\d*\$$|^%[\w.]+%[/\\]|^\$__?\w+\{|^\$\$\{?[A-Za-z_]\w*\}?$/.test(value))
    return true;
  if (/^arn:aws[\w-]*:|^projects\/[^/]+\/secrets\/|^@Microsoft\.KeyVault\(|^\{\{?resolve:/.test(value)) return true;
  if (
    /^\$\w+[/\\.-]|^&[\w:.-]+$|%\{[^}]*\}|^\[[\w.]+\]::|^urn:|\[\^?[^\]]{0,40}(?:a-z|A-Z|0-9|\\w|\\d|\\s|\\-)/.test(
      value,
    )
  )
    return true;
  // A call such as `getPassword()`, or a member such as `user.password`.
  return (
    /^[A-Za-z_$][\w$]*(?:(?:\.|->|::)[A-Za-z_$][\w$]*)*\([^()]*\)$/.test(value) ||
    /^[a-z_$][\w$]*(?:(?:\.|->|::)[A-Za-z_$]\w*)*(?:\.|->|::)(?:\w*(?:pass|pwd|secret|token|key|value|text|auth|cred)\w*)$/i.test(
      value,
    )
  );
}

function isEncrypted(value: string): boolean {
  return (
    /^(?:(?:51:b:)?01000000D08C9DDF|MASK-|ENC[[(]|\{(?:cipher|aes|enc|encrypted|des|3des|rsa)\}|vault:v\d+:|AQICAH|\$ANSIBLE_VAULT|enc\\?:|encrypted:|crypt:(?![./\w]{13}$)|cipher:|sealed:|DEC::\w+\[|Ag[A-Z][A-Za-z\d+/]{60}|gAAAAA[\w-]{60}|U2FsdGVkX1|AES(?=[A-Za-z\d+/]{20,}==?$)|-----BEGIN PGP MESSAGE|age-encryption\.org|jasypt[:(]|\{\w+\}(?=[A-Za-z\d+/=]{16,}$)(?<!\{(?:S?SHA|S?MD5|SSHA\d+|SHA\d+|CRYPT|PBKDF2|PLAIN|noop|base64)\}))/i.test(
      value,
    ) || /^\{[A-Za-z\d+/]{8,}={0,2}\}$|^\$7\$[A-Za-z\d+/]{20,}={0,2}$/.test(value)
  );
}

const PLACEHOLDER_WORD =
  /(?:^|[^a-z])(?:your|my|the|some|insert|enter|put|replace|fill|fixme|todo|placeholder|example|sample|dummy|fake|xxx+|yyy+|redacted|masked|hidden|removed|omitted|change[-_ ]?(?:me|this|it)?[-_ ]?(?:to|with|in)|to[-_ ]be|tbd|tba|notset|not[-_ ]set|unset|undefined|here|aqui|aquí|ici)(?:$|[^a-z])/i;

function isPlaceholder(value: string): boolean {
  if (
    /^(?:new|old|current|your|my|the|some|any|db|user)[-_ ](?:user[-_ ]?)?(?:pass(?:word|wd|phrase)?|secret|token|pw|key)$/i.test(
      value,
    ) &&
    /^(?:new|old|current|your|some|any)/i.test(value)
  )
    return true;
  if (/^[^\p{L}\d]{1,3}$|^[^\p{L}\d]{9,}$/u.test(value)) return true;
  // Counted letters and digits, and phrases such as Portuguese `sua-chave-secreta`.
  if (
    /^(?:a1b2c3|1a2b3c)(?:d4|4d)|^(?:sua|seu|votre|dein|ihr|tu|su|uw|twoj)e?[-_](?:\p{L}+[-_]|contrase|senha|clave|pass|mot|kenn|token|secret|key|chave)/iu.test(
      value,
    )
  )
    return true;
  if (/^\d{1,5}\/(?:tcp|udp|sctp)$/.test(value)) return true;
  if (/^<[^<>]*>$|^<[\w-]+$|^\[[\w\s-]*\]$|^\{[\w\s./-]*\}$|^\([\w\s-]*\)$|^--?[a-z ]+--?$/.test(value)) return true;
  if (/^(?:ingrese|insira|digite|introduzca|inserisci|saisir|eingeben)[-_A-Z]/.test(value)) return true;
  if (/^#{2,}\w+#{2,}$|^[a-z]+(?:_[a-z]+)*_password_(?:from|for)_\w+$/i.test(value)) return true;
  if (/^(?:0123456789abcdef){2,}\d*$|_{4}|^dummy[-_A-Z]|^!changeme!$|^!\w{38,42}$|^123456:ABC-DEF1234/i.test(value))
    return true;
  if (/^(?:foo|bar|baz)$/i.test(value) || /^\.{3}|^\[REDACTED\]|^[a-z]+:$/.test(value)) return true;
  if (/^(.)\1{2,}$/.test(value) || /^[*x•.?#_=\s-]+$/i.test(value)) return true;
  if (/^\*{3,}|\*{3,}$|x{6,}$|^x{4,}|\.{3}$|…$/i.test(value)) return true;
  if (
    /^(?:your|my|the|some|insert|enter|replace|fill|put)[-_ ]?[a-z]/i.test(value) &&
    /(?:pass|pwd|secret|token|key|cred|value|here|pw)/i.test(value) &&
    !/\d{2}/.test(value) &&
    !isGenerated(value)
  )
    return true;
  if (
    /[a-z]/i.test(value) &&
    PLACEHOLDER_WORD.test(value) &&
    /^[a-z\d\s_<>.,:'!/-]*$/i.test(value) &&
    !/^(?=.*\d)(?=.*[a-z])(?=.*[A-Z])\S+$/.test(value)
  )
    return true;
  return false;
}

/** A random text may begin like a placeholder: one in a few hundred does. */
const isGenerated = (value: string): boolean =>
  /^(?=.*\d)(?=.*[a-z])(?=.*[A-Z])\S{14,}$/.test(value) && randomnessOf(value) > 0.7;

function isPath(value: string): boolean {
  if (/^(?:~|\.{1,2})?\/(?:[\w.@%+-]+\/)*[\w.@%+*-]*$/.test(value))
    return (
      value.length < 200 &&
      (/\/.*[/.]/.test(value) || /^\/[a-z]+$/.test(value) || value.startsWith("~") || value.startsWith(".")) &&
      !/[+](?!.*\.key$)/.test(value)
    );
  if (/^[A-Za-z]:\\[^|<>*?"]+$|^\*\.[a-z]+$|^[a-z]{2,}(?:\/[a-z]{2,})+$/.test(value)) return true;
  // A command that runs a script.
  if (/^[\w./-]+ (?:[\w-]+ )*[\w./-]+\.(?:js|mjs|cjs|ts|py|sh|rb|php|pl|ps1)(?: |$)/.test(value)) return true;
  // A file that a daemon includes, a directory of systemd, and the name of an entry of a directory.
  if (/^@\/[\w./-]+$|^%[a-zA-Z]\/[\w./-]+$|^(?:cn|uid|ou|dc)=[^,=]+(?:,(?:cn|ou|o|dc|c)=[^,=]+)+$/i.test(value))
    return true;
  // The digest of an image.
  if (/@sha256:[\da-f]{64}$/.test(value)) return true;
  // `credentials=/etc/smb.cred,ro` of fstab.
  if (/^\/(?:[\w.@-]+\/)+[\w.@-]+(?:[, ]+[\w=.-]+)+$/.test(value)) return true;
  return /^[\w./+-]+\.(?:pem|key|crt|cer|p12|pfx|jks|txt|conf|json|ya?ml|php|py|js|ts|html?|xml|properties|ini|cfg|env|sh|md|log|gpg|asc|keytab|der|pub|db|sql)$/i.test(
    value,
  );
}

function isProse(value: string): boolean {
  // Scripts without spaces between words, and sentences in other alphabets.
  if (/[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]/.test(value) || (value.match(/[^\p{ASCII}]/gu)?.length ?? 0) >= 8)
    return true;
  if (!/\s/.test(value)) return false;
  const words = value.trim().split(/\s+/);
  if (words.length >= 3 && words.filter((word) => /^[\p{L}'’(),.:;!?"-]+$/u.test(word)).length / words.length > 0.6)
    return true;
  return words.length === 2 && /^\p{L}{2,}[:,]? \p{L}{2,}[.!?:…]*$/u.test(value);
}

/** A name such as `password_field` or `UserPasswordToken`, not a made-up password. */
function isIdentifier(value: string): boolean {
  if (/^[A-Z]+(?:_[A-Z\d]+)+$/.test(value) && !/\d{3}[A-Z]|\d[A-Z]\d/.test(value)) return true;
  if (/^[a-z][\w-]*(?::[A-Za-z][A-Za-z_-]*)+$/.test(value)) return true;
  if (/\d/.test(value) && (!/^[a-z]+(?:_[a-z\d]+)+$/.test(value) || /\d{5}/.test(value))) return false;
  if (/^(?:[a-z]+[_.-])+[a-z\d]*$/i.test(value) || /^[a-z]+(?:[A-Z][a-z]+)+$/.test(value)) {
    return /(?:pass|pwd|secret|token|key|auth|cred|user|name|login|field|value|input|param|file|env|config)/i.test(
      value,
    );
  }
  return false;
}

/** How random a value looks: different kinds of characters, and letters in an order that words do not have. */
export function randomnessOf(value: string): number {
  const length = value.length;
  if (length < 6) return 0.1;
  let [lower, upper, digit, other, changes] = [0, 0, 0, 0, 0];
  let before = -1;
  const counts = new Map<number, number>();
  for (let index = 0; index < length; index += 1) {
    const code = value.charCodeAt(index);
    counts.set(code, (counts.get(code) ?? 0) + 1);
    let kind = 3;
    if (code >= 97 && code <= 122) [kind, lower] = [0, lower + 1];
    else if (code >= 65 && code <= 90) [kind, upper] = [1, upper + 1];
    else if (code >= 48 && code <= 57) [kind, digit] = [2, digit + 1];
    else other += 1;
    if (before !== -1 && kind !== before) changes += 1;
    before = kind;
  }
  let entropy = 0;
  for (const count of counts.values()) entropy -= (count / length) * Math.log2(count / length);
  const kinds = [lower, upper, digit, other].filter((count) => count > 0).length;
  const mixed = changes / (length - 1);
  const relative = entropy / Math.log2(Math.min(length, 64));
  const raw = relative * 0.5 + mixed * 0.6 + (kinds - 1) * 0.1 - (digit === 0 ? 0.25 : 0);
  return Math.max(0, Math.min(1, raw) * (1 - 0.7 * shareOfWords(value)));
}

/** Runs of letters with vowels where words have them. */
const WORDS = /[A-Za-z]?[a-z]{3,}|[A-Z]{4,}/g;
const WORD = /^[^aeiouy]{0,3}(?:[aeiouy]{1,3}[^aeiouy]{1,3})*[aeiouy]{0,3}$/i;

/** The share of characters in pieces that look like words of a language, from 0 to 1. */
function shareOfWords(value: string): number {
  let letters = 0;
  for (const [run] of value.matchAll(WORDS)) if (WORD.test(run) && /[aeiouy]/i.test(run)) letters += run.length;
  return letters / value.length;
}
