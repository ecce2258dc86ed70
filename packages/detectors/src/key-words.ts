// The vocabulary of setting names: words for secrets, words that turn them into something else, and foreign languages.

export type KeyKind = "password" | "token" | "key" | "hash" | "community";

export interface SecretWord {
  kind: KeyKind;
  /** How surely a setting that ends with this word holds a secret, from 0 to 1. */
  strength: number;
}

const entries = (kind: KeyKind, strength: number, words: string): [string, SecretWord][] =>
  words.split(" ").map((word) => [word, { kind, strength }]);

/** Single words. */
export const SECRET_WORDS: ReadonlyMap<string, SecretWord> = new Map([
  ...entries(
    "password",
    1,
    "password passwords passwd passphrase passwort kennwort authtok passwrd passwrod pasword bindpw rootpw masterauth icesecretread icesecretwrite radiussecret radiussecrets",
  ),
  ...entries(
    "password",
    0.95,
    "pwd pswd passw pword psw psk userpw contrasena contraseña contrasenya wachtwoord senha",
  ),
  ...entries(
    "password",
    0.9,
    "pass pw passcode haslo heslo lozinka parola motdepasse mdp passwds pwds losungswort zugangscode hasło losenord lösenord passord adgangskode kodeord salasana jelszo sifre şifre пароль пароли",
  ),
  ...entries("password", 0.69, "credential clave"),
  ...entries("password", 0.6, "pin puk creds credentials passkey"),
  ...entries(
    "token",
    0.9,
    "secret secrets token tokens apikey apitoken apisecret secretkey accesskey authkey authtoken",
  ),
  ...entries("token", 0.8, "jwt bearer pat otp totp skey authstring"),
  ...entries("token", 0.6, "auth authorization authentication"),
  ...entries("key", 0.7, "privkey salt kek pepper hmac encrypt hashkey blockkey deskey datakey aeskey cookiekey"),
  ...entries("key", 0.55, "key keys seed schluessel schlüssel"),
  ...entries("hash", 0.9, "passwordhash passwdhash passhash pwhash"),
  ...entries("community", 0.9, "community communities rocommunity rwcommunity rocommunity6 rwcommunity6 trapcommunity"),
]);

/** Endings of words written in one piece, such as `dbpassword`. Longer ones come first. */
export const SECRET_ENDINGS: readonly (readonly [ending: string, SecretWord])[] = [
  ...entries("password", 1, "password passwort passphrase passcode passwd authtok"),
  ...entries("token", 0.9, "secretkey accesskey authtoken apikey apitoken secret token authkey"),
  ...entries("key", 0.7, "privatekey encryptionkey signingkey masterkey sharedkey cryptkey sessionkey salt"),
  ...entries("password", 0.9, "pswd pwd pass psk psw motdepasse"),
  ...entries("password", 0.75, "pw"),
];
/** Further words of names that are written in one piece, such as `passwordsaltmain`. */
export const GLUED_WORDS = new Set(
  "db ldap smtp imap sql mysql ftp http api main alt new old prod dev test ro rw read write master admin user root bind auth mail web app rpc salt hash sha bcrypt super the of for and my box".split(
    " ",
  ),
);

/** Words that only look as if they ended with one of those. */
export const NOT_SECRET_WORDS = new Set(
  "bypass compass encompass surpass trespass overpass underpass multipass singlepass renderpass subpass onepass firstpass lastpass keepass autopass proxypass epass allpass highpass lowpass bandpass failpass testpass renderpass onetimepass cryptsetup cwd pipewd secretary tokenize pwdx csrftoken xsrftoken ipass nopasswd nopass askpass".split(
    " ",
  ),
);

/** Pairs of words that name a secret where the last one alone would not. */
export const SECRET_PAIRS: ReadonlyMap<string, SecretWord> = new Map([
  ...entries(
    "token",
    0.95,
    "api.key access.key sec.key secret.key auth.key client.secret app.secret app.key application.key consumer.secret consumer.key account.key storage.key subscription.key service.key admin.key license.key licence.key validate.key register.key enroll.key enrollment.key integration.key ingest.key write.key write.token deploy.key webhook.secret server.key function.key host.secret project.key developer.key user.key registration.key join.key agent.key sas.key ssh.key api.keys access.keys secret.keys",
  ),
  ...entries(
    "key",
    0.95,
    "encryption.key signing.key private.key master.key shared.key session.key crypt.key cipher.key hmac.key aes.key machine.key validation.key decryption.key security.key cookie.key jwt.key hash.key in.key wep.key network.key mac.key tsig.key base.key fernet.key vault.key unseal.key recovery.key cookie.secret upgrade.key encrypt.key secure.key sign.key signature.key nonce.key auth.salt key.base cookie.encryption cookie.crypt key.encryption data.key root.key zone.key negotiation.key des.key rsa.key symmetric.key storage.encryption erlang.cookie passphrase.key",
  ),
  ...entries(
    "token",
    0.95,
    "cle.api cle.secrete clave.api clave.secreta api.schluessel reg.code activation.code registration.code unique.key totp.seed otp.seed otp.secret generation.key",
  ),
  ...entries(
    "password",
    0.95,
    "bind.credential bind.credentials dn.credential principal.credential manager.credential admin.code access.code security.code unlock.code master.code door.code alarm.code installer.code user.pin admin.pin so.pin de.passe key.material shared.secret clave.acceso clave.usuario wifi.key wlan.key pass.word pass.phrase pass.wd key.pass auth.phrase secret.phrase bind.pw root.pw auth.pass require.pass master.auth symm.key",
  ),
  ...entries("hash", 0.9, "md5.cred"),
]);

/** Words after the secret's word that make the setting something else: `password_file`, `token_ttl`, `secretName`. */
export const TAIL_WORDS = new Set(
  (
    "attr attrs attribute attributes file files filename path paths dir directory folder policy policies name names ttl public length len min max minimum maximum sender recipient dialog driver opts " +
    "site type types url urls uri uris endpoint endpoints id ids expiry expires expire expiration expired age timeout field fields label labels prompt " +
    "placeholder hint hints message messages msg error errors title text texts description desc regex regexp pattern format encoder encoding encode " +
    "algorithm algo method methods mode enabled enable disabled required require confirm confirmation change changed reset forgot validator validation " +
    "strength history count retries retry attempts rotation rotate location provider providers manager store ref refs reference selector version header " +
    "headers prefix suffix class classes alias aliases table column columns query command cmd var variable list form " +
    "input page template email mail subject group groups lifetime cache check checker plugin module scheme kind size bits cost rounds iterations bytes " +
    "needed policy protected protection rule rules score status state stored storage success valid invalid validity visible " +
    "issuer audience scope scopes claim claims grant host hostname port server user username userid login usage generator generation generated helper handler " +
    "callback function func factory service services option options config configuration settings setting separator delimiter source sources sink " +
    "mechanism mechanisms backend scripts script sync updated created lastset set last at date time timestamp days grace warn warning notice notification " +
    "length less based ids index limit limits idle interval middleware model models entity repository controller view views component props schema " +
    "icon image button link href style css color spec specs test tests example examples docs doc documentation lookup mount mounts volume volumes " +
    "signing signed agent program broker tool cli env environment arn role roles region realm domain digest digests fingerprint fingerprints thumbprint checksum " +
    "char chars character characters charset case upper lower digit digits special symbol symbols alphabet wordlist dictionary dict map mapping size sizes order " +
    "aging inactive entry entries record records event events item items code codes keyring db database cert certs certificate certificates ca crt pem der p12 pfx jks " +
    "fd reqd chat arg args program identity identities maps params param parameter parameters parser reader writer stream request response exchange refresh rule reuse lock locked lockout quality complexity authenticator adapter"
  ).split(" "),
);

/** Words before the secret's word with that effect: `no_password`, `isPassword`, `min_password`. */
export const HEAD_WORDS = new Set(
  (
    "load import existing no is has use uses using min max minimum maximum require requires required allow allows allowed enabled enables disable disabled show hide " +
    "forgot forgotten lost generates generated ask prompt missing invalid wrong bad incorrect without should must can " +
    "on handle render find delete remove clear changing strip mask redact redacted masked hidden permit needs empty same count num number"
  ).split(" "),
);

/** Verbs that name a check or a dialog, unless the value looks like a password. */
export const VERBS = new Set("generate validate check verify confirm change".split(" "));

/** Words before `key` or `token` that make it an identifier. */
export const IDENTIFIER_WORDS = new Set(
  (
    "public pub primary foreign sort cache partition host hosts hot short composite unique index registry lookup translation i18n map dict object group row " +
    "column arrow enter escape tab shift ctrl alt cmd meta function fn storage shard bucket route routing message event metric label tag config option setting " +
    "property prop field table json yaml query parent child node item entry next page pagination continuation cursor csrf xsrf syntax lexer parser start stop end eos bos pad unk " +
    "known trusted authorized minor major pgp gpg repo signed apt rpm accelerator keyboard physical order grouping natural surrogate candidate super total word first last " +
    "data.source user.table ref reference path sitekey site publishable anon trust dictionary idempotency correlation dedup deduplication topology max min"
  ).split(" "),
);
