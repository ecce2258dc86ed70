// Identifies a user at sign-in: searches for the entry and verifies the typed password with a bind.
import { randomBytes } from "node:crypto";
import { FilterParser, PasswordPolicyControl, PasswordPolicyError, type Entry, type Filter } from "ldapts";
import { inTime, type Attempt } from "../attempt.ts";
import type { Failure, VerifyContext } from "../connector.ts";
import { nameOf } from "../dial.ts";
import { misconfigured } from "../finding.ts";
import type { DirectoryAddress } from "./address.ts";
import { buffersOf, textOf } from "./entries.ts";
import { openSession, resultCodeOf, type Session } from "./session.ts";

export interface Directory {
  /** `ldaps:` is TLS from the start, `ldap:` StartTLS. There is no other option. */
  url: string;
  ca: string | null;
  /** The account that searches; null searches anonymously. */
  searcher: { dn: string; password: string } | null;
  baseDn: string;
  /** An RFC 4515 filter that contains `{name}`. */
  userFilter: string;
  idAttribute: string;
  emailAttribute: string;
  nameAttribute: string;
  groupBaseDn: string | null;
  /** An RFC 4515 filter that contains `{dn}`. */
  groupFilter: string;
}

export interface DirectoryPerson {
  /** The value of the id attribute. Bytes that are not text are given in hexadecimal. */
  id: string;
  dn: string;
  email: string | null;
  name: string | null;
  groups: { dn: string; name: string | null }[];
}

export type DirectoryAnswer =
  | { outcome: "found"; person: DirectoryPerson }
  /** No entry with that name, more than one, or a wrong password: the reasons are not distinguished. */
  | { outcome: "refused" }
  /** The password is correct, but the directory accepts it only in order to change it. */
  | { outcome: "must-change" }
  | Failure;

const MOST_GROUPS = 500;
const MAX_RECEIVED_BYTES = 1024 * 1024;

/**
 * Verifies a name and a password. INVARIANT: the directory receives the same requests for an unknown name. `isDecoy` is
 * for names that the directory is not responsible for: the directory receives all requests, but no person's password is
 * tried. The same happens when `mayTry` returns false; `mayTry` receives the id of the entry found, or null.
 */
export function signInToDirectory(
  directory: Directory,
  typed: { name: string; password: string; isDecoy?: boolean; mayTry?: (id: string | null) => Promise<boolean> },
  context: VerifyContext,
): Promise<DirectoryAnswer> {
  return asked(directory, context, async (session, address) => {
    const found = await findPerson(session, directory, typed.name);
    if (found !== null && "outcome" in found) return found;
    const mayTry = (await typed.mayTry?.(found?.id ?? null)) ?? true;
    const isTried = found !== null && typed.isDecoy !== true && mayTry;
    const dn = isTried ? found.dn : `cn=${randomBytes(9).toString("hex")},${directory.baseDn}`;
    const password = isTried ? typed.password : randomBytes(12).toString("hex");
    const proof = await prove(session, dn, password, address);
    if (proof !== "right") return proof;
    return isTried ? { outcome: "found", person: found } : { outcome: "refused" };
  });
}

/** Finds a user without a password, for an administrator who sets up the directory. */
export function lookUpPerson(
  directory: Directory,
  name: string | null,
  context: VerifyContext,
): Promise<DirectoryAnswer> {
  return asked(directory, context, async (session) => {
    const found = await findPerson(session, directory, name ?? randomBytes(9).toString("hex"));
    if (found === null) return { outcome: "refused" };
    return "outcome" in found ? found : { outcome: "found", person: found };
  });
}

async function asked(
  directory: Directory,
  context: VerifyContext,
  work: (session: Session, address: DirectoryAddress) => Promise<DirectoryAnswer>,
): Promise<DirectoryAnswer> {
  const address = addressOf(directory);
  if (address === null) return misconfigured("bad-input", "The URL of the directory is invalid.");
  const run = async (attempt: Attempt): Promise<DirectoryAnswer> => {
    const session = await openSession(address, attempt, MAX_RECEIVED_BYTES);
    if ("failure" in session) return session.failure;
    try {
      const refusal = await bindSearcher(session, directory, address);
      return refusal ?? (await work(session, address));
    } catch (error) {
      return session.failureOf(error);
    } finally {
      session.close();
    }
  };
  const { durationMs: _taken, ...answer } = await inTime<DirectoryAnswer>(context, run, (failure) => failure);
  return answer;
}

function addressOf({ url, ca, searcher }: Directory): DirectoryAddress | null {
  const parsed = URL.parse(url);
  if (parsed === null || !/^ldaps?:$/.test(parsed.protocol) || parsed.hostname === "") return null;
  const isTlsFromStart = parsed.protocol === "ldaps:";
  const port = parsed.port === "" ? (isTlsFromStart ? 636 : 389) : Number(parsed.port);
  const host = parsed.hostname.replace(/^\[(.*)\]$/, "$1");
  return { host, port, username: searcher?.dn ?? "", tls: { mode: "verify-full", ca, name: null }, isTlsFromStart };
}

/** Null when the search can start. */
async function bindSearcher(
  session: Session,
  { searcher }: Directory,
  address: DirectoryAddress,
): Promise<Failure | null> {
  if (searcher === null) return null;
  const where = nameOf(address);
  // RFC 4513 §5.1.2: a bind without a password is anonymous and succeeds for any name.
  if (searcher.password === "") return misconfigured("bad-input", `The password of ${searcher.dn} is empty.`);
  try {
    await session.client.bind(searcher.dn, searcher.password);
    return null;
  } catch (error) {
    switch (resultCodeOf(error)) {
      case 32:
      case 48:
      case 49:
      case 53:
        return misconfigured("bad-input", `${where} rejected the stored password of ${searcher.dn}.`);
      case 34:
        return misconfigured("bad-input", `${searcher.dn} is not a valid distinguished name on ${where}.`);
      default:
        return session.failureOf(error);
    }
  }
}

/** Null when there is no entry or more than one: choosing one would be a guess. */
async function findPerson(
  session: Session,
  directory: Directory,
  name: string,
): Promise<DirectoryPerson | Failure | null> {
  const { idAttribute, emailAttribute, nameAttribute } = directory;
  const entries = await search(
    session,
    directory.baseDn,
    directory.userFilter.replaceAll("{name}", () => escaped(name)),
    {
      attributes: [idAttribute, emailAttribute, nameAttribute],
      explicitBufferAttributes: [idAttribute],
      sizeLimit: 2,
    },
  );
  if (entries === "too-many") return null;
  if (!Array.isArray(entries)) return entries;
  const [entry] = entries;
  const groups = await groupsOf(session, directory, entry?.dn ?? `cn=nobody,${directory.baseDn}`);
  if (!Array.isArray(groups)) return groups;
  // INVARIANT: never binds with an empty name, which would be an anonymous bind.
  if (entries.length !== 1 || entry === undefined || entry.dn === "") return null;
  const id = buffersOf(entry, idAttribute)[0];
  if (id === undefined || id.length === 0) {
    return misconfigured(
      "bad-input",
      `${entry.dn} has no attribute ${idAttribute}, which must identify a person permanently.`,
    );
  }
  return {
    id: asText(id),
    dn: entry.dn,
    email: textOf(entry, emailAttribute),
    name: textOf(entry, nameAttribute),
    groups,
  };
}

async function groupsOf(
  session: Session,
  directory: Directory,
  dn: string,
): Promise<DirectoryPerson["groups"] | Failure> {
  if (directory.groupBaseDn === null) return [];
  const entries = await search(
    session,
    directory.groupBaseDn,
    directory.groupFilter.replaceAll("{dn}", () => escaped(dn)),
    {
      attributes: ["cn"],
      sizeLimit: MOST_GROUPS,
    },
  );
  if (entries === "too-many") {
    return misconfigured("bad-input", `${dn} is in more than ${MOST_GROUPS} groups. Make the groups filter narrower.`);
  }
  if (!Array.isArray(entries)) return entries;
  return entries.map((group) => ({ dn: group.dn, name: textOf(group, "cn") }));
}

interface Wanted {
  attributes: string[];
  explicitBufferAttributes?: string[];
  sizeLimit: number;
}

async function search(
  session: Session,
  base: string,
  text: string,
  wanted: Wanted,
): Promise<Entry[] | "too-many" | Failure> {
  const filter = parsedFilter(text);
  if (filter === null) {
    return misconfigured("bad-input", "Invalid LDAP filter. Check its parentheses.");
  }
  try {
    const found = await session.client.search(base, { scope: "sub", derefAliases: "never", filter, ...wanted });
    return found.searchEntries;
  } catch (error) {
    switch (resultCodeOf(error)) {
      case 32:
        return misconfigured(
          "bad-input",
          `The directory has no ${base}, or the search account has no permission to see it.`,
        );
      case 34:
        return misconfigured("bad-input", `${base} is not a valid distinguished name.`);
      case 1:
      case 50:
        return misconfigured("bad-input", `The search account has no permission to read below ${base}.`);
      case 4:
        return "too-many";
      default:
        throw error;
    }
  }
}

/** Null for an invalid filter. */
function parsedFilter(text: string): Filter | null {
  try {
    return FilterParser.parseString(text);
  } catch {
    // The parser's own message quotes the name typed at sign-in.
    return null;
  }
}

async function prove(
  session: Session,
  dn: string,
  password: string,
  address: DirectoryAddress,
): Promise<"right" | Exclude<DirectoryAnswer, { outcome: "found" }>> {
  // RFC 4513 §5.1.2 again: an empty password would let any user in.
  if (password === "") return { outcome: "refused" };
  const control = new PasswordPolicyControl();
  try {
    await session.client.bind(dn, password, control);
    return control.value?.error === PasswordPolicyError.ChangeAfterReset ? { outcome: "must-change" } : "right";
  } catch (error) {
    switch (resultCodeOf(error)) {
      case 32:
      case 34:
      case 48:
      case 49:
      case 50:
      case 53:
        return { outcome: "refused" };
      case 7:
      case 8:
      case 13:
        return misconfigured(
          "method-not-offered",
          `${nameOf(address)} does not accept a login with a name and a password.`,
        );
      default:
        return session.failureOf(error);
    }
  }
}

/** Escapes everything except letters and digits (RFC 4515 §3), so that a name can never be more than a value. */
function escaped(value: string): string {
  return [...Buffer.from(value, "utf8")]
    .map((byte) => {
      const character = String.fromCodePoint(byte);
      return /[A-Za-z0-9]/.test(character) ? character : `\\${byte.toString(16).padStart(2, "0")}`;
    })
    .join("");
}

function asText(bytes: Buffer): string {
  const text = bytes.toString("latin1");
  return /^[\x21-\x7e]+$/.test(text) ? text : bytes.toString("hex");
}
