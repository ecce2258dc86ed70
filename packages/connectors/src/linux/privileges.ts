// Decides what an account of a Unix host can become: user id 0, rights of sudo, and groups that amount to root.
import type { ListedPrivilege } from "../collected.ts";
import type { SudoRight } from "./sudoers.ts";

/** Members of these groups can become root without sudo. */
const ROOT_GROUPS: Readonly<Record<string, string>> = {
  docker: "starts containers that mount the host's disk",
  lxd: "starts containers that mount the host's disk",
  incus: "starts containers that mount the host's disk",
  "incus-admin": "starts containers that mount the host's disk",
  libvirt: "starts virtual machines on the host's disks",
  disk: "reads and writes the disks directly",
  shadow: "reads the hashes of all passwords",
};

const SHELLS =
  "sh bash dash zsh ksh mksh csh tcsh fish ash busybox su sudo doas env nice nohup setsid timeout xargs chroot nsenter unshare runuser setpriv script screen tmux expect watch stdbuf ionice taskset flock time strace ltrace gdb";
const INTERPRETERS = "perl python python2 python3 ruby node lua php tclsh wish awk gawk mawk nawk find";
const EDITORS =
  "vi vim view vimdiff rvim nvim ex ed nano pico emacs joe mcedit less more most pg man info top htop ftp sftp telnet mysql psql sqlite3 git journalctl systemctl";
const WRITERS =
  "tee dd cp mv install ln sed rsync scp tar zip unzip cpio ar rpm dpkg apt apt-get aptitude yum dnf zypper snap pip pip3 npm gem make cmake chmod chown chgrp setfacl setcap mount visudo vipw vigr passwd chpasswd useradd usermod userdel groupadd groupmod gpasswd adduser addgroup crontab at batch insmod modprobe kexec docker podman ctr nerdctl lxc virsh ssh wget curl nc socat openssl base64 cat head tail";
const names = (list: string) => new Set(list.split(" "));
/** Start a shell or another program with any arguments they are given. */
const STARTS_PROGRAMS = names(`${SHELLS} ${INTERPRETERS}`);
/** Can start a shell from their own prompt, even with fixed arguments. */
const INTERACTIVE = names(
  `${EDITORS.replace("journalctl systemctl", "")} sh bash dash zsh ksh csh tcsh fish su python3 perl ruby`,
);
/** Write or read any file, or change accounts, when the caller chooses the arguments. */
const POWERFUL = names(`${EDITORS} ${WRITERS}`);

const MAX_DETAIL = 20;
const MAX_TEXT = 256;

export interface UnixAccount {
  name: string;
  uid: string;
  home: string;
  groups: readonly string[];
}

/** The strongest first. `people` are all accounts of the host. */
export function privilegesOf(
  account: UnixAccount,
  rights: readonly SudoRight[],
  people: readonly UnixAccount[],
): ListedPrivilege[] {
  const found: ListedPrivilege[] = [];
  if (account.uid === "0") {
    const path = account.name === "root" ? [] : ["user id 0"];
    found.push({ kind: "root", path, detail: [], needsPassword: null });
  }
  const asRoot = rights.filter(({ runAs }) => isRoot(runAs));
  for (const [kind, chosen] of [
    ["sudo-all", asRoot.filter(({ command }) => command === "ALL")],
    ["sudo-escape", asRoot.filter((right) => right.command !== "ALL" && opensShell(right, account))],
  ] as const) {
    for (const group of byPath(chosen)) found.push(privilegeOf(kind, group));
  }
  for (const group of account.groups) {
    const reason = ROOT_GROUPS[group];
    if (reason === undefined) continue;
    found.push({ kind: "root-group", path: [`group ${group}`], detail: [reason], needsPassword: false });
  }
  for (const other of rights.filter(({ runAs }) => !isRoot(runAs))) {
    const kind = other.command === "ALL" || opensShell(other, account) ? "sudo-as" : "sudo-limited";
    for (const name of runAsNames(other.runAs, people)) {
      if (name !== account.name) found.push({ ...privilegeOf(kind, [other]), becomes: name });
    }
  }
  const limited = asRoot.filter((right) => right.command !== "ALL" && !opensShell(right, account));
  for (const group of byPath(limited)) found.push(privilegeOf("sudo-limited", group));
  const order = ["root", "sudo-all", "sudo-escape", "root-group", "sudo-as", "sudo-limited"];
  // `root` needs no rule of sudo, and a rule without a password is worth more than one with it.
  const rank = ({ kind, needsPassword }: ListedPrivilege) => order.indexOf(kind) * 2 + (needsPassword === true ? 1 : 0);
  return found.toSorted((one, other) => rank(one) - rank(other)).slice(0, MAX_PRIVILEGES);
}

const MAX_PRIVILEGES = 50;

/** One privilege per rule: the same names and the same need for a password. */
const byPath = (rights: readonly SudoRight[]): SudoRight[][] => [
  ...Map.groupBy(rights, ({ path, needsPassword }) => JSON.stringify([path, needsPassword])).values(),
];

function privilegeOf(kind: ListedPrivilege["kind"], rights: readonly SudoRight[]): ListedPrivilege {
  const [first] = rights;
  const path = (first?.path ?? []).map((each) => (each.startsWith("%") ? `group ${each.slice(1)}` : each));
  const commands = [...new Set(rights.map(({ command }) => programAndShape(command)))];
  return {
    kind,
    path: [...path, `sudo rule in ${first?.file ?? "sudoers"}`].map((each) => each.slice(0, MAX_TEXT)),
    detail: commands.slice(0, MAX_DETAIL).map((each) => each.slice(0, MAX_TEXT)),
    needsPassword: first?.needsPassword ?? null,
  };
}

/** Arguments stay out: they could contain a secret. */
function programAndShape(command: string): string {
  const [program = "", ...rest] = command.split(" ");
  if (rest.length === 0) return program;
  return rest.join(" ") === '""' ? `${program} without arguments` : `${program} with fixed arguments`;
}

/** As root: `ALL` includes it unless it is excluded afterwards. */
function isRoot(runAs: readonly string[]): boolean {
  for (const each of runAs.toReversed()) {
    if (["root", "#0", "ALL", "%root", "%#0"].includes(each)) return true;
    if (["!root", "!#0", "!ALL"].includes(each)) return false;
  }
  return false;
}

function runAsNames(runAs: readonly string[], people: readonly UnixAccount[]): string[] {
  const matches = (each: string, { name, uid, groups }: UnixAccount) =>
    each === "ALL" || each === name || each === `#${uid}` || (each.startsWith("%") && groups.includes(each.slice(1)));
  const chosen = people.filter((one) => {
    const last = runAs.findLast((each) => matches(each.replace(/^!/, ""), one));
    return last !== undefined && !last.startsWith("!");
  });
  return chosen.slice(0, MAX_DETAIL).map(({ name }) => name);
}

/** Whether the command can start a shell or write any file, so that it amounts to every command. */
export function opensShell({ command, isNoexec }: SudoRight, { home }: Pick<UnixAccount, "home">): boolean {
  if (command.startsWith("^")) return false;
  const [program = "", ...rest] = command.split(" ");
  if (program === "sudoedit")
    return rest.some((file) => /[*?[]|^\/etc\/(sudoers|shadow|passwd|pam\.d|cron)/.test(file));
  // The account can change a script in its own home.
  if (home.length > 1 && program.startsWith(`${home}/`)) return true;
  const name = (program.split("/").at(-1) ?? "").replace(/^(python|perl|ruby|php|lua)[\d.]+$/, "$1");
  if (/[*?[]/.test(program)) return true;
  if (rest.join(" ") === '""') return INTERACTIVE.has(name) && !isNoexec;
  const isFixed = rest.length > 0 && !rest.some((argument) => /[*?[]/.test(argument));
  if (isFixed) return INTERACTIVE.has(name) && !isNoexec && !isScript(name, rest);
  return (STARTS_PROGRAMS.has(name) && !isNoexec) || POWERFUL.has(name);
}

/** An interpreter with a fixed script runs only that script. */
const isScript = (name: string, rest: readonly string[]) =>
  !names(EDITORS).has(name) && name !== "su" && rest.some((argument) => !argument.startsWith("-"));
