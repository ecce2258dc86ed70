// The fixed phrases that give a secret by position: calls of login functions, headers, lines of well-known programs.
import { NETWORK_PHRASES } from "./network-phrases.ts";
import type { Phrase } from "./phrase.ts";

const TEXT = `(?:"([^"\\n]{1,256})"|'([^'\\n]{1,256})')`;
const ANY = `(?:"[^"\\n]{0,300}"|'[^'\\n]{0,300}'|[\\w$.>\\[\\]()-]{1,80})`;

export const PHRASE_FORMS: readonly Phrase[] = [
  {
    grams: ["uth=", "uth ", "uth:"],
    needs: ["auth"],
    pattern: `\\bauth\\s*[=:]\\s*[([]\\s*["'](?<user>[^"'\\n]{1,64})["']\\s*,\\s*${TEXT}\\s*[)\\]]`,
  },
  {
    grams: ["sicA", "estA", "kCre", "ordA", "PSCr", "ameP", "thCr", "ainA", "sic_"],
    needs: ["Auth", "asic", "Credential", "asswordAuth", "PSCred", "UsernamePassword", "withCred"],
    pattern: `\\b(?:HTTP(?:Basic|Digest|Ntlm)Auth|BasicAuth|basic_auth|basicAuth|[sS]et_?[bB]asic_?[aA]uth|UsernamePassword\\w*|PasswordAuthentication|NetworkCredential|PlainAuth|withBasicAuth|withCredentials|PSCredential|addCredentials|HttpBasicAuth\\w*|NTLMAuth|HttpNtlmAuth)\\s*\\(?\\s*(?:["']["']\\s*,\\s*)?["'](?<user>[^"'\\n]{1,64})["']\\s*,\\s*${TEXT}`,
  },
  {
    grams: ["gin(", "ate(", "uth(", "nin(", "gon("],
    needs: [".login", ".auth", ".signin", ".logon", "->login", "->auth"],
    pattern: `(?:\\.|->)(?:login|authenticate|auth|signin|logon)\\s*\\(\\s*["'](?<user>[^"'\\n]{1,64})["']\\s*,\\s*${TEXT}\\s*[,)]`,
  },
  {
    grams: ["tCon", "dbCo", "DBI-", " PDO", "_con", "OCIL", "lCon"],
    needs: ["Connection", "dbConnect", "DBI->", "new PDO", "_connect", "OCILogon", "sqlConnect"],
    pattern: `\\b(?:getConnection|dbConnect|DBI->connect|new\\s+PDO|openConnection|sqlConnect|odbc_connect|oci_connect|OCILogon)\\s*\\(\\s*${ANY}\\s*,\\s*["'](?<user>[^"'\\n]{1,64})["']\\s*,\\s*${TEXT}`,
  },
  {
    grams: ["mysq", "ldap", "ftp_", "ssh2", "pg_p", "cx_O"],
    needs: ["mysql", "ldap_", "ftp_login", "ssh2_auth", "pg_pconnect", "cx_Oracle", "MySQLdb"],
    pattern: `\\b(?:(?:mysqli?_p?connect|new\\s+\\\\?mysqli|mysqli_real_connect|ftp_login|ssh2_auth_password|pg_pconnect|MySQLdb\\.connect|pymysql\\.connect|mysql_real_connect|ldap_bind|ldap_simple_bind)\\s*\\(\\s*${ANY}\\s*,|cx_Oracle\\.connect\\s*\\()\\s*["'](?<user>[^"'\\n]{1,64})["']\\s*,\\s*${TEXT}`,
  },
  {
    grams: ["ureS"],
    needs: ["ecureString", "ecurestring"],
    pattern: `ConvertTo-SecureString\\s+(?:-String\\s+)?(?:-AsPlainText\\s+)?(?:-Force\\s+)?${TEXT}`,
    flags: "gi",
  },
  {
    grams: ["eare"],
    needs: ["Bearer"],
    pattern: `\\bBearer[ \\t]+((?:\\d{1,9}\\|)?[\\w.~+/-]{16,2000}=*)(?=["'\\s\`\\\\]|$)`,
    syntax: 0.85,
    found: "api_token",
  },
  {
    grams: ["TOKE"],
    needs: ["-TOKEN:"],
    pattern: `\\b(?:PRIVATE|JOB|DEPLOY)-TOKEN:[ \\t]*([\\w.-]{16,200})`,
    found: "api_token",
  },
  {
    grams: ["thor", "THOR"],
    needs: ["uthorization", "UTHORIZATION"],
    pattern: `\\b(?:[Aa]uthorization|AUTHORIZATION)["']?(?:\\s*[:=]\\s*|[ \\t]+)["']?(?:token|Token|ApiKey|apikey|Key|SSWS|GenieKey|Splunk|key=)\\s*([\\w.~+/-]{16,400}=*)`,
    syntax: 0.85,
    found: "api_token",
  },
  {
    grams: ["send"],
    isConfig: true,
    needs: ["send"],
    pattern: `(?:[Pp]?assw(?:ord)?|[Pp]?assphrase)[^\\n]{0,100}\\bsend(?:_\\w+)?\\s+(?:--\\s+)?\\\\?"((?:[^"\\\\$\\n\\[]){3,128})\\\\+r`,
    syntax: 0.9,
  },
  {
    grams: ["on >"],
    isConfig: true,
    needs: ["user "],
    pattern: `^[ \\t]*user[ \\t]+(?<user>[^\\s{}=]{1,64})[ \\t]+(?:[^\\s>]\\S*[ \\t]+){0,8}>([^\\s>]{3,128})`,
    flags: "gm",
  },
  {
    // Microsoft's tools, and others of SQL Server: `-U sa -P x`.
    grams: ["-U s", "-U a"],
    isConfig: true,
    needs: [" -U sa ", " -U admin "],
    pattern: ` -U (?<user>sa|admin) +-P +["']?([^\\s"'$%-][^\\s"']{2,127})`,
    syntax: 0.85,
  },
  {
    // Asterisk, also in a comment.
    grams: ["ster"],
    isConfig: true,
    needs: ["register"],
    pattern: `^[ \\t]*[;#]?[ \\t]*register[ \\t]*=>?[ \\t]*(?<user>[\\w.+-]{2,64}):([^\\s:@/]{4,128})(?::[\\w.+-]{1,64})?@`,
    syntax: 0.85,
  },
  {
    // PHP: `tcp://host:6379?auth=x`.
    grams: ["uth="],
    isConfig: true,
    needs: ["auth="],
    pattern: `\\btcp://[^\\s"'?]{1,100}\\?(?:[^\\s"'?]{1,100}&)?auth=([^\\s"'&]{6,128})`,
  },
  {
    // FreeRADIUS logs passwords if `auth_goodpass` is set.
    grams: ["n OK"],
    isConfig: true,
    needs: ["Login OK: ["],
    pattern: `Login OK: \\[(?<user>[^\\]/\\n]{1,64})/(?!<)([^\\]\\n]{3,64})\\]`,
  },
  {
    // Nextcloud: `occ config:system:set mail_smtppassword --value=x`.
    grams: ["lue=", "lue "],
    isConfig: true,
    needs: ["--value"],
    pattern: `\\bconfig:\\w+:set [^\\n]{0,80}?\\w*(?:password|secret|token)\\w* [^\\n]{0,40}?--value[= ](?:"([^"\\n]{3,128})"|'([^'\\n]{3,128})'|([^\\s"']{3,128}))`,
  },
  {
    // A serialized array of PHP in a dump.
    grams: ['ass"', "ass\\"],
    needs: ['pass\\";s:', 'pass";s:', 'password\\";s:', 'password";s:'],
    pattern: `pass(?:word)?\\\\?";s:\\d{1,3}:\\\\?"([^"\\\\\\n]{4,128})\\\\?"`,
  },
  {
    grams: ["_md5"],
    isConfig: true,
    needs: ["secure_link_md5"],
    pattern: `\\bsecure_link_md5[ \\t]+"[^"\\n]{0,200}[ }]([\\w.!@%+-]{6,64})"`,
  },
  {
    // fstab.
    grams: ["cifs"],
    isConfig: true,
    needs: ["cifs"],
    pattern: `\\bcifs[ \\t][^\\n]{0,200}?\\buser(?:name)?=(?<user>[^\\s,%]{1,64})%([^\\s,]{3,128})`,
  },
  {
    // Scripts for `ftp`.
    grams: ["user"],
    isConfig: true,
    needs: ["user "],
    pattern: `^[ \\t]*user[ \\t]+(?<user>\\$?\\{?[\\w.@-]{1,64}\\}?)[ \\t]+(?=\\S{0,127}\\d)([^\\s"'$|()<>]{6,128})[ \\t]*$`,
    syntax: 0.75,
  },
  {
    // Consul: the secrets of tokens are UUIDs.
    grams: ["mana", "agen"],
    isConfig: true,
    needs: ["initial_management", "agent"],
    pattern: `\\b(?:initial_management|agent(?:_recovery|_master)?)["']?[ \\t]*[=:][ \\t]*["']([\\da-f]{8}(?:-[\\da-f]{4}){3}-[\\da-f]{12})["']`,
    found: "api_token",
  },
  {
    // Vault: the secret of an AppRole is a UUID.
    grams: ["et_i", "et-i"],
    isConfig: true,
    needs: ["secret_id", "secret-id"],
    pattern: `\\bsecret[_-]id["']?[ \\t]*[=:]?[ \\t]*["']?([\\da-f]{8}(?:-[\\da-f]{4}){3}-[\\da-f]{12})`,
    found: "api_token",
  },
  {
    // Vault: what `vault operator init` prints.
    grams: ["Key "],
    needs: ["seal Key", "covery Key"],
    pattern: `\\b(?:Unseal|Recovery) Key(?: \\d{1,2})?:[ \\t]*([\\w+/]{40,64}={0,2})`,
    found: "api_token",
  },
  {
    // Redis: the SHA-256 of a password.
    grams: ["on #"],
    isConfig: true,
    needs: ["user "],
    pattern: `^[ \\t]*user[ \\t]+(?<user>[^\\s{}=]{1,64})[ \\t]+(?:[^\\s#]\\S*[ \\t]+){0,8}#([\\da-f]{64})(?![\\da-f])`,
    flags: "gm",
    found: "password_hash",
  },
  {
    grams: ["inel"],
    isConfig: true,
    needs: ["sentinel"],
    pattern: `^[ \\t]*sentinel[ \\t]+auth-pass[ \\t]+\\S+[ \\t]+(\\S{3,128})`,
    flags: "gm",
    syntax: 0.9,
  },
  {
    grams: ["outi"],
    needs: ["routing_key"],
    pattern: `\\brouting_key["']?[ \\t]*[:=][ \\t]*["']?([0-9a-f]{32})\\b`,
    syntax: 0.9,
    found: "api_token",
  },
  {
    // Headers of requests: `X-Gitlab-Token: x`.
    grams: ["-tok", "-key", "-api", "-aut", "-sec"],
    needs: ["X-", "x-"],
    pattern: `\\b[Xx]-(?:[\\w]{1,30}-){0,4}(?:[Tt]oken|[Kk]ey|[Ss]ecret|[Aa]uth)["']?[ \\t]*:[ \\t]*["']?([A-Za-z\\d_.+/=-]{12,200})(?=["'\\s\\\\]|$)`,
    syntax: 0.85,
    found: "api_token",
  },
  {
    // `user "bob" there with password "x"` of fetchmail, also in comments.
    grams: ["pass"],
    isConfig: true,
    needs: ['password "', 'pass "'],
    pattern: `\\buser(?:name)?[ \\t]+"(?<user>[^"\\n]{1,64})"[ \\t]+(?:[a-z]+[ \\t]+){0,3}pass(?:word)?[ \\t]+"([^"\\n]{3,128})"`,
    flags: "gi",
    syntax: 0.9,
  },
  {
    // Answers to questions of Debian's packages: `mysql-server/root_password password x`.
    grams: ["pass"],
    needs: ["assword password ", "again password "],
    pattern: `\\b[\\w.-]{2,60}/[\\w-]{0,30}password(?:[_-]again)?[ \\t]+password[ \\t]+([^\\s"'$|]{3,128})`,
  },
  {
    // Kickstart.
    grams: ["sshp"],
    isConfig: true,
    needs: ["sshpw"],
    pattern: `^[ \\t]*sshpw[ \\t]+--username=(?<user>\\S{1,64})[ \\t]+(?:--(?:plaintext|lock)[ \\t]+)?(?!-)(\\S{3,128})`,
    flags: "gm",
  },
  {
    // The options of LDAP's tools in a line of their own.
    grams: ["n=ad", "cn=", "uid="],
    isConfig: true,
    needs: ["-w"],
    pattern: `-D[ \\t]*["']?(?:cn|uid|CN|UID)=[^"'\\n]{1,200}["']?[ \\t]+-w[ \\t]*["']?([^\\s"'$]{3,128})`,
    syntax: 0.9,
  },
  {
    // curl's login in a line of its own.
    grams: ["-use"],
    isConfig: true,
    needs: ["--user "],
    pattern: `^[ \\t]+--user[ \\t]+["']?(?<user>[A-Za-z][\\w.@-]{0,63}):([^\\s"'$:]{4,128})["']?[ \\t]*\\\\?$`,
    flags: "gm",
    syntax: 0.9,
  },
  {
    grams: ["lack"],
    isConfig: true,
    needs: ["slack:"],
    pattern: `\\bslack:[ \\t]*["']?[\\w-]{1,40}:([A-Za-z\\d]{24})(?=["'\\s#]|$)`,
    found: "api_token",
  },
  {
    // A login in a note or comment: `Basic auth (bob:x)`.
    grams: ["asic"],
    needs: ["asic auth (", "asic Auth ("],
    pattern: `[Bb]asic [Aa]uth \\((?<user>[\\w.@-]{2,32}):(?=[^\\s()]*\\d)([^\\s()]{6,64})\\)`,
    syntax: 0.8,
  },
  {
    // SonarQube takes a token as login.
    grams: ["sona"],
    needs: ["sonar.login"],
    pattern: `(?<![a-z])sonar\\.login["']?[ \\t]*[=:,][ \\t]*["']?([\\da-f]{40})\\b`,
    found: "api_token",
  },
  {
    grams: ["rd i", "se i", "pw i"],
    needs: ["word is", "phrase is", "pw is"],
    pattern: `\\b(?:[Pp]ass(?:word|phrase)|pw)[ \\t]+is[ \\t]+["'\`]?(?=[^\\s]*\\d)([^\\s"'\`,;()]{6,64})`,
    syntax: 0.75,
  },
  { grams: ["gin="], isConfig: true, needs: ["login="], pattern: `\\blogin=(?<user>[^\\s:=]{1,64}):([^\\s:]{3,128})` },
  { grams: ["Modu"], needs: ["LoginModule"], pattern: `\\buser_[\\w.-]{1,40}="([^"\\n]{1,128})"` },
  {
    // Cookies that nodes of a cluster share: `node.cookie = x`, `cookie x`.
    grams: ["ooki"],
    isConfig: true,
    needs: ["ookie"],
    pattern: `^[ \\t]*(?:[\\w-]{1,30}[._-])?cookie[ \\t]*[=: ][ \\t]*["']?([A-Za-z\\d+/_-]{20,128}={0,2})["']?[ \\t]*$`,
    flags: "gim",
    syntax: 0.8,
    found: "api_token",
  },
  {
    // Oracle's `user/password@service` in a variable.
    grams: ["onn=", "onn:", "ONN:", "ect=", "rid=", "gin=", "gon="],
    isConfig: true,
    needs: ["onn", "ONN", "serid", "SERID", "ogin", "OGIN", "ogon", "OGON"],
    pattern: `(?:conn|connect|userid|login|logon)["']?[ \\t]*[=:][ \\t]*["']?(?<user>[A-Za-z][\\w$#]{0,29})/([^\\s/@"'$]{3,64})@(?://[\\w.-]+|[A-Za-z]\\w{0,30})(?=["'\\s;:/]|$)`,
    flags: "gi",
    syntax: 0.85,
  },
  {
    grams: ["d-i "],
    isConfig: true,
    needs: ["d-i "],
    pattern: `^[ \\t]*d-i\\s+passwd/(?:root|user)-password(?:-again|-crypted)?\\s+password\\s+(\\S+)`,
    flags: "gm",
  },
  {
    grams: ["root"],
    isConfig: true,
    needs: ["rootpw"],
    pattern: `^\\s*rootpw\\s+(?:--(?:plaintext|iscrypted|lock)\\s+)*(?!--)(\\S{3,200})\\s*$`,
    flags: "gm",
  },
  {
    grams: ["$USE"],
    isConfig: true,
    needs: ["$USER"],
    pattern: `^\\$USER\\d+\\$=(?![/]|[A-Z]+\\\\|[a-z]+_(?:ro|rw)\\s)([^\\s/#]{4,128})\\s*$`,
    flags: "gm",
    syntax: 0.8,
  },
  {
    grams: ["sock", "ttp "],
    isConfig: true,
    needs: ["socks", "http "],
    pattern: `^\\s*(?:socks[45]|http|https)\\s+[\\d.]+\\s+\\d{2,5}\\s+(?<user>\\S+)\\s+(\\S{3,128})\\s*$`,
    flags: "gm",
    syntax: 0.9,
  },
  {
    grams: ["llow"],
    isConfig: true,
    needs: ["allow "],
    pattern: `\\ballow\\s+(?<user>[\\w.-]{1,32}):([^\\s":][^\\s"]{2,127})(?=\\s|$)`,
    syntax: 0.9,
  },
  {
    grams: ["tats"],
    isConfig: true,
    needs: ["stats auth"],
    pattern: `\\bstats\\s+auth\\s+(?<user>[\\w.-]{1,64}):(\\S{3,128})`,
  },
  { grams: ["nsec"], isConfig: true, needs: ["insecure-"], pattern: `\\binsecure-password\\s+(\\S{3,128})` },
  { grams: ["cach"], isConfig: true, needs: ["cachemgr"], pattern: `\\bcachemgr_passwd\\s+(\\S{3,128})\\s` },
  { grams: ["lear"], needs: ["clear-text"], pattern: `\\bclear-text="([^"\\n]{1,128})"` },
  {
    grams: ["lftp", "ncft"],
    isConfig: true,
    needs: ["lftp", "ncftp"],
    pattern: `\\b(?:lftp|ncftp\\w*)\\s[^\\n|;]{0,200}?-u\\s*["']?(?<user>[^\\s,"']{1,64}),["']?([^\\s"',]{3,128})`,
  },
  {
    grams: ["sqlc"],
    isConfig: true,
    needs: ["SQLConnectInfo"],
    pattern: `^\\s*SQLConnectInfo\\s+\\S+\\s+(?<user>\\S+)\\s+(\\S{3,128})`,
    flags: "gm",
  },
  {
    grams: ["ser=", "ser "],
    isConfig: true,
    needs: ["user"],
    pattern: `^\\s*user\\s*=\\s*"?(?<user>[^\\s:="]{1,64}):([^\\s"]{3,128})"?\\s*$`,
    flags: "gm",
  },
  {
    grams: ["pass"],
    isConfig: true,
    needs: ["PASS "],
    pattern: `^\\s*(?:quote\\s+)?PASS\\s+([^\\s=]{3,128})\\s*$`,
    flags: "gm",
  },
  {
    // Teradata's `.LOGON host/user,password`.
    grams: ["ogon", "OGON"],
    isConfig: true,
    needs: [".LOGON", ".logon"],
    pattern: `^[ \\t]*\\.logon[ \\t]+(?:[\\w.-]+/)?(?<user>[^\\s,]{1,64}),["']?([^\\s;"']{3,128})`,
    flags: "gim",
  },
  {
    // `user bob pass x` in one line.
    grams: ["pass"],
    isConfig: true,
    needs: ["pass"],
    pattern: `\\b(?:user(?:name)?|login)[ \\t]+(?<user>[\\w.@-]{1,64})[ \\t]+pass(?:wd|word)?[ \\t]+["']?(?=[^\\s"']{0,60}\\d)([^\\s"'=;()\\[\\],]{6,64})(?=["';\\s]|$)`,
    flags: "gi",
    syntax: 0.85,
  },
  {
    // Teams, also behind a proxy.
    grams: ["ook/"],
    needs: ["IncomingWebhook/"],
    pattern: `/IncomingWebhook/([\\da-f]{32}/[\\da-f-]{36})`,
    found: "api_token",
  },
  {
    // The address of a webhook is its secret.
    grams: ["ook/", "oks/"],
    needs: ["hook/", "hooks/"],
    pattern: `\\bhttps?://[^\\s"'?#]{3,120}?hooks?/(?:[\\w-]{1,40}/){0,3}([A-Za-z\\d_-]{24,128})(?=["'\\s?]|$)`,
    syntax: 0.7,
    found: "api_token",
  },
  {
    grams: ["open"],
    isConfig: true,
    needs: ["open -u"],
    pattern: `\\bopen -u\\s*(?<user>[^\\s,]{1,64}),([^\\s,]{3,128})`,
  },
  {
    grams: ["lias", "nfig"],
    isConfig: true,
    needs: ["mc alias set", "mc config host"],
    pattern: `\\bmc (?:alias set|config host add) \\S+ \\S+ \\S+ ["']?([^\\s"']{8,128})`,
  },
  ...NETWORK_PHRASES,
];
