// Planted facts: each is a piece of a host's setup together with the facts that a scan must report about it.

/** A fact as text, such as `web1: alice has sudo-all`. Two scans that find the same facts give the same texts. */
export type Fact = string;

export interface Planted {
  /** Shell commands that run as root on the host. */
  setup: string;
  /** Without the host's name. */
  truth: readonly Fact[];
}

export interface PlannedHost {
  name: string;
  planted: readonly Planted[];
}

/** A key pair made by OpenSSH, with its fingerprint. */
export interface KeyPair {
  privateKey: string;
  encrypted: string;
  publicKey: string;
  fingerprint: string;
}

interface UserOptions {
  uid?: number;
  groups?: readonly string[];
  password?: "set" | "locked" | "none";
  home?: string;
  shell?: string;
}

const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

/** Precomputed, because hashing takes a third of a second: SHA-512 of a password that nobody knows. */
const HASH = `$6$strongroom$${"x".repeat(86)}`;

export function user(name: string, options: UserOptions = {}): Planted {
  const { uid, groups = [], password = "set", home = `/home/${name}`, shell = "/bin/bash" } = options;
  const id = uid === undefined ? "" : `-o -u ${uid}`;
  const hash = password === "set" ? `-p ${quoted(HASH)}` : "";
  const more = groups.map(
    (group) => `getent group ${group} >/dev/null || groupadd ${group}; usermod -aG ${group} ${name}`,
  );
  return {
    setup: [
      `useradd -m -d ${home} -s ${shell} ${id} ${hash} ${name}`,
      ...(password === "none" ? [`passwd -q -d ${name}`] : []),
      ...more,
    ].join("\n"),
    truth: [
      `account ${name}`,
      `password of ${name} is ${password}`,
      ...(uid === 0 ? [`privilege of ${name}: root`, `${name} shares its user id with root`] : []),
    ],
  };
}

/** Lines of a file in sudoers.d, with the privileges that they give: `alice sudo-all` or `app sudo-as deploy`. */
export function sudoers(file: string, lines: string, privileges: readonly string[]): Planted {
  return {
    setup: `cat > /etc/sudoers.d/${file} <<'END'\n${lines}\nEND\nchmod 440 /etc/sudoers.d/${file}; visudo -cqf /etc/sudoers`,
    truth: privileges.map((each) => {
      const [name, ...rest] = each.split(" ");
      return `privilege of ${name}: ${rest.join(" ")}`;
    }),
  };
}

export function authorized(name: string, key: KeyPair, { home = `/home/${name}`, options = "" } = {}): Planted {
  const line = `${options === "" ? "" : `${options} `}${key.publicKey}`;
  return {
    setup: `mkdir -p -m 700 ${home}/.ssh; echo ${quoted(line)} >> ${home}/.ssh/authorized_keys; chown -R --reference=${home} ${home}/.ssh`,
    truth: [`${key.fingerprint} opens ${name}`],
  };
}

export function privateKey(
  name: string,
  key: KeyPair,
  { isEncrypted = false, file = "id_ed25519", home = `/home/${name}`, setup = "", readers = [name] } = {},
): Planted {
  const text = isEncrypted ? key.encrypted : key.privateKey;
  return {
    setup: `mkdir -p -m 700 ${home}/.ssh; cat > ${home}/.ssh/${file} <<'END'\n${text.trim()}\nEND\nchmod 600 ${home}/.ssh/${file}; chown -R --reference=${home} ${home}/.ssh\n${setup}`,
    truth: readers.map((reader) => `${reader} reads ${key.fingerprint}${isEncrypted ? ", encrypted" : ""}`),
  };
}

export function unit(name: string, text: string, dependents: readonly string[], isEnabled = true): Planted {
  const link = `mkdir -p /etc/systemd/system/multi-user.target.wants; ln -s /etc/systemd/system/${name} /etc/systemd/system/multi-user.target.wants/${name}`;
  return {
    setup: `cat > /etc/systemd/system/${name} <<'END'\n${text}\nEND\n${isEnabled ? link : ""}`,
    truth: dependents.map((each) => `dependent of ${each}`),
  };
}

export const also = (setup: string, truth: readonly Fact[] = []): Planted => ({ setup, truth });
