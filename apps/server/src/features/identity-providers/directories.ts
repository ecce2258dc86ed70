// Signing in with the password of a directory: which one is asked, and what its answer means.
import { signInToDirectory } from "@strongroom/connectors";
import type { Directory, DirectoryAnswer, DirectoryPerson, VerifyContext } from "@strongroom/connectors";
import type { LdapSettings } from "@strongroom/contract";
import { admitGuess, rewardGuess } from "#features/sign-in/index.ts";
import type { Attempt, DirectoryWish, ProvedElsewhere } from "#features/sign-in/index.ts";
import type { UsersTable } from "#features/users/index.ts";
import type { Db } from "#kernel/db/database.ts";
import { refuse } from "#kernel/http/refuse.ts";
import { namesInDirectory, speaksFor } from "./identity-providers.policy.ts";
import { findEnabled } from "./identity-providers.store.ts";
import type { ProviderRow } from "./identity-providers.store.ts";
import type { Office } from "./office.ts";
import { findBound, findBoundIn, findProviderOf } from "./people.store.ts";
import { openProviderSecret } from "./provider-secret.ts";
import { settlePerson } from "./settle-person.ts";

export type LdapRow = Omit<ProviderRow, "settings"> & { settings: LdapSettings };

const TIMEOUT_MS = 6000;
const RETRY_AFTER_SECONDS = 10;

/**
 * Whom a directory proves by what was typed; null: none does. Throws 403 for somebody who is proved and may not come in,
 * and 503 when a directory that might know could not be asked.
 *
 * INVARIANT: whether a name is known here, in a directory or nowhere, the same directories are asked the same, so that
 * neither the answer nor its time tells. Somebody's password here is never sent to a directory that has no say about them.
 */
export async function proveByDirectory(office: Office, wish: DirectoryWish): Promise<ProvedElsewhere | null> {
  const { db } = office.kernel.database;
  const { name } = wish;
  if (wish.password === "") return null;
  const directories = (await findEnabled(db, "ldap")) as LdapRow[];
  const suited = directories.filter(({ domains }) => !name.includes("@") || speaksFor(domains, name));
  const own = wish.user === undefined ? undefined : await findProviderOf(db, wish.user.id);
  let isUnreachable: LdapRow | null = null;
  for (const row of suited) {
    const isDecoy = !hasSay(row, wish.user, own?.id);
    const guess = guessAt(office, row, wish);
    const typed = { name, password: wish.password, isDecoy, mayTry: guess.admit };
    const answer = await asked(office, row, typed, wish.signal);
    if (answer.outcome === "found" || answer.outcome === "must-change") await guess.reward();
    if (answer.outcome === "found") return settlePerson(office, row, vouchedBy(answer.person));
    if (answer.outcome === "must-change") throw mustChange(row);
    if (answer.outcome !== "refused") isUnreachable = row;
  }
  if (isUnreachable !== null) throw unreachable(isUnreachable);
  return null;
}

/**
 * A directory has a say about its own people and about strangers; about others only where it may take them over and there is no
 * password here that could have been mistyped. Somebody who has one is taken over when they sign in by their name there.
 */
function hasSay(row: LdapRow, user: UsersTable | undefined, own: string | undefined): boolean {
  if (user === undefined) return true;
  if (own !== undefined) return own === row.id;
  return row.links_by_email && user.role !== "admin" && user.password_hash === "";
}

/**
 * Guesses at one person are counted together, by whatever name of theirs: their user name has not the tries of their address
 * beside its own. Of a name that nobody has there as much is written down.
 */
function guessAt({ kernel }: Office, row: LdapRow, { name, network }: DirectoryWish) {
  let attempt: Attempt | null = null;
  return {
    async admit(id: string | null): Promise<boolean> {
      const known = await findBound(kernel.database.db, row.id, id ?? name);
      const email = id === null ? `directory:${row.id}?${name}` : claimOn(row.id, id);
      attempt = await admitGuess(kernel, { email, userId: known?.id ?? null, network });
      return attempt !== null;
    },
    async reward(): Promise<void> {
      const right = attempt;
      if (right !== null) await kernel.database.transaction((tx) => rewardGuess(tx, right, kernel.clock.now()));
    },
  };
}

/** What stands in the place of an address where guesses at a person of a directory are counted. */
const claimOn = (directoryId: string, subject: string): string => `directory:${directoryId}:${subject}`;

/** Of people who are in a directory: by what guesses at them are counted there. */
export async function claimsOn(db: Db, userIds: readonly string[]): Promise<{ user_id: string; email: string }[]> {
  const people = await findBoundIn(db, "ldap", userIds);
  return people.map(({ user_id, provider_id, subject }) => ({ user_id, email: claimOn(provider_id, subject) }));
}

type Typed = Parameters<typeof signInToDirectory>[1];

async function asked(office: Office, row: LdapRow, typed: Typed, signal: AbortSignal): Promise<DirectoryAnswer> {
  const answer = await signInToDirectory(await directoryOf(office, row), typed, contextOf(office, signal, TIMEOUT_MS));
  if ("message" in answer) {
    office.kernel.log.warn({ provider: row.id, reason: answer.message }, "a directory could not be asked");
  }
  return answer;
}

/** As the connector takes it, with the searcher's password. Rejects with SealedError. */
export async function directoryOf({ kernel }: Office, row: LdapRow): Promise<Directory> {
  const { settings } = row;
  using secret = await openProviderSecret(kernel, row);
  const dn = settings.bind_dn;
  return {
    url: settings.url,
    ca: settings.ca,
    searcher: dn === null ? null : { dn, password: secret?.reveal() ?? "" },
    baseDn: settings.base_dn,
    userFilter: settings.user_filter,
    idAttribute: settings.id_attribute,
    emailAttribute: settings.email_attribute,
    nameAttribute: settings.name_attribute,
    groupBaseDn: settings.group_base_dn,
    groupFilter: settings.group_filter,
  };
}

export const contextOf = ({ kernel, network }: Office, signal: AbortSignal, timeoutMs: number): VerifyContext => ({
  timeoutMs,
  signal,
  network,
  now: () => kernel.clock.now(),
});

/** A directory is kept by whoever runs it: the address in it is theirs to vouch for. */
const vouchedBy = ({ id, email, name, groups }: DirectoryPerson) => ({
  subject: id,
  email,
  isEmailVerified: true,
  name,
  groups: namesInDirectory(groups),
});

const mustChange = ({ name }: LdapRow) =>
  refuse(
    403,
    "sign-in.password-must-change",
    `Your password is right, but ${name} wants you to change it there first.`,
  );

const unreachable = ({ name }: LdapRow) =>
  refuse(
    503,
    "sign-in.directory-unreachable",
    `${name} cannot be reached right now, so its people cannot sign in. Accounts with a password here can.`,
    { retryAfter: RETRY_AFTER_SECONDS },
  );
