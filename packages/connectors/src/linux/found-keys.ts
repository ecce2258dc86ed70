// Reads authorized keys and private keys from the output of the collection script.
import { createHash } from "node:crypto";
import type { ListedKey } from "../collected.ts";

interface Holder {
  name: string;
  uid: string;
  groupIds: readonly string[];
}

const FINGERPRINT = /^SHA256:[A-Za-z0-9+/]{43}$/;
const KEY_TYPE =
  /^(?:ssh-(?:rsa|dss|ed25519)|ecdsa-sha2-nistp\d+|sk-[a-z0-9-]+@openssh\.com|ssh-(?:rsa|ed25519)-cert-v01@openssh\.com)$/;
const MAX_KEYS = 20_000;
const MAX_TEXT = 256;

/** Fingerprints are computed here from the public keys: the host runs no program for each line. */
export function keysIn(lines: readonly string[], people: readonly Holder[]): ListedKey[] {
  const keys: ListedKey[] = [];
  const names = new Set(people.map(({ name }) => name));
  let owner: { account: string; file: string } | null = null;
  let held: Held | null = null;
  for (const line of lines) {
    if (keys.length >= MAX_KEYS) break;
    const rest = line.slice(2);
    if (line.startsWith("H:")) {
      const at = rest.indexOf(":");
      const account = rest.slice(0, at);
      owner = names.has(account) ? { account, file: rest.slice(at + 1) } : null;
    } else if (line.startsWith("K:") && owner !== null) {
      const [, number = "", text = ""] = /^(\d{1,6}):(.*)$/s.exec(rest) ?? [];
      const key = authorizedKey(text);
      if (key !== null) keys.push({ ...key, account: owner.account, place: clean(`${owner.file}:${number}`) });
    } else if (line.startsWith("X:")) {
      if (held !== null) keys.push(...heldKeys(held, people));
      held = heldIn(rest);
    } else if (line.startsWith("Y:") && held !== null) {
      const [, print = null, comment = "", type = null] = /^\d+ (\S+) (.*) \(([\w-]+)\)$/.exec(rest) ?? [];
      keys.push(...heldKeys({ ...held, print, comment, type }, people));
      held = null;
    }
  }
  if (held !== null) keys.push(...heldKeys(held, people));
  return keys;
}

/** Control characters and marks that reorder text would change how a page or terminal shows the rest. */
const clean = (text: string) => text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, "\uFFFD").slice(0, MAX_TEXT);

/** `[options] type base64 [comment]`, as in sshd(8). */
export function authorizedKey(line: string): Omit<ListedKey, "account" | "place"> | null {
  const { options, rest } = optionsIn(line.trim());
  const [type = "", blob = "", ...comment] = rest.split(/[ \t]+/);
  if (!KEY_TYPE.test(type) || !/^[A-Za-z0-9+/]{40,}={0,2}$/.test(blob)) return null;
  const fingerprint = `SHA256:${createHash("sha256").update(Buffer.from(blob, "base64")).digest("base64").replaceAll("=", "")}`;
  return {
    relation: "opens",
    fingerprint,
    type,
    comment: clean(comment.join(" ")) || null,
    options: options.slice(0, 20),
    isEncrypted: null,
    readBy: null,
  };
}

/** The names of the options, and the value of those without secrets. A quoted value may contain blanks and commas. */
function optionsIn(line: string): { options: string[]; rest: string } {
  const [first = ""] = line.split(/[ \t]/, 1);
  if (KEY_TYPE.test(first)) return { options: [], rest: line };
  const options: string[] = [];
  let at = 0;
  while (at < line.length) {
    const [whole = "", name = "", value] = /^([A-Za-z0-9-]+)(?:="((?:[^"\\]|\\.)*)")?/.exec(line.slice(at)) ?? [];
    if (whole === "") break;
    const isShown = /^(from|expiry-time|principals)$/i.test(name) && value !== undefined;
    options.push(isShown ? clean(`${name}=${value}`) : name.toLowerCase());
    at += whole.length;
    if (line[at] !== ",") break;
    at += 1;
  }
  return { options, rest: line.slice(at).trim() };
}

interface Mode {
  uid: string;
  gid: string;
  bits: number;
}

interface Held {
  file: Mode;
  /** The folder of the file and the home: both must be passed to reach the file. */
  folders: Mode[];
  isEncrypted: boolean;
  path: string;
  print?: string | null;
  comment?: string;
  type?: string | null;
}

function heldIn(text: string): Held | null {
  const [, modes = "", locked = "", path = ""] = /^((?:\d+,\d+,[0-7]+:){3})(yes|no):(.*)$/s.exec(text) ?? [];
  const [file, ...folders] = modes
    .split(":")
    .filter((each) => each !== "")
    .map((each): Mode => {
      const [uid = "", gid = "", bits = "0"] = each.split(",");
      return { uid, gid, bits: Number.parseInt(bits, 8) };
    });
  return file === undefined ? null : { file, folders, isEncrypted: locked === "yes", path };
}

/** One entry per account that can read the file; root can read every file and is not listed for it. */
function heldKeys(held: Held, people: readonly Holder[]): ListedKey[] {
  const { file, folders, print, comment, type, isEncrypted, path } = held;
  const key = {
    relation: "held",
    fingerprint: print && FINGERPRINT.test(print) ? print : null,
    type: type?.toLowerCase() ?? null,
    place: clean(path),
    comment: comment && comment !== "no comment" ? clean(comment) : null,
    options: [],
    isEncrypted,
  } as const;
  const owners = people.filter(({ uid }) => uid === file.uid);
  const own = owners.map(({ name }) => ({ ...key, account: name, readBy: "owner" as const }));
  const everyone = (file.bits & 0o4) !== 0 && folders.every(({ bits }) => (bits & 0o1) !== 0);
  if (everyone) return [...own, { ...key, account: null, readBy: "everyone" }];
  const mayPass = ({ bits, gid }: Mode) => (bits & 0o1) !== 0 || ((bits & 0o10) !== 0 && gid === file.gid);
  if ((file.bits & 0o40) === 0 || !folders.every(mayPass)) return own;
  const members = people.filter(({ uid, groupIds }) => uid !== file.uid && groupIds.includes(file.gid));
  return [...own, ...members.slice(0, 50).map(({ name }) => ({ ...key, account: name, readBy: "group" as const }))];
}
