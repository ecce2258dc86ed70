// Passwords in notes and documents of a team: sentences, lists and tables that give a login.
import type { Candidate } from "./candidate.ts";
import { isPasswordLike } from "./password-like.ts";
import { isWeak } from "./weak-values.ts";

const LARGEST = 256_000;
const VALUE = "[^\\s`\"'|,;()<>]{6,64}";
interface Note {
  pattern: RegExp;
  /** Words count too: the syntax is sure enough. */
  isSure?: boolean;
  /** Only passwords that attackers try first, and numbers. */
  isDefault?: boolean;
}
const NOTES: readonly Note[] = [
  // "customer 118233, password x", "Passwort x".
  {
    pattern: new RegExp(
      `(?<![\\w/])(?:password|passwd|passphrase|passwort|kennwort|wachtwoord|mdp|pwd?)[ \\t]+[\`"']?(?<value>(?=\\S{0,63}\\d)${VALUE})[\`"']?(?=[ \\t]*(?:$|[,;.)(|]))`,
      "gim",
    ),
  },
  // "The passphrase of the repositories is `x`".
  {
    pattern: new RegExp(
      `\\b(?:password|passphrase|passwort|kennwort|pin)\\b[^.\\n\`]{0,60}\\b(?:is|was|lautet|ist|:)[ \\t]+[\`"](?<value>${VALUE})[\`"]`,
      "gim",
    ),
    isSure: true,
  },
  // "root pw on db3 is x", "your password is: x".
  {
    pattern: new RegExp(
      `\\b(?:password|passphrase|passwort|kennwort|pw)\\b[^.\\n\`]{0,60}\\b(?:is|was|lautet|ist)[: \\t]{1,3}(?<value>(?=\\S{0,63}\\d)${VALUE})`,
      "gim",
    ),
  },
  // "use x as the password".
  {
    pattern: new RegExp(
      `\\b(?:use|with)[ \\t]+[\`"']?(?<value>(?=\\S{0,63}\\d)${VALUE})[\`"']?[ \\t]+(?:as|for)[ \\t]+(?:the[ \\t]+|a[ \\t]+)?(?:password|passphrase|pw)\\b`,
      "gim",
    ),
  },
  // "PSK: x", "RADIUS secret for new switches: x", "mot de passe : x".
  {
    pattern: new RegExp(
      `\\b(?:password|passphrase|passwort|kennwort|pw|psk|secret|enable|mot de passe|mdp|contraseña|clave|senha|wachtwoord|auth-info)\\b[^\\n:=：\`]{0,40}(?:[:=][ \\t]{1,3}|：[ \\t]{0,3})[\`"']?(?<value>${VALUE})(?=[\`"']?(?:[\\s,;)|]|$))`,
      "gim",
    ),
  },
  // "pw "three words 6""
  {
    pattern:
      /\b(?:password|passphrase|passwort|kennwort|contraseña|heslo|hasło|mdp|pw)[ \t:]{1,3}["„](?<value>(?=[^"“\n]{0,63}\d)[^\s"“]+(?: [^\s"“]+){1,7})["“]/gi,
    isSure: true,
  },
  // "mdp `x`", "PIN 4812".
  {
    pattern: new RegExp(
      `(?<![\\p{L}\\d])(?:password|passwort|kennwort|mdp|mot de passe|contraseña|clave|senha|heslo|hasło|wachtwoord|pw|psk)[ \\t]+\`(?<value>${VALUE})\``,
      "giu",
    ),
    isSure: true,
  },
  // A row of a table: "| root password | `x` |", "| VPN user | `bob` / `x` |".
  {
    pattern: new RegExp(
      `^\\|[^|\\n]{0,60}(?:password|passphrase|passwor[dt]|kennwort|пароль|contraseña|senha|mot de passe|hasło)[^|\\n]{0,30}\\|[ \\t]*\`?(?<value>(?=\\S{0,63}\\d)${VALUE})\`?[ \\t]*\\|`,
      "gim",
    ),
  },
  { pattern: new RegExp(`\`(?<user>[\\w.@-]{2,40})\`[ \\t]*/[ \\t]*\`(?<value>(?=\\S{0,63}\\d)${VALUE})\``, "g") },
  // "iDRAC: root / calvin", "user Admin, password Admin".
  {
    pattern:
      /(?<![\w/.@-])(?<user>admin\w{0,12}|root|superuser|apc|cisco|operator|user|pi|ubnt)[ \t]{1,3}\/[ \t]{1,3}[`"]?(?<value>[\w!]{4,20})(?=[`"]?(?:[\s|,;)]|$))/gim,
    isDefault: true,
  },
  {
    pattern:
      /\b(?:password|passwort|kennwort|mot de passe|mdp|pw)[ \t]{0,3}[:=][ \t]{0,3}[`"]?(?<value>[\w!]{3,20})(?=[`"]?(?:[\s,;)(]|$))/gim,
    isDefault: true,
  },
  {
    pattern:
      /\b(?:user|login|benutzer|utilisateur|usuario)[ \t]+(?<user>[\w.@-]{2,40}),?[ \t]+(?:password|passwort|kennwort|pw|mot de passe)[ \t]+(?<value>[\w!]{4,20})(?=[\s,;.)(]|$)/gim,
    isDefault: true,
  },
  { pattern: /\bPIN[: \t]{1,3}(?<value>\d{4,8})(?=[\s,;.)]|$)/gm, isSure: true },
  // The same in other alphabets.
  {
    pattern: new RegExp(
      `(?:пароль|密码|密碼|口令|パスワード|비밀번호)[^\\n:=：]{0,20}[:=：][ \\t]{0,3}[\`"']?(?<value>[^\\s\`"'|,;()<>，。]{4,64})(?=[\`"']?(?:[\\s,;)|，。]|$))`,
      "gi",
    ),
    isSure: true,
  },
  // "identifiants : root / x", "login: bob / x".
  {
    pattern:
      /(?:identifiants|credentials|zugangsdaten|connexion|login)[ \t]{0,3}[:=：][ \t]{0,3}[`"]?(?<user>[\w.@-]{2,40})[`"]?[ \t]{1,3}\/[ \t]{1,3}[`"]?(?<value>(?!pass|pwd|mot|kenn|secret)[^\s`"'|,;()<>]{4,64})(?=[`"]?[ \t]*(?:[,;)(]|$))/gim,
    isSure: true,
  },
  // "user bob@example.com / x".
  {
    pattern: new RegExp(
      `\\b(?:user|login|compte|benutzer|account|usuario)[: \\t]{1,3}[\`]?(?<user>[\\w.@-]{2,64})[\`]?[ \\t]+/[ \\t]+[\`]?(?<value>${VALUE})(?=[\`]?(?:[\\s,;)|]|$))`,
      "gim",
    ),
  },
  // A line with the user and one with the password.
  {
    pattern: new RegExp(
      `^[ \\t>*-]{0,9}(?:user(?:name)?|login|benutzer(?:name)?|account)[ \\t]{0,9}[:=][ \\t]{0,9}(?<user>\\S{1,64})[ \\t]*\\r?\\n[ \\t>*-]{0,9}(?:password|passwort|kennwort|pass|pw)[ \\t]{0,9}[:=][ \\t]{0,9}(?<value>${VALUE})[ \\t]*\\r?$`,
      "gim",
    ),
    isSure: true,
  },
  // "vpn: bob / x" at the end of a line.
  {
    pattern: new RegExp(
      `(?:[:(|][ \\t]{1,3}|[ \\t]{1,60})(?<user>[a-z][\\w.@-]{1,40}) / (?<value>(?=\\S{0,63}\\d)(?=\\S{0,63}(?:[A-Z]|\\d[a-z!@%^*+~$&(?]))${VALUE})(?=[ \\t)]*$|[ \\t]+\\()`,
      "gm",
    ),
  },
  // "user bob, pw x".
  {
    pattern: new RegExp(
      `\\b(?:user(?:name)?|login|benutzer)[ \\t]{1,3}(?<user>[\\w.@-]{1,64}),?[ \\t]{1,9}(?:password|passwort|pw)[ \\t]+(?<value>(?=\\S{0,63}\\d)${VALUE})(?=[\\s.,;)]|$)`,
      "gim",
    ),
    isSure: true,
  },
  // "user=bob  password=x", "user bob, password is x".
  {
    pattern: new RegExp(
      `\\b(?:user(?:name)?|login)[= \\t]{1,3}(?<user>[\\w.@-]{1,64})[, \\t]{1,9}(?:password|pw)(?:=|[ \\t]+is[ \\t]+)(?<value>${VALUE})(?=[\\s.,;)]|$)`,
      "gim",
    ),
    isSure: true,
  },
  // "admin   x" in columns, "WLAN: name / x".
  {
    pattern: new RegExp(
      `[ \\t](?<user>admin\\w{0,12}|root)[ \\t]{2,20}(?<value>(?=\\S{0,63}\\d)${VALUE})[ \\t]*$`,
      "gim",
    ),
  },
  {
    pattern: new RegExp(
      `\\b(?:Wi-?Fi|WLAN)\\b(?:[^\\n/]{1,60} / |[^\\n/:]{1,60}:[ \\t]{1,20})(?<value>(?=\\S{0,63}\\d)${VALUE})[ \\t]*$`,
      "gim",
    ),
  },
  // "SSID x, key y".
  {
    pattern: new RegExp(
      `\\b(?:SSID|Wi-?Fi|WLAN)\\b[^\\n]{0,80}\\b(?:key|schlüssel|cl[ée]|psk)[ \\t:]+[\`"]?(?<value>(?=\\S{0,63}\\d)${VALUE})`,
      "gim",
    ),
    isSure: true,
  },
  // "Administrator:x", "root / x".
  {
    pattern: new RegExp(
      `(?<![\\w/.@-])(?<user>\\w{0,12}admin\\w{0,12}|root|operator|sysadm|manager)[ \\t]{0,2}[:/][ \\t]{0,3}[\`"]?(?<value>(?=\\S{0,63}\\d)${VALUE})(?=[\`"]?(?:[\\s|,;)]|$))`,
      "gim",
    ),
  },
];
/** A table with a column of logins, in which a cell is `user / password`. */
const TABLE =
  /^\|[^\n]{0,400}\b(?:login|logins|credentials?|password|access|zugang)\b[^\n]{0,400}\n\|[ \t:|-]{1,400}\n(?<rows>(?:\|[^\n]*(?:\n|$))+)/gim;
const CELL = /\|[ \t]*`?(?<user>[\w.@-]{2,40})[ \t]*\/[ \t]*(?<value>[^\s|`]{6,64})`?[ \t]*(?=\|)/g;

export function readNotes(text: string): Candidate[] {
  if (text.length > LARGEST) return [];
  const found = NOTES.flatMap(({ pattern, isSure = false, isDefault = false }) =>
    [...text.matchAll(pattern)]
      .filter((match) => !isDefault || isDefaultPassword(match.groups?.["value"] ?? ""))
      .flatMap((match) => noteOf(match, 0, isSure || isDefault)),
  );
  const cells = [...text.matchAll(TABLE)].flatMap((table) => {
    const rows = table.groups?.["rows"] ?? "";
    return [...rows.matchAll(CELL)].flatMap((cell) => noteOf(cell, table.index + table[0].length - rows.length, true));
  });
  return [...found, ...cells, ...columnsOf(text)];
}

const MARKDOWN = /^(?<head>\|[^\n]{3,400}\|)[ \t]*\n\|[ \t:|-]{1,400}\n(?<rows>(?:\|[^\n]*(?:\n|$))+)/gm;

/** Cells of a table below a heading such as "Password". */
function columnsOf(text: string): Candidate[] {
  return [...text.matchAll(MARKDOWN)].flatMap((table) => {
    const { head = "", rows = "" } = table.groups ?? {};
    const column = head
      .split("|")
      .findIndex((cell) =>
        /^\s*(?:initial |admin |root )?(?:password|passwort|kennwort|pw|passphrase|psk|пароль|密码|contraseña|senha|mot de passe|hasło|wachtwoord)\s*$/i.test(
          cell,
        ),
      );
    if (column === -1) return [];
    let at = table.index + table[0].length - rows.length;
    return rows.split("\n").flatMap((row) => {
      const start = at + row.split("|").slice(0, column).join("|").length + 1;
      at += row.length + 1;
      const cell = /^[ \t]*`?(?<value>[^\s|`]{4,64})`?[ \t]*$/.exec(row.split("|")[column] ?? "");
      return cell === null ? [] : noteOf(cell, start, true);
    });
  });
}

const isDefaultPassword = (value: string): boolean =>
  /^\d{4,8}$/.test(value) ||
  (isWeak(value) &&
    !/^(?:pass(?:w(?:or[dt]|d))?|kennwort|secret|user|guest|test|default|prod(?:uction)?|dev(?:elop)?|local)$/i.test(
      value,
    ));

function noteOf(match: RegExpExecArray, base: number, isSure: boolean): Candidate[] {
  const { value = "", user = null } = match.groups ?? {};
  // "Password mismatch (SHA1 of given password: 26ae86)".
  const around = match.input.slice(Math.max(0, match.index - 40), match.index + match[0].length - value.length);
  if (/\b(?:SHA-?\d{1,3}|MD5)\b[^\n]{0,30}$/i.test(around)) return [];
  const raw = value.replace(/[.:]+$/, "");
  // Versions, and names such as `ms-DNS-NSEC3-Salt`.
  if (
    /\/|^[A-Za-z]+=|^\d+:|\d\.\d|\.(?:key|pem|pub|txt)\b/.test(raw) ||
    (/^[A-Za-z]+(?:-[A-Za-z]+\d*)+$/.test(raw) && /[A-Z]/.test(raw))
  )
    return [];
  if (!isPasswordLike(raw) && !(isSure && (/^[\w-]{6,64}$|^\S+(?: \S+){1,7}$/.test(raw) || isDefaultPassword(raw))))
    return [];
  const start = base + match.index + match[0].lastIndexOf(value);
  return [
    {
      detector: isSure ? "file-format" : "phrase",
      keyName: null,
      raw,
      start,
      end: start + raw.length,
      isQuoted: true,
      syntax: 0.7,
      asserted: "password",
      userName: user,
    },
  ];
}
