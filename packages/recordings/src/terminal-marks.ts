// Marks of a recording: moments that a reader may look for. Found in text that the target controls, so hints and not proof.

export const MARK_KINDS = ["command", "privilege", "error", "login", "transfer", "note"] as const;
export type MarkKind = (typeof MARK_KINDS)[number];

export interface Mark {
  /** Milliseconds since the start of the recording. */
  readonly at: number;
  readonly kind: MarkKind;
  readonly text: string;
}

/** Longer lines are examined up to here. */
const EXAMINED = 512;

/** The prompts of shells and database clients that do not announce a command with OSC 133. */
const PROMPTS = [
  /^(?:\([\w.-]{1,40}\) ?)?\[?[\w.-]{1,64}@[\w.-]{1,64}[^$#%>❯\n]{0,120}[$#%>❯] +(\S.*)$/u,
  /^(?:ba|z|a|da|k)?sh-?[\d.]{0,8}[$#%] +(\S.*)$/,
  /^\$ +(\S.*)$/,
  /^(?:mysql|sqlite|sftp|ftp|MariaDB \[[^\]\n]{1,64}\])> +(\S.*)$/,
  /^\w{1,63}=[#>] +(\S.*)$/,
];
/** Each prompt has one of them. Most lines have none, and a gateway examines every line. */
const PROMPT_SIGNS = /[$#%>❯]/;
const PRIVILEGE = /(?:^|[;&|(]\s*)(?:\w+=\S*\s+)*(?:\/\S*\/)?(?:sudo|su|doas|pkexec|runuser)(?:\s|$)/;
const TRANSFER =
  /(?:^|[;&|(]\s*)(?:\w+=\S*\s+)*(?:sudo\s+)?(?:\/\S*\/)?(?:scp|sftp|rsync|wget|curl|ftp|rclone|sz|rz)(?:\s|$)/;
/** The message of login, sshd and su. */
const LOGIN = /^Last (?:failed )?login: /;
const ERROR =
  /(?:permission denied|command not found|no such file or directory|segmentation fault|operation not permitted|authentication failure|\bfatal:|\berror:|\bpanic:)/i;

/** The mark of a command line, which distinguishes changes of privilege and programs that transfer files. */
export function commandMark(at: number, command: string): Mark | null {
  const text = command.trim().slice(0, EXAMINED);
  if (text === "") return null;
  if (PRIVILEGE.test(text)) return { at, kind: "privilege", text };
  return { at, kind: TRANSFER.test(text) ? "transfer" : "command", text };
}

/** The command that a shown line contains after a prompt; null when it does not look like one. */
export function commandIn(line: string): string | null {
  if (!PROMPT_SIGNS.test(line)) return null;
  const examined = line.slice(0, EXAMINED);
  for (const prompt of PROMPTS) {
    const found = prompt.exec(examined)?.[1];
    if (found !== undefined) return found;
  }
  return null;
}

/** The mark of a shown line that is not a command. */
export function lineMark(at: number, line: string): Mark | null {
  const text = line.slice(0, EXAMINED);
  if (LOGIN.test(text)) return { at, kind: "login", text };
  return ERROR.test(text) ? { at, kind: "error", text } : null;
}

/** The mark of a recorded marker event. The label can be `kind: text`. */
export function recordedMark(at: number, label: string): Mark {
  const [, kind, text = ""] = /^([a-z]+): (.*)$/s.exec(label) ?? [];
  const known = MARK_KINDS.find((one) => one === kind);
  return known === undefined ? { at, kind: "note", text: label } : { at, kind: known, text };
}
