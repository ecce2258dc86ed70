// Resolves the rules of sudo to what each account can do: aliases, groups, exclusions, tags and run-as lists (sudoers(5)).

/** A line of the configuration, in the order in which sudo reads it, with included files in their place. */
export interface SudoersLine {
  file: string;
  text: string;
}

export interface SudoUser {
  name: string;
  uid: string;
  /** Group names, without `%`. */
  groups: readonly string[];
  groupIds: readonly string[];
}

/** A command that the account may run. */
export interface SudoRight {
  /** `ALL`, or the path with its arguments. `""` as argument means that none are allowed. */
  command: string;
  /** The accounts that it runs as: names, `#uid`, `%group` or `ALL`, with `!` for exclusions. */
  runAs: readonly string[];
  needsPassword: boolean;
  isNoexec: boolean;
  /** The names through which the rule applies: `%wheel`, an alias and its member, or nothing for the account's own name. */
  path: readonly string[];
  file: string;
}

interface Spec {
  users: string[];
  hosts: string[];
  commands: Omit<SudoRight, "path" | "needsPassword">[];
  tags: (boolean | null)[];
}

interface Aliases {
  User: Map<string, string[]>;
  Runas: Map<string, string[]>;
  Host: Map<string, string[]>;
  Cmnd: Map<string, string[]>;
}

export interface Sudoers {
  specs: Spec[];
  aliases: Aliases;
  /** Settings that ask for no password, or for another account's: the scope (`@`, `:` and so on, or empty) and the value. */
  authenticate: { scope: string; names: string[]; value: boolean }[];
  /** Lines that do not have the form of a rule. */
  unreadable: number;
}

const MAX_DEPTH = 10;
const OPTIONS =
  /^(ROLE|TYPE|PRIVS|LIMITPRIVS|NOTBEFORE|NOTAFTER|TIMEOUT|CWD|CHROOT|APPARMOR_PROFILE)\s*=\s*("[^"]*"|\S+)\s*/;
const TAG =
  /^(NOPASSWD|PASSWD|NOEXEC|EXEC|SETENV|NOSETENV|LOG_INPUT|NOLOG_INPUT|LOG_OUTPUT|NOLOG_OUTPUT|MAIL|NOMAIL|FOLLOW|NOFOLLOW|INTERCEPT|NOINTERCEPT)\s*:\s*/;
const DIGEST = /^sha(224|256|384|512)\s*:\s*[A-Za-z0-9+/=]+\s*(,\s*)?/;

export function readSudoers(lines: readonly SudoersLine[]): Sudoers {
  const sudoers: Sudoers = {
    specs: [],
    aliases: { User: new Map(), Runas: new Map(), Host: new Map(), Cmnd: new Map() },
    authenticate: [],
    unreadable: 0,
  };
  for (const { file, text } of joined(lines)) {
    const line = withoutComment(text).trim();
    if (line === "" || /^[@#]include/.test(line)) continue;
    const alias = /^(User|Runas|Host|Cmnd|Cmd)_Alias\s+(.*)$/s.exec(line);
    if (alias !== null) {
      const kind = alias[1] === "Cmd" ? "Cmnd" : (alias[1] as keyof Aliases);
      for (const each of split(alias[2] ?? "", ":")) {
        const [, name, list] = /^\s*([A-Z][A-Z0-9_]*)\s*=\s*(.*)$/s.exec(each) ?? [];
        if (name !== undefined) sudoers.aliases[kind].set(name, itemsOf(list ?? ""));
      }
      continue;
    }
    if (line.startsWith("Defaults")) {
      readDefaults(sudoers, line);
      continue;
    }
    const specs = specsIn(line, file);
    if (specs === null) sudoers.unreadable += 1;
    else sudoers.specs.push(...specs);
  }
  return sudoers;
}

/** Joins lines that end with a backslash, within one file. */
function* joined(lines: readonly SudoersLine[]): Generator<SudoersLine> {
  let open: SudoersLine | null = null;
  for (const { file, text } of lines) {
    const whole: string = open?.file === file ? `${open.text} ${text.trimStart()}` : text;
    if (/(^|[^\\])(\\\\)*\\$/.test(whole)) open = { file, text: whole.slice(0, -1) };
    else {
      yield { file, text: whole };
      open = null;
    }
  }
  if (open !== null) yield open;
}

/** `#` begins a comment unless it begins a user or group id, or is escaped or quoted. */
function withoutComment(line: string): string {
  if (/^\s*[@#]include/.test(line)) return line;
  let isQuoted = false;
  for (let at = 0; at < line.length; at += 1) {
    const char = line[at];
    if (char === "\\") at += 1;
    else if (char === '"') isQuoted = !isQuoted;
    else if (char === "#" && !isQuoted && !/^#-?\d/.test(line.slice(at))) return line.slice(0, at);
  }
  return line;
}

/** Splits at a separator that is not escaped, quoted or in parentheses. */
function split(text: string, separator: string): string[] {
  const parts: string[] = [];
  let [from, depth, isQuoted] = [0, 0, false];
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at];
    if (char === "\\") at += 1;
    else if (char === '"') isQuoted = !isQuoted;
    else if (isQuoted) continue;
    else if (char === "(") depth += 1;
    else if (char === ")") depth -= 1;
    else if (char === separator && depth <= 0) {
      parts.push(text.slice(from, at));
      from = at + 1;
    }
  }
  return [...parts, text.slice(from)];
}

const itemsOf = (list: string): string[] =>
  split(list, ",")
    .map((each) => plain(each.trim()))
    .filter((each) => each !== "");

/** Without quotes and escapes; exclusions are normalised to one `!` or none. */
function plain(item: string): string {
  const [, marks = "", rest = ""] = /^((?:!\s*)*)(.*)$/s.exec(item) ?? [];
  const isNot = marks.replaceAll(/\s/g, "").length % 2 === 1;
  const text = rest.replaceAll(/"([^"]*)"/g, (_, inner: string) => inner || '""').replaceAll(/\\(.)/g, "$1");
  return `${isNot ? "!" : ""}${text}`;
}

function readDefaults(sudoers: Sudoers, line: string): void {
  const [, scope = "", names = "", settings = ""] =
    /^Defaults(?:([@:>!])\s*((?:[^\s,]|,\s*)+))?\s+(.*)$/s.exec(line) ?? [];
  for (const each of split(settings, ",")) {
    const setting = each.trim().replaceAll(/^!\s*/g, "!");
    if (setting !== "authenticate" && setting !== "!authenticate") continue;
    sudoers.authenticate.push({ scope, names: itemsOf(names), value: setting === "authenticate" });
  }
}

/** `users hosts = commands [: hosts = commands]`. Null if the line has another form. */
function specsIn(line: string, file: string): Spec[] | null {
  const [, users = "", rest = ""] =
    /^((?:(?:\\.|"[^"]*"|[^\s,"\\])+)(?:\s*,\s*(?:\\.|"[^"]*"|[^\s,"\\])+)*)\s+(.*)$/s.exec(line) ?? [];
  if (users === "" || !rest.includes("=")) return null;
  const specs: Spec[] = [];
  for (const part of privilegesIn(rest)) {
    const at = firstEquals(part);
    if (at < 0) return null;
    const hosts = itemsOf(part.slice(0, at));
    specs.push({ users: itemsOf(users), hosts, ...commandsIn(part.slice(at + 1), file) });
  }
  return specs;
}

const firstEquals = (text: string): number => {
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] === "\\") at += 1;
    else if (text[at] === "=") return at;
  }
  return -1;
};

/** Splits at a colon that is followed by another list of hosts: colons also end tags. */
function privilegesIn(text: string): string[] {
  const parts: string[] = [];
  for (const each of split(text, ":")) {
    const before = parts.at(-1);
    const isTag = before !== undefined && /(^|[\s,)=])[A-Z_]+\s*$/.test(before) && TAG.test(`${lastWord(before)}:`);
    const isDigest = before !== undefined && /sha(224|256|384|512)\s*$/.test(before);
    if (before === undefined || (!isTag && !isDigest && /^\s*[^=/]+=/.test(each))) parts.push(each);
    else parts[parts.length - 1] = `${before}:${each}`;
  }
  return parts;
}

const lastWord = (text: string): string => /([A-Z_]+)\s*$/.exec(text)?.[1] ?? "";

/** Run-as lists and tags apply to the commands after them, until the next ones. */
function commandsIn(text: string, file: string): Pick<Spec, "commands" | "tags"> {
  let runAs: string[] = ["root"];
  let [needsPassword, isNoexec]: [boolean | null, boolean] = [null, false];
  const commands: Spec["commands"] = [];
  const tags: Spec["tags"] = [];
  for (const each of split(text, ",")) {
    let rest = each.trim();
    const list = /^\(([^)]*)\)\s*/.exec(rest);
    if (list !== null) {
      rest = rest.slice(list[0].length);
      const [users = ""] = split(list[1] ?? "", ":");
      // `(:group)` runs as the account itself with another group.
      runAs = itemsOf(users);
    }
    for (let more = true; more;) {
      const option = OPTIONS.exec(rest);
      const tag = TAG.exec(rest);
      const digest = DIGEST.exec(rest);
      if (tag?.[1] === "NOPASSWD" || tag?.[1] === "PASSWD") needsPassword = tag[1] === "PASSWD";
      if (tag?.[1] === "NOEXEC" || tag?.[1] === "EXEC") isNoexec = tag[1] === "NOEXEC";
      const taken = option ?? tag ?? digest;
      if (taken !== null) rest = rest.slice(taken[0].length);
      more = taken !== null;
    }
    if (rest === "") continue;
    commands.push({ command: plain(rest).replaceAll(/\s+/g, " "), runAs, isNoexec, file });
    tags.push(needsPassword);
  }
  return { commands, tags };
}

export interface SudoHost {
  /** Full and short names and addresses. */
  names: readonly string[];
}

/** The rights of one account. As in sudo, a later exclusion of the same command cancels it. */
export function sudoRightsOf(user: SudoUser, host: SudoHost, sudoers: Sudoers): SudoRight[] {
  let rights: SudoRight[] = [];
  for (const { users, hosts, commands, tags } of sudoers.specs) {
    const path = matchUser(users, user, sudoers.aliases.User);
    if (path === null || !matchesHost(hosts, host, sudoers.aliases.Host)) continue;
    for (const [index, each] of commands.entries()) {
      const runAs = expand(each.runAs, sudoers.aliases.Runas);
      for (const command of expand([each.command], sudoers.aliases.Cmnd)) {
        if (command === "!ALL") rights = [];
        else if (command.startsWith("!")) {
          const excluded = command.slice(1);
          rights = rights.filter((right) => right.command !== excluded);
        } else {
          const needsPassword = tags[index] ?? needsPasswordByDefault(user, host, sudoers);
          const right = { ...each, command, runAs, needsPassword, path };
          // The last rule for the same command counts.
          rights = [...rights.filter((old) => !isSame(old, right)), right];
        }
      }
    }
  }
  return rights;
}

const isSame = (one: SudoRight, other: SudoRight) =>
  one.command === other.command && one.runAs.join() === other.runAs.join();

function needsPasswordByDefault(user: SudoUser, host: SudoHost, { authenticate, aliases }: Sudoers): boolean {
  let value = true;
  for (const { scope, names, value: set } of authenticate) {
    const applies =
      scope === "" ||
      (scope === ":" && matchUser(names, user, aliases.User) !== null) ||
      (scope === "@" && matchesHost(names, host, aliases.Host));
    if (applies) value = set;
  }
  return value && user.uid !== "0";
}

/** Replaces aliases by their members; an excluded alias excludes its members. */
function expand(items: readonly string[], aliases: ReadonlyMap<string, string[]>, depth = 0): string[] {
  return items.flatMap((item) => {
    const isNot = item.startsWith("!");
    const members = aliases.get(isNot ? item.slice(1) : item);
    if (members === undefined || depth > MAX_DEPTH) return [item];
    const inner = expand(members, aliases, depth + 1);
    return isNot ? inner.map((each) => (each.startsWith("!") ? each.slice(1) : `!${each}`)) : inner;
  });
}

/** The path of names through which the list contains the user, or null. The last matching item decides. */
function matchUser(
  items: readonly string[],
  user: SudoUser,
  aliases: ReadonlyMap<string, string[]>,
  depth = 0,
): string[] | null {
  for (const item of items.toReversed()) {
    const isNot = item.startsWith("!");
    const name = isNot ? item.slice(1) : item;
    const members = depth > MAX_DEPTH ? undefined : aliases.get(name);
    const inner = members === undefined ? null : matchUser(members, user, aliases, depth + 1);
    if (inner !== null) return isNot ? null : [name, ...inner];
    if (members === undefined && isUser(name, user)) {
      if (isNot) return null;
      return name.startsWith("%") || name === "ALL" ? [name] : [];
    }
  }
  return null;
}

function isUser(name: string, user: SudoUser): boolean {
  if (name === "ALL" || name === user.name) return true;
  if (name.startsWith("%#")) return user.groupIds.includes(name.slice(2));
  if (name.startsWith("%")) return user.groups.includes(name.slice(1));
  return name.startsWith("#") && name.slice(1) === user.uid;
}

function matchesHost(
  items: readonly string[],
  host: SudoHost,
  aliases: ReadonlyMap<string, string[]>,
  depth = 0,
): boolean {
  for (const item of items.toReversed()) {
    const isNot = item.startsWith("!");
    const name = isNot ? item.slice(1) : item;
    const members = depth > MAX_DEPTH ? undefined : aliases.get(name);
    if (members !== undefined ? matchesHost(members, host, aliases, depth + 1) : isHost(name, host)) return !isNot;
  }
  return false;
}

/** Networks and netgroups are not resolved and count as a match: reporting too many rights is safer than missing one. */
function isHost(name: string, { names }: SudoHost): boolean {
  if (name === "ALL" || name.startsWith("+") || name.includes("/")) return true;
  const wanted = name.toLowerCase();
  if (!/[*?[]/.test(wanted)) return names.some((each) => each.toLowerCase() === wanted);
  const pattern = wanted
    .replaceAll(/[.+^${}()|\\]/g, String.raw`\$&`)
    .replaceAll("*", ".*")
    .replaceAll("?", ".");
  try {
    return names.some((each) => new RegExp(`^${pattern}$`).test(each.toLowerCase()));
  } catch {
    return true;
  }
}
