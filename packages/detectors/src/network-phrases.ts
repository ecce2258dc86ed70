// Phrases of switches, routers and firewalls: `snmp-server community x`, `username bob password 0 x`, `option key 'x'`.
import type { Phrase } from "./phrase.ts";

export const NETWORK_PHRASES: readonly Phrase[] = [
  {
    // Switches of HP and Aruba.
    grams: ["pass"],
    isConfig: true,
    needs: ["password manager", "password operator"],
    pattern: `^password[ \\t]+(?:manager|operator)(?:[ \\t]+user-name[ \\t]+"(?<user>[^"\\n]{1,64})")?[ \\t]+(?:plaintext|sha1|sha256)[ \\t]+"([^"\\n]{3,128})"`,
    flags: "gm",
  },
  {
    // A password in a route through SAP routers.
    grams: ["rout", "/H/"],
    isConfig: true,
    needs: ["/W/"],
    pattern: `/H/[^/\\s]{1,120}(?:/S/\\d{1,5})?/W/([^/\\s"']{3,64})(?=/H/|["'\\s]|$)`,
    syntax: 0.8,
  },
  {
    // OpenWrt.
    grams: ["opti"],
    isConfig: true,
    needs: ["option key", "option auth_secret", "option sae_password"],
    pattern: `^[ \\t]*option[ \\t]+(?:key|auth_secret|sae_password)[ \\t]+'([^'\\n]{5,64})'`,
    flags: "gm",
  },
  {
    // PostgreSQL's pgcrypto.
    grams: ["rypt"],
    needs: ["gen_salt"],
    pattern: `\\bcrypt\\([ \\t]*'([^'\\n]{3,128})'[ \\t]*,[ \\t]*gen_salt`,
    flags: "gi",
  },
  {
    // Juniper's reversible encoding, wherever it stands.
    grams: ["$9$"],
    isConfig: true,
    needs: ["$9$"],
    pattern: `(?<![\\w$])(\\$9\\$[A-Za-z\\d./-]{8,128})(?=["';,\\s:]|$)`,
    syntax: 0.9,
  },
  {
    grams: ["snmp"],
    isConfig: true,
    needs: ["snmp-server"],
    pattern: `^\\s*snmp-server\\s+(?:community|host\\s+\\S+(?:\\s+version\\s+2c)?)\\s+(?!version|traps|informs|group|user|view)(\\S{2,64})(?=\\s*$|\\s+(?:RO|RW|view|use|\\d|ipv6|group|config|tty|cpu))`,
    flags: "gim",
  },
  {
    grams: ["snmp"],
    isConfig: true,
    needs: ["snmp-server user"],
    pattern: `\\bsnmp-server\\s+user\\s[^\\n]{1,80}?\\bauth\\s+(?:md5|sha\\S*)\\s+(\\S{3,128})`,
    flags: "gi",
  },
  {
    grams: ["snmp"],
    isConfig: true,
    needs: ["snmp-server user"],
    pattern: `\\bsnmp-server\\s+user\\s[^\\n]{1,160}?\\bpriv\\s+(?:aes|3?des)\\S*\\s+(?:\\d{3}\\s+)?(\\S{3,128})`,
    flags: "gi",
  },
  {
    grams: ["taca", "radi", "priv"],
    isConfig: true,
    needs: ["tacacs", "radius", "server-private"],
    pattern: `^\\s*(?:tacacs-server|radius-server|tacacs|radius|server-private)\\s+(?:host\\s+\\S+\\s+|[\\d.]+\\s+)?(?:[\\w-]+\\s+\\d+\\s+){0,3}(?:key|secret)\\s+(?:[0-9]\\s+)?(\\S{3,128})`,
    flags: "gim",
  },
  {
    grams: ["pto ", "key-", "-psk", "pre-", "n-ke", "ospf", "stan", "ppp ", "neig", "ame ", "ble ", "set "],
    isConfig: true,
    needs: [
      "crypto",
      "key-string",
      "wpa-psk",
      "pre-shared",
      "authentication-key",
      "ospf",
      "standby",
      "ppp ",
      "neighbor",
      "username ",
      "enable ",
      "set ",
    ],
    pattern: `^\\s*(?:crypto\\s+(?:isakmp|ikev\\d)\\s+key|key-string|wpa-psk\\s+ascii|pre-shared-key(?:\\s+(?:local|remote|address\\s+\\S+(?:\\s+[\\d.]+)?\\s+key))?|ntp\\s+authentication-key\\s+\\d+\\s+md5|ip\\s+ospf\\s+(?:message-digest-key\\s+\\d+\\s+md5|authentication-key)|standby\\s+\\d+\\s+authentication(?:\\s+md5\\s+key-string)?|ppp\\s+chap\\s+password|ppp\\s+pap\\s+sent-username\\s+\\S+\\s+password|neighbor\\s+\\S+\\s+password|username\\s+\\S+\\s+(?:privilege\\s+\\d+\\s+)?(?:password|secret)|enable\\s+(?:password|secret)|set\\s+(?:psksecret|passwd|password|secret|passphrase|auth-pwd|priv-pwd|ppk-secret))\\s+(?:ENC\\s+)?(?:[0-9]\\s+)?"?(?!ENC\\b)([^\\s"]{3,200})"?`,
    flags: "gim",
    syntax: 0.9,
  },
  {
    grams: ["eck_"],
    isConfig: true,
    needs: ["check_"],
    pattern: `\\bcheck_(?!snmp)\\w+\\s[^\\n|;!]{0,300}?-(?:p|P|a)\\s+["']?(?!\\$|\\d{1,5}\\b)([^\\s"'$]{3,128})`,
    syntax: 0.8,
  },
];
