// Signs in with a directory's password: chooses the directories to ask and evaluates their answers.
import { signInToDirectory } from "@strongroom/connectors";
import type { Directory, DirectoryAnswer, DirectoryPerson, VerifyContext } from "@strongroom/connectors";
import type { LdapSettings } from "@strongroom/contract";
import { admitGuess, undoGuessCount } from "#features/sign-in/index.ts";
import type { Attempt, DirectoryLogin, ExternalIdentity } from "#features/sign-in/index.ts";
import type { UsersTable } from "#features/users/index.ts";
import type { Db } from "#kernel/db/database.ts";
import { refuse } from "#kernel/http/refuse.ts";
import { namesInDirectory, isResponsibleFor } from "../identity-providers.policy.ts";
import { findEnabled } from "../identity-providers.store.ts";
import type { ProviderRow } from "../identity-providers.store.ts";
import type { IdentityProviderContext } from "../context.ts";
import { findBound, findBoundIn, findProviderOf } from "../people/people.store.ts";
import { openProviderSecret } from "../provider-secret.ts";
import { settlePerson } from "../people/settle-person.ts";

export type LdapRow = Omit<ProviderRow, "settings"> & { settings: LdapSettings };

const TIMEOUT_MS = 6000;
const RETRY_AFTER_SECONDS = 10;

/**
 * Returns the person whom a directory authenticates; null when no directory does. Throws 403 for an authenticated person who may
 * not sign in, and 503 when a relevant directory could not be asked.
 *
 * INVARIANT: whether a name is known here, in a directory or nowhere, the same directories get the same queries, so that neither
 * the reply nor its timing reveals it. A local user's password is never sent to a directory that is not responsible for them.
 */
export async function signInByDirectory(
  context: IdentityProviderContext,
  query: DirectoryLogin,
): Promise<ExternalIdentity | null> {
  const { db } = context.kernel.database;
  const { name } = query;
  if (query.password === "") return null;
  const directories = (await findEnabled(db, "ldap")) as LdapRow[];
  const suited = directories.filter(({ domains }) => !name.includes("@") || isResponsibleFor(domains, name));
  const own = query.user === undefined ? undefined : await findProviderOf(db, query.user.id);
  let isUnreachable: LdapRow | null = null;
  for (const row of suited) {
    const isDecoy = !isDecisive(row, query.user, own?.id);
    const guess = guessAt(context, row, query);
    const typed = { name, password: query.password, isDecoy, mayTry: guess.admit };
    const answer = await asked(context, row, typed, query.signal);
    if (answer.outcome === "found" || answer.outcome === "must-change") await guess.reward();
    if (answer.outcome === "found") return settlePerson(context, row, vouchedBy(answer.person));
    if (answer.outcome === "must-change") throw mustChange(row);
    if (answer.outcome !== "refused") isUnreachable = row;
  }
  if (isUnreachable !== null) throw unreachable(isUnreachable);
  return null;
}

/**
 * A directory is responsible for its own users and for unknown names. For other users it is responsible only if it may
 * take over their accounts and they have no local password that could have been mistyped. A user with a local password
 * is taken over when they sign in with their directory name.
 */
function isDecisive(row: LdapRow, user: UsersTable | undefined, own: string | undefined): boolean {
  if (user === undefined) return true;
  if (own !== undefined) return own === row.id;
  return row.links_by_email && user.role !== "admin" && user.password_hash === "";
}

/**
 * Guesses at one person are counted together for all their names, so that user name and email address do not have
 * separate limits. For a name that the directory does not know, the same amount is recorded.
 */
function guessAt({ kernel }: IdentityProviderContext, row: LdapRow, { name, network }: DirectoryLogin) {
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
      if (right !== null) await kernel.database.transaction((tx) => undoGuessCount(tx, right, kernel.clock.now()));
    },
  };
}

/** The value counted in place of an address for guesses at a person of a directory. */
const claimOn = (directoryId: string, subject: string): string => `directory:${directoryId}:${subject}`;

/** The values by which guesses at these people of a directory are counted. */
export async function claimsOn(db: Db, userIds: readonly string[]): Promise<{ user_id: string; email: string }[]> {
  const people = await findBoundIn(db, "ldap", userIds);
  return people.map(({ user_id, provider_id, subject }) => ({ user_id, email: claimOn(provider_id, subject) }));
}

type Typed = Parameters<typeof signInToDirectory>[1];

async function asked(
  context: IdentityProviderContext,
  row: LdapRow,
  typed: Typed,
  signal: AbortSignal,
): Promise<DirectoryAnswer> {
  const answer = await signInToDirectory(
    await directoryOf(context, row),
    typed,
    contextOf(context, signal, TIMEOUT_MS),
  );
  if ("message" in answer) {
    context.kernel.log.warn({ provider: row.id, reason: answer.message }, "a directory request failed");
  }
  return answer;
}

/** The directory's settings for the connector, with the search account's password. Rejects with SealedError. */
export async function directoryOf({ kernel }: IdentityProviderContext, row: LdapRow): Promise<Directory> {
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

export const contextOf = (
  { kernel, network }: IdentityProviderContext,
  signal: AbortSignal,
  timeoutMs: number,
): VerifyContext => ({
  timeoutMs,
  signal,
  network,
  now: () => kernel.clock.now(),
});

/** A directory's operator maintains its addresses, so they count as verified. */
const vouchedBy = ({ id, email, name, groups }: DirectoryPerson) => ({
  subject: id,
  email,
  isEmailVerified: true,
  name,
  groups: namesInDirectory(groups),
});

const mustChange = ({ name }: LdapRow) =>
  refuse(403, "sign-in.password-must-change", `${name} requires you to change your password there first.`);

const unreachable = ({ name }: LdapRow) =>
  refuse(
    503,
    "sign-in.directory-unreachable",
    `${name} cannot be reached, so its users cannot sign in. Users with a Strongroom password can.`,
    { retryAfter: RETRY_AFTER_SECONDS },
  );
