// Settings without a separator: `requirepass x`, `username admin password 0 x`, `set mailserver … password "x"`.
import { candidateAt } from "./candidate.ts";
import type { Candidate, Line } from "./candidate.ts";
import { generatedKindOf } from "./generated.ts";
import { isPasswordLike } from "./password-like.ts";
import { endOfQuoted, isQuote } from "./quoting.ts";

/** Network equipment says how the value is written: `password 7 …`, `pre-shared-key ascii-text …`. */
const TYPE =
  /(?:[0-9]|1[0-4]|ascii-text|ascii|hexadecimal|hex|plaintext|plain-text|plain|manager|operator|cleartext|clear|local|encrypted|unencrypted|sha512|sha256|md5|simple|cipher|read|write|irreversible-cipher|key|is|passphrase|->|=>)[ \t]+/y;

export function readDirective(line: Line, from: number, to: number): Candidate | null {
  const { text, format } = line;
  const option = optionBefore(text, from);
  if (option) return readOption(line, from, to);
  if (format !== "assignments" && format !== "shell" && format !== "yaml") return null;
  const gap = /^(?:[ \t]{1,40}|["']\][ \t]*)/.exec(text.slice(to, to + 44));
  if (gap === null || /["']/.test(text[from - 1] ?? "")) return null;
  let at = to + gap[0].length;
  const before = text.slice(0, from).trim();
  if (format === "shell" && !/^$|(?:^|\s)(?:ENV|ARG|export|setenv|set)$/i.test(before)) return null;
  const valueFrom = at;
  for (let types = 0; types < 2; types += 1) {
    TYPE.lastIndex = at;
    if (TYPE.test(text)) at = TYPE.lastIndex;
  }
  const hasType = /^(?:plaintext|plain-text|cleartext|ascii-text|simple|cipher|encrypted|manager|operator)\b/.test(
    text.slice(valueFrom, at),
  );
  const keyName = text.slice(from, to);
  const words = before === "" ? 0 : before.split(/\s+/).length;
  // `PSKIdentity=PSK host` has the word as a value.
  if (before.endsWith("=") || text[from - 1] === "/") return null;
  // The line of a switch ends here.
  if (/^(?:manager|operator)[ \t\r]*$/.test(text.slice(to).trimStart())) return null;
  // RADIUS dictionaries, and Palau in lists of countries.
  // A description, and rules of RANCID that a table reads.
  if (/^(?:description|descr|comment)[ \t]*[:=]/i.test(before) || before === "add") return null;
  if (/^(?:ATTRIBUTE|VALUE)$/.test(before) || before === "map" || (words === 0 && keyName === "PW")) return null;
  // A comment after a setting, or a module definition.
  if (/[^\s#;]\s+(?:#|--|\/\/)\s/.test(before)) return null;
  const comment = /^(?:[#;!*]|\/\/|--|<!--)/.test(before);
  if (isQuote(text[at])) {
    const end = endOfQuoted(text, at + 1, text[at]!);
    if (end === -1 || (format === "shell" && !/^set$/i.test(before))) return null;
    if (format === "yaml" && generatedKindOf(text.slice(at + 1, end)) === null) return null;
    if (comment && words > 1 && generatedKindOf(text.slice(at + 1, end)) === null) return null;
    return candidateAt(line, "directive", at + 1, end, { keyName, isQuoted: true, syntax: words > 8 ? 0.6 : 0.9 });
  }
  const value = /^[^\s"'`{}()<>=[]\S{0,511}/.exec(text.slice(at, at + 512))?.[0].replace(/["';,{]+$/, "");
  // A block, which a community string may open.
  if (/^\s*\{/.test(text.slice(at + (value?.length ?? 0))) && !/community$/i.test(keyName)) return null;
  if (value === undefined || value === "" || /^(?:=|:|\||&|#|;|-+$)/.test(value)) return null;
  // `wpa2-psk mode=x` is a list of settings; the user `anonymous` has no password.
  if (/^[a-z][a-z-]*=[^=]/.test(value) || /\b(?:login|user)[ \t]+anonymous\b/i.test(text)) return null;
  const after = text
    .slice(at + value.length)
    .replace(/^[;,]+/, "")
    .trim();
  // `snmp-server community x ro`, and hosts after a community.
  const isAccess =
    /^(?:(?:ro|rw|read-only|read-write)(?:[ \t]+[\w-]+)?|\d{1,3})$/i.test(after) ||
    (/communit/i.test(keyName) && /^(?:default|localhost|[\d.:]+(?:\/[\d.]+)?)(?:\s|$)/.test(after));
  const rest = isAccess ? "" : after;
  const isRandom = /\d|[^\w.-]/.test(value) || (/[a-z]/.test(value) && /[A-Z]/.test(value.slice(1)));
  if (comment) {
    if (/^[\w.+-]+@[\w-]+(?:\.[\w-]+)+$/.test(value)) return null;
    if (before.length > 2 || rest !== "" || !isRandom || value.length < 6) return null;
    return candidateAt(line, "directive", at, at + value.length, { keyName, syntax: 0.6 });
  }
  // `password x` between the lines of a script is input for a program.
  const isInput = format === "shell" && before === "" && rest === "" && isPasswordLike(value);
  if (format === "yaml" || (format === "shell" && before === "" && !isInput)) return null;
  // A list of words.
  if (words > 2 && !isRandom && /^[\w.-]+[ \t]*=/.test(before)) return null;
  if (/^--|^(?:min|max)-/.test(value) || /^\s*\[[^\]]*\]\s*$/.test(text)) return null;
  // Patterns of hosts and of lines.
  if (/^\*\.?[\w.-]*$|\.\*|<HOST>/.test(value)) return null;
  // A list such as PAM's `password requisite pam_x.so retry=3` names modules.
  if (/\bpam_\w+\.so\b/.test(text) || /\.so\b|^\w+\s+(?:required|requisite|sufficient|optional)\b/.test(text.slice(at)))
    return null;
  if (words === 0) {
    const isShort = rest === "" || /^[#;]/.test(rest) || rest.split(/\s+/).length <= 2;
    return candidateAt(line, "directive", at, at + value.length, {
      keyName,
      syntax: rest === "" ? 0.9 : isShort && isRandom ? 0.7 : 0.3,
    });
  }
  const isProse =
    words > 7 ||
    (/[,.:!?]$/.test(before) && !/^USERID \S+,$/i.test(before)) ||
    /^(?:the|a|an|to|if|this|for|your|in|of|use|when)$/i.test(before.split(/\s+/)[0]!);
  const syntax = isProse
    ? 0.2
    : isRandom || hasType || (/communit/i.test(keyName) && rest === "{")
      ? 0.85
      : rest === ""
        ? 0.55
        : 0.4;
  return candidateAt(line, "directive", at, at + value.length, { keyName, syntax });
}

const optionBefore = (text: string, from: number): boolean =>
  /(?:^|[\s"'=,([])(?:--?|\/)[\w-]{0,40}$/.test(text.slice(Math.max(0, from - 44), from)) && text[from - 1] === "-";

/** `--password value`, `"--password", "value"`, `-Password 'value'`. */
function readOption(line: Line, from: number, to: number): Candidate | null {
  const { text } = line;
  const keyName = text.slice(from, to);
  // `-ppassword` of mysql.
  if (/^pp(?:ass|w)/.test(keyName) && text[from - 2] !== "-") return null;
  if (/-(?:stdin|file|from-file|prompt)$/.test(keyName)) return null;
  const gap =
    /^(?:["'][ \t]*,[ \t]*(?:default[ \t]*=[ \t]*)?|[ \t]+)(?:\(?ConvertTo-SecureString[ \t]+(?:-String[ \t]+)?|-{1,2}AsPlainText[ \t]+)?/i.exec(
      text.slice(to, to + 100),
    );
  if (gap === null) return null;
  const at = to + gap[0].length;
  if (isQuote(text[at])) {
    const end = endOfQuoted(text, at + 1, text[at]);
    return end === -1 ? null : candidateAt(line, "option", at + 1, end, { keyName, isQuoted: true, syntax: 0.95 });
  }
  if (line.format === "json") return null;
  const value = /^[^\s"'`;|&<>()-][^\s"'`;|&<>)]{0,255}/.exec(text.slice(at, at + 260))?.[0].replace(/\\$/, "");
  if (value === undefined || value === "") return null;
  // `docker build --secret id=x,src=y`.
  if (/^(?:id|type|src|source|env)=/.test(value)) return null;
  // PowerShell's `-Password x`.
  if (line.format === "code" && (!/^[A-Z]/.test(keyName) || !isPasswordLike(value))) return null;
  const isCommand = line.format === "shell" || /[\w/]\s+-/.test(text.slice(0, from));
  return candidateAt(line, "option", at, at + value.length, {
    keyName,
    syntax: line.format === "text" ? 0.65 : isCommand ? 0.9 : 0.7,
  });
}
