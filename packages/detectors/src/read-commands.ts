// Passwords on command lines, where a short option or a position gives them: `mysql -pX`, `curl -u user:X`, `sshpass -p X`.
import { candidateAt } from "./candidate.ts";
import type { Candidate, Line } from "./candidate.ts";
import type { Format } from "./format.ts";
import { isPasswordLike } from "./password-like.ts";
import { COMMANDS, trigger } from "./triggers.ts";

/** A word of a shell, quoted or not. */
const WORD = `(?:"([^"\\n]{1,256})"|'([^'\\n]{1,256})'|([^\\s"'\`;|&<>()]{1,256}))`;

interface Form {
  /** Programs that have it. */
  programs: string;
  /** Everything from the program to the value, which is the last group of WORD. */
  pattern: string;
  syntax?: number;
  /** The value is `user:password`. */
  isPair?: boolean;
  /** The value is no port: short numbers are passwords. */
  allowsNumbers?: boolean;
}

const FORMS: readonly Form[] = [
  {
    programs:
      "mysql|mysqldump|mysqladmin|mysqlimport|mysqlcheck|mysqlshow|mysqlbinlog|mysqlslap|mariadb|mariadb-dump|mariadb-admin|mydumper|myloader|xtrabackup|innobackupex|mycli|pt-table-checksum|pt-table-sync|pt-archiver|pt-online-schema-change",
    pattern: `(?: [^\\n|;]{0,300}?)? -p(?![\\s=-])${WORD}`,
  },
  { programs: "sshpass|plink|pscp|psftp", pattern: ` [^\\n|;]{0,200}?-(?:pw|p)[ =]?${WORD}` },
  {
    programs: "curl|wget|httpie",
    pattern: ` [^\\n|;]{0,600}?(?:-u|--user|-U|--proxy-user|-a|--auth|-A) ?=?${WORD}`,
    isPair: true,
  },
  {
    programs:
      "ipa-client-install|ipa-server-install|ipa-replica-install|ldapsearch|ldapmodify|ldapadd|ldapdelete|ldappasswd|ldapwhoami|ldapmodrdn|ldapcompare",
    pattern: ` (?:[^\\n|;]{0,400}? )?-[xXZWHDbsLRv]*w ?${WORD}`,
  },
  { programs: "ldappasswd|slappasswd", pattern: ` [^\\n|;]{0,400}? -[as] ${WORD}` },
  {
    programs: "runmqakm|runmqckm|gskcapicmd|gsk8capicmd\\w*|ikeycmd|kadmin|kadmin\\.local|ktutil|doveadm pw",
    pattern: ` [^\\n|;]{0,300}? -(?:pw|p|new_pw|target_pw) ${WORD}`,
  },
  { programs: "lftp|ncftp", pattern: ` [^\\n|;]{0,300}? -u [^\\s,:]{1,64},${WORD}` },
  { programs: "pk12util", pattern: ` [^\\n|;]{0,300}? -W ${WORD}` },
  { programs: "mkstore", pattern: ` [^\\n|;]{0,200}? -(?:create|modify)Credential \\S{1,64} \\S{1,64} ${WORD}` },
  { programs: "mc admin user add", pattern: ` \\S{1,64} \\S{1,64} ${WORD}` },
  { programs: "swaks", pattern: ` [^\\n|;]{0,400}? (?:-ap|--auth-password) ${WORD}` },
  { programs: "steamcmd", pattern: ` [^\\n|;]{0,200}?\\+login \\S{1,64} (?![+])${WORD}` },
  { programs: "altool", pattern: ` [^\\n|;]{0,300}? (?:-p|--password) (?!@)${WORD}` },
  { programs: "vault operator unseal|bao operator unseal", pattern: ` (?:-[\\w=.:/-]+ )*(?!-)${WORD}` },
  { programs: "mqsisetdbparms", pattern: ` [^\\n|;]{0,400}? -p ${WORD}`, allowsNumbers: true },
  { programs: "doveadm auth", pattern: ` (?:test|login) (?:-\\w+ \\S+ )*\\S{1,64} ${WORD}` },
  { programs: "basic_ldap_auth|squid_ldap_auth|ext_ldap_group_acl", pattern: ` [^\\n|;]{0,400}? -w ?${WORD}` },
  { programs: "hdbuserstore", pattern: ` (?:-\\w+ )*(?:SET|set) \\S+ \\S+ \\S+ ${WORD}` },
  { programs: "sapgenpse", pattern: ` [^\\n|;]{0,300}? -(?:x|xo|xn|z) ${WORD}` },
  { programs: "radclient", pattern: ` [^\\n|;]{0,200}? (?:auth|acct|status|coa|disconnect|auto) ${WORD}` },
  { programs: "redis-cli|keydb-cli|valkey-cli", pattern: ` [^\\n|;]{0,200}?(?<=\\s)-a ?${WORD}` },
  { programs: "nsupdate|knsupdate|dig", pattern: ` [^\\n|;]{0,200}?-y ?(?:hmac-\\w+:)?[\\w.-]{1,128}:${WORD}` },
  { programs: "rman", pattern: ` [^\\n|;]{0,200}? catalog [A-Za-z]\\w{0,30}/()()([^\\s"'@/;]{3,128})(?=@|["'\\s;]|$)` },
  {
    programs:
      "mongo|mongosh|mongodump|mongorestore|mongoexport|mongoimport|mongostat|cqlsh|isql|sqlcmd|bcp|osql|tsql|docker login|podman login|buildah login|skopeo login|helm registry login|az login|oc login|nerdctl login|svn|ipmitool|influx|rabbitmqadmin|kinit|winexe|psexec|wmic|rpcclient|clickhouse-client|vncviewer|xfreerdp|rdesktop|freerdp|mosquitto_pub|mosquitto_sub|snmpwalk|snmpget|cadaver|lftp|ncftp|ncftpput|ncftpget|keytool|jarsigner|certutil|pk12util|evil-winrm|crackmapexec|hydra|smbmap|jenkins-cli|etcdctl|nsupdate|sqlplus64|ttisql|rclone|restic|liquibase|flyway|cassandra-stress|nodetool|hdbsql|HDBSQL|vsql|impala-shell|beeline|isql-fb|gsec|gbak|nisql|racadm|omreport|hponcfg|fence_\\w+|iscsiadm|vault login|gh auth login|twine upload|npm login|mqtt|htpasswd -b\\w*",
    pattern: ` [^\\n|;]{0,300}?(?:\\s|^)(?:-p(?!ass|ort|rof|roj|refix|lugin|rint|arall| ?\\d{2,5}(?![^\\s]))|-P|-pw|-w|-a(?=[ "'])|-k(?=[ "'])|/p:|/P|(?:-storepass|-keypass|-srcstorepass|-deststorepass)(?!:)|-passphrase|--pass(?![\\w-])) ?${WORD}`,
    syntax: 0.8,
  },
  {
    programs: "snmpwalk|snmpget|snmpbulkwalk|snmpset|snmptrap|snmpbulkget|snmptable|snmpstatus|check_snmp|onesixtyone",
    pattern: ` [^\\n|;]{0,200}?-(?:c|C|A|X) ?${WORD}`,
    syntax: 0.85,
  },
  { programs: "snmpwalk|snmpget|snmpbulkwalk|snmpset", pattern: ` [^\\n|;]{0,200}? -X ?${WORD}`, syntax: 0.85 },
  { programs: "snmpwalk|snmpget|snmpbulkwalk|snmpset", pattern: ` [^\\n|;]{0,200}? -A ?${WORD}`, syntax: 0.85 },
  {
    programs: "smbclient|net|rpcclient|smbmap|smbget|mount\\.cifs|winexe",
    pattern: ` [^\\n|;]{0,200}?-U ?["']?[\\w.\\\\/$-]{1,64}%${WORD}`,
  },
  {
    programs: "sqlplus|sqlldr|expdp|impdp|rman|sqlcl|dgmgrl",
    pattern: ` (?:-\\w+ )*["']?(?:userid=|(?:target (?:/ )?)?catalog |target )?[A-Za-z][\\w$#]{0,30}/(?!/)(?:"([^"\\n]{1,128})"|()([^\\s"'@/;]{1,128}))(?=@|["'\\s;]|$)`,
  },
  { programs: "smbclient", pattern: ` ["']?//[^\\s"']{3,100}["']? (?!-)${WORD}(?= +-)`, syntax: 0.85 },
  { programs: "passwd", pattern: ` (?:-\\w+ )?[\\w.-]{1,32} *<<< *${WORD}` },
  {
    programs: "curl|wget",
    pattern: ` [^\\n|;]{0,600}?(?:-u|--user|-U|--proxy-user) ?=?[\\w.@-]{1,64}:(?:'([^'\\n]{3,128})'|"([^"\\n]{3,128})")()`,
  },
  { programs: "chpasswd|passwd", pattern: ` *<<< *["']?[\\w.-]{1,32}:${WORD}` },
  {
    programs: "echo|printf",
    pattern: ` (?:-\\w+ )?["']?[\\w.$-]{1,32}:()()([^\\s"'|]{1,128}?)(?:\\\\n)?["']? *\\| *(?:sudo )?chpasswd`,
  },
  {
    programs: "echo|printf",
    pattern: ` (?:-\\w+ )?${WORD} *\\| *(?:sudo +)?(?:sudo -S|p4 |realm |adcli |net ads |passwd --stdin|passwd -s|smbpasswd -s|smbpasswd|sshfs |kinit|su |cryptsetup|gpg|docker login|podman login|openssl|htpasswd|saslpasswd2|ecryptfs\\S*|gnome-keyring\\S*|ssh-add|faillog|vncpasswd)`,
    syntax: 0.9,
  },
  { programs: "echo", pattern: ` ${WORD}(?=; *echo [^|\\n]{1,300}\\) *\\| *(?:sudo +)?(?:smbpasswd|passwd))` },
  { programs: "echo", pattern: ` ${WORD}(?=\\) *\\| *(?:sudo +)?(?:smbpasswd|passwd))` },
  { programs: "radtest", pattern: ` (?:-\\w+ \\S+ )*[\\w.@\\\\-]{1,64} ${WORD}(?= \\S+ \\d)` },
  { programs: "radtest", pattern: ` (?:-\\w+ \\S+ )*\\S+ \\S+ \\S+ \\d+ ${WORD}` },
  { programs: "ssh-keygen", pattern: ` [^\\n|;]{0,200}? -[PN] ?${WORD}` },
  {
    programs: "htpasswd|htdigest|htdbm|mosquitto_passwd",
    pattern: ` -\\w*b\\w* (?:-\\w+ )*(?:-n\\w* )?(?:\\S+ )?[\\w.@-]{1,64} ${WORD}`,
  },
  { programs: "openssl", pattern: ` [^\\n|;]{0,300}?(?:pass:|-k )${WORD}`, syntax: 0.85 },
  { programs: "useradd|usermod|adduser|luseradd", pattern: `(?: [^\\n|;]{0,200}?)? -p ?${WORD}` },
  {
    programs: "net use|cmdkey|schtasks|runas|net user",
    pattern: ` [^\\n|;]{0,200}?(?:/pass(?:word)?:|/rp |/p:)${WORD}`,
  },
  { programs: "net user", pattern: ` [\\w.$-]{1,64} ${WORD}(?= /| *$)`, syntax: 0.8, allowsNumbers: true },
  { programs: "rabbitmqctl|rabbitmq-ctl", pattern: ` (?:-\\w+ \\S+ )*(?:add_user|change_password) \\S{1,64} ${WORD}` },
  { programs: "vncpasswd|x11vnc", pattern: ` [^\\n|;]{0,200}?-(?:passwd|storepasswd) ${WORD}` },
  { programs: "ipmitool", pattern: ` [^\\n|;]{0,200}?user set password \\d+ ${WORD}` },
  {
    programs: "svnadmin|cvs|rsync|nmcli|wpa_passphrase",
    pattern: ` [^\\n|;]{0,200}?(?:password |(?<!wpa-)psk |wpa_passphrase \\S+ )${WORD}`,
    syntax: 0.85,
  },
  { programs: "wpa_passphrase", pattern: ` (?:"[^"]*"|\\S+) ${WORD}` },
  {
    programs: "kubectl",
    pattern: ` [^\\n|;]{0,300}?--from-literal[= ]["']?[\\w.-]{0,40}(?:pass|pwd|secret|token|key)[\\w.-]{0,40}=${WORD}`,
  },
  {
    programs: "net use",
    pattern: ` [^\\n|]{0,200}?/(?:user|USER):\\S{1,64} +(?![/\\\\])${WORD}(?= *[/|&>#]| *\\r?$)`,
    syntax: 0.85,
    allowsNumbers: true,
  },
  {
    programs: "net use",
    pattern: ` +(?:[A-Za-z*]:? +)?(?:/\\S+ +){0,4}["']?\\\\\\\\\\S+ +(?:/\\S+ +){0,4}(?!/)${WORD}`,
    syntax: 0.85,
  },
  {
    programs: "db2 connect|db2 attach|db2cli",
    pattern: ` [^\\n|;]{0,200}?\\b(?:user|USER) \\S{1,64} (?:using|USING) ${WORD}`,
  },
  {
    programs: "7z a|7z x|7z e|7z u|7za a|7za x|7z\\.exe|7za\\.exe|rar a|rar x|unrar|unzip",
    pattern: `(?: [^\\n|;]{0,200}?)? -(?:p|hp|P) ?(?![\\s-])${WORD}`,
    syntax: 0.85,
  },
  { programs: "mysqladmin|mariadb-admin", pattern: ` [^\\n|;]{0,200}? (?:old-)?password ${WORD}` },
  { programs: "zip -", pattern: `[\\w -]{0,20}?P ?${WORD}` },
];

/** Forms by the first word of their programs. */
const byProgram = new Map<string, Set<number>>();
const readers = FORMS.map(({ programs, pattern, ...rest }, index) => {
  for (const program of programs.split("|")) {
    const word = /^[\w-]*\w/.exec(program)?.[0].toLowerCase() ?? program;
    byProgram.set(word, (byProgram.get(word) ?? new Set()).add(index));
  }
  return {
    pattern: new RegExp(`(?:^|[\\s"'\`(|;&/\\\\@=:\\[#>$,-])(?:${programs})(?:\\.exe)?${pattern}`, "g"),
    ...rest,
  };
});
const PROGRAM = new RegExp(`\\b(?:${[...byProgram.keys()].sort((a, b) => b.length - a.length).join("|")})`, "gi");
trigger(
  FORMS.flatMap(({ programs }) =>
    programs.split("|").map((program) => (/^[\w -]*/.exec(program)?.[0] ?? program).padEnd(4)),
  ),
  COMMANDS,
);
trigger(["7z.e", "7za.", " -p ", " -P ", " -pw", " -k "], COMMANDS);
/** Every form has one of these. */
const NEEDED =
  /[ "']-|auth |user add |unseal |steamcmd|dgmgrl|radtest|radclient|hdbuserstore|\| |plus|sqlldr|dp |rman|<<<|net | (?:using|USING|password|psk) |ctl |wpa_|\/rp|cmdkey|runas/;

export function readCommands(line: Line): Candidate[] {
  const { text, format } = line;
  if (text.length > 4096) return [];
  if (!NEEDED.test(text)) return [];
  const { text: words, indexOf } = asCommand(text, format);
  const wanted = new Set<number>();
  for (const [program] of words.matchAll(PROGRAM))
    for (const index of byProgram.get(program.toLowerCase()) ?? []) wanted.add(index);
  const found: Candidate[] = [];
  for (const index of wanted) {
    const { pattern, syntax = 0.95, isPair = false, allowsNumbers = false } = readers[index]!;
    pattern.lastIndex = 0;
    for (let match = pattern.exec(words); match !== null; match = pattern.exec(words)) {
      const groups = match.slice(1);
      const value = groups.findLast((group) => group !== undefined && group !== "") ?? "";
      if (value === "") continue;
      const end = match.index + match[0].lastIndexOf(value) + value.length;
      const colon = isPair ? value.indexOf(":") : -1;
      if (isPair && (colon < 0 || colon === value.length - 1)) continue;
      const from = end - value.length + colon + 1;
      const weight = format === "text" ? 0.7 : format === "code" ? 0.8 : 1;
      found.push(
        candidateAt(line, "command", indexOf(from), indexOf(end), {
          isQuoted: groups.at(-1) === undefined,
          syntax: syntax * weight,
          asserted: "password",
          isSetting: allowsNumbers || (isPair && /^[A-Za-z]/.test(value)),
          userName: isPair ? value.slice(0, colon) : userIn(match[0]),
        }),
      );
    }
  }
  return format === "shell" ? [...found, ...optionsOf(line)] : found;
}

/** Options of unknown programs that usually give a password or a key. */
const OPTION = /(?<=[\w"'] )-(?:p|P|pw|k) ?(?:"([^"\n$]{8,64})"|'([^'\n]{8,64})'|([\w!@#%^*+=~-]{8,64}))(?=\s|$)/g;

/** Words with a digit and a capital letter or a symbol. */
const optionsOf = (line: Line): Candidate[] =>
  [...line.text.matchAll(OPTION)].flatMap((match) => {
    const value = match.slice(1).find((group) => group !== undefined)!;
    if (!/\d/.test(value) || !/[A-Z!@#%^*+~]/.test(value) || !isPasswordLike(value)) return [];
    const from = match.index + match[0].lastIndexOf(value);
    const isQuoted = match[3] === undefined;
    return [candidateAt(line, "command", from, from + value.length, { isQuoted, syntax: 0.65, asserted: "password" })];
  });

/**
 * `"redis-cli", "-a", "x"`, or a line of XML with `&apos;`, as a command line, and the place of each of its characters in the
 * text.
 */
function asCommand(text: string, format: Format): { text: string; indexOf: (index: number) => number } {
  const isXml = format === "xml" && /&(?:apos|quot);/.test(text);
  if (!isXml && !/["'],[ \t]?["']-/.test(text)) return { text, indexOf: (index) => index };
  const gaps: { at: number; shift: number }[] = [];
  let shift = 0;
  const joined = text.replace(isXml ? /&(?:apos|quot);/g : /["'],[ \t]*["']/g, (gap, at: number) => {
    gaps.push({ at: at - shift, shift: (shift += gap.length - 1) });
    return gap === "&apos;" ? "'" : gap === "&quot;" ? '"' : " ";
  });
  return { text: joined, indexOf: (index) => index + (gaps.findLast(({ at }) => at < index)?.shift ?? 0) };
}

function userIn(command: string): string | null {
  return /(?:\s-u ?|\s--user(?:name)?[= ]|\s-U ?|\s-D ?)["']?([\w.@$=,-]{1,128})/.exec(command)?.[1] ?? null;
}
