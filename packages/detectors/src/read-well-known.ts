// Files whose lines have fixed columns, so that the place alone says that a password is there: .pgpass, .netrc, shadow and others.
import type { Candidate } from "./candidate.ts";
import type { DetectorClass } from "./finding.ts";

interface Table {
  /** Matches the path. */
  path: RegExp;
  /** One match per line; the group `value` is the secret, `user` and `host` say where it belongs. */
  line: RegExp;
  found?: DetectorClass;
  /** `value` is written in base64. */
  isBase64?: boolean;
}

const TABLES: readonly Table[] = [
  {
    path: /(?:^|\/)\.?pgpass(?:\.conf)?$/,
    line: /^#?(?! )(?<host>(?:\\.|[^:\\\n])*):[^:\n]*:[^:\n]*:(?<user>(?:\\.|[^:\\\n])*):(?<value>[^\n]+)$/gm,
  },
  {
    path: /(?:^|\/)(?:secrets$|sasl_passwd|smtp_auth|relay_passwd?|passwd\.client|sasl-passwords?|saslpass|smarthost_auth|relay_password|passwords?\.sasl|authinfo)[\w.-]*$/,
    line: /^(?!#)(?<host>\S+?)(?:\s+|:)(?<user>[^\s:]+):(?<value>\S+(?: \S+){0,7})[ \t]*$/gm,
  },
  {
    // Commented-out lines.
    path: /(?:^|\/)(?:sasl_passwd|smtp_auth|relay_passwd?|smarthost_auth)[\w.-]*$/,
    line: /^#(?<host>\[?@?[\w.-]{1,80}\.(?:[a-z]{2,}|\d{1,3})\]?(?::\d+)?)[ \t]+(?<user>[^\s:]+):(?<value>(?=\S*\d)\S{4,128})[ \t]*$/gm,
  },
  {
    path: /(?:^|\/)(?:chap|pap|srp)-secrets$/,
    line: /^[ \t]*#?(?![#\s])(?<user>"[^"\n]*"|\S+)[ \t]+(?<host>"[^"\n]*"|\S+)[ \t]+(?:"(?<value>[^"\n]+)"|(?<bare>[^\s"#]+))/gm,
  },
  {
    path: /ipsec[\w.-]*\.secrets$|ipsec\.d\/[\w.-]*secrets$/,
    line: /^(?!\s*#[^"\n]*$)[^\n]*?(?::[ \t]*(?:PSK|XAUTH|EAP|NTLM|PIN|(?:RSA|ECDSA|PKCS8|P12)[ \t]+\S+)[ \t]+(?:0s)?|[ \t]PSK[ \t]+(?="))(?:"(?<value>[^"\n]+)"|(?<bare>[^\s"#%][^\s"#]*))/gm,
  },
  {
    path: /(?:^|\/)(?:g?shadow|master\.passwd|shadow\.\w+)-?(?:\.bak)?$/,
    line: /^(?<user>[\w.-]+\$?):!?(?<value>[$_*]?[^:!*\n][^:\n]{7,}):/gm,
    found: "password_hash",
  },
  {
    path: /(?:^|\/)(?:\.?htpasswd|passwd\.db|users\.htpasswd|[\w.-]*htpasswd[\w.-]*|\.?htdigest|passwords?\.mosquitto|mosquitto[\w.-]*passwd?|pwfile|ftpd\.passwd|squid[\w.-]*passwd|basic_auth|[\w.-]*\.htpasswd)$/,
    line: /^(?!#)(?<user>[^:\s]+):(?:[^:\n]*:)?(?<value>[^:\s]{8,})(?::|$)/gm,
    found: "password_hash",
  },
  { path: /(?:^|\/)userlist\.txt$/, line: /^(?:[;#]{1,2}[ \t]?)?"(?<user>[^"\n]*)"\s+"(?<value>[^"\n]+)"/gm },
  {
    // Passphrases, values with colons, and commented-out lines.
    path: /(?:^|\/)rsyncd?[\w.-]*secrets?$/,
    line: /^#?(?<user>[\w.@-]+):(?<value>\S+(?: \S+){0,7})[ \t]*$/gm,
  },
  {
    path: /(?:^|\/)(?:rsyncd?[\w.-]*secrets?|rsync[\w.-]*(?:passwd|users?)|[\w.-]*[._-]secrets)$/,
    line: /^(?!#)(?<user>[\w.@-]+):(?<value>[^\s:]+)$/gm,
  },
  {
    path: /(?:^|\/)(?:passwd-s3fs|\.passwd-s3fs)$/,
    line: /^(?!#)(?:[\w.-]+:)?(?<user>[A-Z\d]{16,}):(?<value>\S+)$/gm,
    found: "api_token",
  },
  {
    path: /(?:^|\/)dovecot[\w./-]*(?:users|passwd)$|(?:^|\/)(?:vmail|imap|mail)[\w.-]*(?:users|passwd)$|(?:^|\/)(?:passwd-file|users\.passwd|cram-md5\.pwd|virtual_passwd)$/,
    line: /^(?!#)(?<user>[^:\s]+):(?:\{(?:PLAIN|CLEAR|CLEARTEXT)\})?(?!\{\w+\}[!*])(?<value>[^:\s]+)/gm,
  },
  {
    path: /raddb\/|freeradius\/|(?:^|\/)users$/,
    line: /^(?!\s*#)\s*"?(?<user>[\w.@-]+)"?\s+[^#\n]*?(?:Cleartext|User|NT|Crypt|MD5|SHA|SSHA)-?Password\s*:?==?\s*"(?<value>[^"\n]+)"/gim,
  },
  {
    path: /(?:^|\/)(?:passwd|vncpasswd|rfbauth)\.txt$|(?:^|\/)(?:\.?(?:password|passphrase|secret|psk|pw|master_?key|masterkey|root_?pass\w*|db_?pass\w*|[\w-]*[_-](?:password|passwd|passphrase|secret|pass|pw))(?:\.txt|\.secret|\.key|\.pass|\.pw)?)$|(?:^|\/)(?:run\/)?secrets\/[\w.-]*(?:pass|pwd|secret|token|key)[\w.-]*$/i,
    line: /^(?=[^\n]*\S)(?![#<{[])(?<value>[^\s:=][^\s=]{5,127})[ \t]*$/gm,
  },
  {
    path: /(?:^|\/)\.vault[-_](?:token|pass(?:word)?)(?:\.txt)?$|(?:^|\/)\.?vault[_-]?pass(?:word)?(?:_file)?(?:\.txt)?$|(?:^|\/)\.(?:github|gitlab|npm|api)[_-]?token$|(?:^|\/)(?:[\w-]*[_-])?token(?:\.txt)?$|(?:^|\/)\.erlang\.cookie$/i,
    line: /^(?<value>\S{8,512})[ \t]*$/gm,
    found: "api_token",
  },
  {
    path: /(?:openvpn|vpn|ovpn)[\w./-]*\/(?:[\w-]*(?:auth|pass|login|cred|up)[\w-]*)(?:\.(?:txt|conf|cfg|up|pass|auth|dat))?$|(?:^|\/)(?:auth-user-pass|vpn-auth|vpn_creds?|userpass)(?:\.txt)?$/i,
    line: /^(?<user>[^\s=:#]{1,64})[ \t]*\r?\n(?<value>[^\s=#]{4,128})\s*(?![\s\S])/gm,
  },
  {
    path: /(?:^|\/)tac_plus(?![\w.-]*\.log)[\w.-]*$|tacacs(?!\.log)/,
    line: /\b(?:login|enable|pap|chap)\s*=\s*des\s+(?<value>[./\w]{13})/gm,
    found: "password_hash",
  },
  {
    path: /(?:^|\/)tac_plus(?![\w.-]*\.log)[\w.-]*$|tacacs(?!\.log)/,
    line: /^(?![ \t]*#)[^#\n]*?\b(?:key|login\s*=\s*cleartext|pap\s*=\s*cleartext|enable\s*=\s*cleartext|chap\s*=\s*cleartext)\s*=?\s*"?(?<value>[^\s"#}]{3,128})"?/gm,
  },
  {
    path: /(?:^|\/)snmpd?[\w.-]*\.conf$/,
    line: /^\s*(?:createUser\s+(?:-e\s+\S+\s+)?(?<user>\S+)\s+(?:MD5|SHA\S*)\s+"?(?<value>[^"\s]+)"?)/gim,
  },
  {
    path: /(?:^|\/)snmpd?[\w.-]*\.conf$/,
    line: /^\s*createUser\s+(?:-e\s+\S+\s+)?(?<user>\S+)\s+(?:MD5|SHA\S*)\s+(?:"[^"]*"|\S+)\s+(?:DES|AES\S*)\s+"?(?<value>[^"\s]+)"?/gim,
  },
  {
    path: /(?:^|\/)snmpd?[\w.-]*\.conf$/,
    line: /^\s*com2sec6?\s+(?:-Cn\s+\S+\s+)?(?<user>\S+)\s+(?<host>\S+)\s+(?<value>\S+)\s*$/gim,
  },
  {
    path: /(?:^|\/)snmpd?[\w.-]*\.conf$/,
    line: /^\s*(?:trap2?sink|informsink)\s+(?<host>\S+)\s+(?<value>[^\s#]+)/gim,
  },
  {
    path: /(?:^|\/)snmpd?[\w.-]*\.conf$/,
    line: /^[ \t]*trapsess[ \t][^#\n]{0,60}[ \t]?-c[ \t]*(?<value>[^\s#]+)[ \t]+(?<host>\S+)/gim,
  },
  {
    path: /(?:^|\/)snmpd?[\w.-]*\.conf$/,
    line: /^[ \t]*trapsess[ \t][^#\n]{0,120}?[ \t]-A[ \t]*(?<value>[^\s#]+)/gm,
  },
  {
    path: /(?:^|\/)snmpd?[\w.-]*\.conf$/,
    line: /^[ \t]*trapsess[ \t][^#\n]{0,160}?[ \t]-X[ \t]*(?<value>[^\s#]+)/gm,
  },
  {
    path: /\.psk$/,
    line: /^(?<value>[\da-f]{32,512})[ \t]*$/gim,
    found: "api_token",
  },
  {
    path: /(?:^|\/)(?:login|auth)\.(?:conf|txt|cfg)$|(?:^|\/)credentials\.txt$|(?:^|\/)users?\.(?:txt|csv)$/i,
    line: /^(?!#|id[,;]|user|name|login|e?mail)(?<user>[\w.@-]{2,64})[:;,|\t](?<value>[^\s:;,|]{6,64})[ \t]*$/gim,
  },
  {
    path: /(?:activemq|artemis)[\w./-]*\/(?:artemis-)?users\.properties$/,
    line: /^(?!#)[ \t]*(?<user>[\w.@-]+)[ \t]*=[ \t]*(?<value>[^\s,;(]+(?: [^\s,;]+){1,7})[ \t]*$/gm,
  },
  {
    path: /(?:^|\/)mgmt-users\.properties$|(?:^|\/)application-users\.properties$/,
    line: /^(?!#)(?<user>[\w.@-]+)=(?<value>[\da-f]{32})$/gm,
    found: "password_hash",
  },
  {
    path: /(?:^|\/)(?:users?|publish|jmxremote|jmx|realm|artemis-users|login|jetty-realm|hazelcast-users)[\w.-]*\.(?:properties|password)$/,
    line: /^(?!#)[ \t]*(?<user>[\w.@-]+)(?:[ \t]*[=:][ \t]*|[ \t]+)(?!(?:OBF|CRYPT|MD5):)(?<value>[^\s,;]+)(?=[ \t]*(?:,|$))/gm,
  },
  {
    path: /(?:^|\/)(?:realm|jetty-realm)[\w.-]*\.properties$/,
    line: /^(?!#)[ \t]*(?<user>[\w.@-]+)[ \t]*[=:][ \t]*(?<value>(?:CRYPT|MD5):[^\s,;]+)/gm,
    found: "password_hash",
  },
  {
    path: /(?:^|\/)(?:passwords?|secrets?|credentials)\/[\w.-]+$/,
    line: /(?<![\s\S])(?<value>[^\s=:{}<>]{6,128})\s*(?![\s\S])/g,
  },
  {
    path: /davfs2?\/secrets$/,
    line: /^[ \t]*(?!#)(?<host>\S+)[ \t]+(?<user>"[^"\n]*"|[^\s"]+)[ \t]+(?:"(?<value>[^"\n]+)"|(?<bare>[^\s"#]+))[ \t]*$/gm,
  },
  {
    path: /(?:radius[\w-]*|raddb)\/(?:servers?|pam_radius_auth\.conf)$|pam_radius[\w-]*\.conf$/,
    line: /^(?!#)(?<host>[\w.:[\]-]+)\s+(?<value>\S{3,128})(?:\s+\d+)?\s*$/gm,
  },
  {
    path: /(?:virtual|ftp|vsftpd)[\w./-]*users?[\w-]*\.txt$/i,
    line: /(?:(?<![\s\S])|\n)(?<user>[\w.@-]{1,64})\n(?<value>(?=[^\n]{4,128}(?:\n|(?![\s\S])))\S+(?: \S+){0,7})(?=\n|(?![\s\S]))/g,
  },
  {
    path: /(?:^|\/)\.?cloginrc$/,
    line: /^[ \t]*add[ \t]+(?:password|userpassword|passphrase|enablepassword)[ \t]+(?<host>\S+)[ \t]+(?:\{(?<value>[^}\n]+)\}|(?<bare>[^\s{}]+))/gm,
  },
  {
    path: /(?:^|\/)\.?cloginrc$/,
    line: /^[ \t]*add[ \t]+password[ \t]+(?<host>\S+)[ \t]+(?:\{[^}\n]+\}|[^\s{}]+)[ \t]+(?:\{(?<value>[^}\n]+)\}|(?<bare>[^\s{}]+))[ \t]*$/gm,
  },
  {
    path: /(?:^|\/)upsmon\.conf$/,
    line: /^[ \t]*MONITOR[ \t]+\S+@(?<host>[^\s:]+)\S*[ \t]+\d+[ \t]+(?<user>\S+)[ \t]+(?:"(?<value>[^"\n]+)"|(?<bare>\S+))[ \t]+(?:primary|secondary|master|slave)\b/gm,
  },
  {
    path: /(?:^|\/)3proxy[\w.-]*$/,
    line: /\b(?<user>[\w.@-]+):CL:(?<value>[^\s"]+)/g,
  },
  {
    path: /(?:^|\/)\.?google[_-]authenticator$/,
    line: /^(?<value>[A-Z2-7]{16,52})$/gm,
    found: "api_token",
  },
  {
    path: /(?:^|\/)smbpasswd[\w.-]*$/,
    line: /^(?<user>[^:\n]+):\d+:[^:\n]*:(?<value>[\dA-F]{32}):/gm,
    found: "password_hash",
  },
  {
    // LAN Manager's hash, before the one of NT.
    path: /(?:^|\/)smbpasswd[\w.-]*$/,
    line: /^(?<user>[^:\n]+):\d+:(?<value>[\dA-F]{32}):[\dA-FX]{32}:/gm,
    found: "password_hash",
  },
  {
    // Solr: a hash and its salt.
    path: /(?:^|\/)security\.json$/,
    line: /"(?<user>[\w.@-]{1,64})"[ \t]*:[ \t]*"(?<value>[\w+/]{43}= [\w+/]{43}=)"/gm,
    found: "password_hash",
  },
  {
    path: /(?:^|\/)pcp\.conf$/,
    line: /^(?<user>[\w.-]+):(?<value>[\da-f]{32})[ \t]*$/gm,
    found: "password_hash",
  },
  {
    path: /(?:^|\/)psk\.txt$/,
    line: /^(?!#)(?<host>[^\s:]+)[ \t]+(?<value>\S{6,128})[ \t]*$/gm,
  },
  {
    path: /(?:^|\/)netdata\/stream\.conf$/,
    line: /^\[(?<value>[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})\]/gm,
    found: "api_token",
  },
  {
    // Proxmox: `user@realm!name uuid`.
    path: /(?:^|\/)tokens?\.(?:cfg|conf|txt|lst)$/,
    line: /^(?!#)(?<user>\S{2,100})[ \t]+(?<value>[\w-]{20,128})[ \t]*$/gm,
    found: "api_token",
  },
  {
    path: /deluge\/auth$/,
    line: /^(?<user>[\w.@-]+):(?<value>[^:\s]+):\d+$/gm,
  },
  {
    path: /(?:^|\/)tinyproxy[\w.-]*\.conf$/,
    line: /^[ \t]*BasicAuth[ \t]+"?(?<user>[^\s":]+)"?[ \t]+"?(?<value>[^\s"]+)"?[ \t]*$/gm,
  },
  {
    path: /(?:^|\/)voicemail[\w.-]*\.conf$/,
    line: /^(?<user>\d{2,10})[ \t]*=>?[ \t]*(?<value>\d{3,12}),/gm,
  },
  {
    path: /(?:^|\/)slapd[\w.-]*\.(?:conf|ldif)$/,
    line: /^(?![ \t]*#)[^#\n]*?\bcredentials=(?:"(?<value>[^"\n]+)"|(?<bare>[^\s"]+))/gm,
  },
  {
    path: /(?:^|\/)\.?msmtprc[\w.-]*$/,
    line: /^[ \t]*password[ \t]+(?:"(?<value>[^"\n]+)"|(?<bare>[^\s"](?:[^\n]{0,126}[^\s])?))[ \t]*$/gm,
  },
  {
    path: /(?:^|\/)(?:ntp|chrony)(?:\.|\/)keys$/,
    line: /^[ \t]*\d+[ \t]+(?:MD5|SHA\d*|M|AES\w*|CMAC)\s+(?:(?:ASCII|HEX):)?(?<value>\S{4,128})/gm,
  },
];

export function readWellKnown(path: string, text: string): Candidate[] {
  const found: Candidate[] = [];
  for (const table of TABLES) {
    if (!table.path.test(path) || text.length > 4_000_000) continue;
    for (const match of text.matchAll(table.line)) {
      const { value: quoted, bare, user, host } = match.groups ?? {};
      const value = quoted ?? bare;
      if (value === undefined) continue;
      const start = match.index + match[0].lastIndexOf(value);
      found.push({
        detector: "file-format",
        keyName: null,
        raw: value,
        start,
        end: start + value.length,
        isQuoted: quoted !== undefined,
        syntax: 0.95,
        isComment: /^\s*[#;]/.test(match[0]),
        asserted: table.found ?? "password",
        userName: clean(user),
        host: clean(host),
      });
    }
  }
  return [...found, ...readNetrc(path, text)];
}

const clean = (text: string | undefined): string | null => {
  const bare = text?.replace(/^["[]|["\]]$/g, "") ?? "";
  return bare === "" || bare === "*" ? null : bare;
};

/** .netrc: `machine h login u password p`, in one line or several. */
function readNetrc(path: string, text: string): Candidate[] {
  if (!/(?:^|\/)[._]?netrc(?:\.\w+)?$|(?:^|\/)\.authinfo$|\/apt\/auth\.conf(?:\.d\/|$)/.test(path)) return [];
  const found: Candidate[] = [];
  const machines =
    /(?:^|\s)#?(?:machine\s+(\S+)|default)(?=\s)([\s\S]{0,600}?)(?=\s#?(?:machine|default)\s|(?![\s\S]))/g;
  for (const match of text.matchAll(machines)) {
    const password = /\spassword\s+("[^"\n]*"|\S+)/.exec(match[2]!);
    if (password === null || /\slogin\s+anonymous\b/.test(match[2]!)) continue;
    const value = password[1]!.replace(/^"|"$/g, "");
    const start = match.index + match[0].length - match[2]!.length + password.index + password[0].lastIndexOf(value);
    found.push({
      detector: "file-format",
      keyName: "password",
      raw: value,
      start,
      end: start + value.length,
      isQuoted: true,
      syntax: 0.95,
      isComment: match[0].trimStart().startsWith("#"),
      asserted: "password",
      userName: /\slogin\s+(\S+)/.exec(match[2]!)?.[1] ?? null,
      host: match[1] ?? null,
    });
  }
  return found;
}
