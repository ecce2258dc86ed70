// Lists, creates, changes and deletes identity providers.
import { IdentityProvider, IdentityProviderId } from "@strongroom/contract";
import type {
  NewIdentityProvider,
  createIdentityProvider,
  deleteIdentityProvider,
  updateIdentityProvider,
} from "@strongroom/contract";
import { X509Certificate } from "node:crypto";
import { lockActiveAdmins } from "#features/users/index.ts";
import { closeVault } from "#features/vault-closure/index.ts";
import type { AuditNote } from "#kernel/audit/entry.ts";
import type { Db, Tx } from "#kernel/db/database.ts";
import type { Call } from "#kernel/http/implement.ts";
import { refuse } from "#kernel/http/refuse.ts";
import { newId } from "#kernel/id.ts";
import type { Kernel } from "#kernel/kernel.ts";
import {
  deleteProvider,
  findProviders,
  findShownProvider,
  insertProvider,
  isNameTaken,
  lockProvider,
  updateProvider,
} from "./identity-providers.store.ts";
import type { ProviderRow, ShownProvider } from "./identity-providers.store.ts";
import { weakensSecondFactor, changesAssertions } from "./identity-providers.policy.ts";
import type { IdentityProviderContext } from "./context.ts";
import { findBoundPeople, findPeopleOf, clearSecondFactorsOf } from "./people/people.store.ts";
import { sealProviderSecret } from "./provider-secret.ts";
import { postLogoutUriOf, redirectUriOf } from "./oidc/redirect-uri.ts";

export async function listProviders(kernel: Kernel, db: Db): Promise<{ data: IdentityProvider[] }> {
  return { data: (await findProviders(db)).map((row) => shown(kernel, row)) };
}

export async function makeProvider(
  kernel: Kernel,
  call: Call<typeof createIdentityProvider>,
  tx: Tx,
): Promise<IdentityProvider> {
  const now = kernel.clock.now();
  const id = IdentityProviderId.parse(newId(now.getTime()));
  const { secret = null, kind, ...given } = call.body;
  call.note({ target: targetOf(id, given.name), details: noteOf(call.body) });
  await requireUsable(tx, call.body, id);
  const sealed = secret === null ? null : await sealProviderSecret(kernel, id, 1, secret);
  const row = { id, kind, ...written(given), sealed_secret: sealed, secret_version: 1 };
  await insertProvider(tx, { ...row, created_at: now, updated_at: now });
  return readShown(kernel, tx, id);
}

export async function changeProvider(
  kernel: Kernel,
  call: Call<typeof updateIdentityProvider>,
  tx: Tx,
): Promise<IdentityProvider> {
  const admins = await lockActiveAdmins(tx);
  const row = await locked(call, tx);
  const { secret, kind, ...given } = call.body;
  call.note({ details: noteOf(call.body) });
  if (kind !== row.kind) throw refuse(409, "identity-provider.kind", "The kind of a provider cannot be changed.");
  await requireUsable(tx, call.body, row.id);
  const version = secret === undefined ? row.secret_version : row.secret_version + 1;
  const sealed = await nextSecret(kernel, row, call.body, version);
  const change = { ...written(given), sealed_secret: sealed, secret_version: version, updated_at: kernel.clock.now() };
  await updateProvider(tx, row.id, change);
  if (weakensSecondFactor(row, call.body)) await clearSecondFactorsOf(tx, row.id);
  if (changesAssertions(row, call.body)) {
    const by = `${call.actor.name} (${row.name})`;
    for (const person of await findBoundPeople(tx, row.id)) {
      await closeVault(kernel, tx, { person, cause: "provider-changed", by });
    }
  }
  await requireWayIn(tx, admins);
  return readShown(kernel, tx, row.id);
}

/** INVARIANT: a stored secret is only sent to the destination for which it was entered. */
async function nextSecret(
  kernel: Kernel,
  row: ProviderRow,
  { secret, settings }: NewIdentityProvider,
  version: number,
): Promise<Buffer | null> {
  if (secret === null) return null;
  if (secret !== undefined) return sealProviderSecret(kernel, row.id, version, secret);
  if (row.sealed_secret === null || destinationOf(settings) === destinationOf(row.settings)) return row.sealed_secret;
  const message = "The destination of the secret has changed. Enter the secret again.";
  throw refuse(400, "identity-provider.secret-needed", message, { errors: [{ path: "secret", msg: message }] });
}

const destinationOf = (settings: IdentityProvider["settings"]): string =>
  "issuer" in settings
    ? JSON.stringify([settings.issuer, settings.ca, settings.client_id])
    : JSON.stringify([settings.url, settings.ca, settings.bind_dn]);

/**
 * Throws 409 when no previous administrator could sign in after the change. The caller has locked the administrators
 * first, so that the last one cannot lose the role concurrently.
 */
async function requireWayIn(tx: Tx, before: readonly string[]): Promise<void> {
  if (before.length === 0 || (await lockActiveAdmins(tx)).length > 0) return;
  throw refuse(
    409,
    "identity-provider.last-way-in",
    "No administrator would be able to sign in. First make a user with a Strongroom password an administrator.",
  );
}

/**
 * Ends the sessions and tokens of the provider's users. Throws 409 when no administrator could sign in in a different
 * way.
 */
export async function removeProvider(
  { signIn }: IdentityProviderContext,
  call: Call<typeof deleteIdentityProvider>,
  tx: Tx,
): Promise<{ message: string }> {
  const admins = await lockActiveAdmins(tx);
  const row = await locked(call, tx);
  const ids = await findPeopleOf(tx, row.id);
  const people = ids.length;
  call.note({ details: { people } });
  for (const id of ids) {
    await signIn.endSessions(tx, id);
    await signIn.endTokens(tx, id, "provider-changed");
  }
  await deleteProvider(tx, row.id);
  await requireWayIn(tx, admins);
  if (people === 0) return { message: `${row.name} deleted.` };
  const affectedUsers = people === 1 ? "1 person" : `${people} people`;
  return { message: `${row.name} deleted. ${affectedUsers} can sign in again once they have a password here.` };
}

/** Locks and returns the provider, and adds it to the audit entry. Throws 404 for an unknown provider. */
async function locked(call: { params: { id: string }; note: Call["note"] }, tx: Tx): Promise<ProviderRow> {
  const row = await lockProvider(tx, call.params.id);
  if (row === undefined) throw providerNotFound();
  call.note({ target: targetOf(row.id, row.name) });
  return row;
}

export const providerNotFound = () => refuse(404, "identity-provider.not-found", "Identity provider not found");

export const targetOf = (id: string, name: string) => ({ type: "identity-provider", id, name });

/** The audit details of a change, without the secret. */
function noteOf({ secret, settings, ...given }: NewIdentityProvider): NonNullable<AuditNote["details"]> {
  return {
    ...given,
    settings: { ...settings },
    secret: secret === undefined ? "kept" : secret === null ? "none" : "set",
  };
}

async function requireUsable(tx: Tx, given: NewIdentityProvider, id: string): Promise<void> {
  if (await isNameTaken(tx, given.name, id)) {
    const message = "A provider with this name already exists.";
    throw refuse(409, "identity-provider.name-taken", message, { errors: [{ path: "name", msg: message }] });
  }
  if (given.settings.ca !== null && !isCertificate(given.settings.ca)) {
    const message = "Not a valid PEM certificate.";
    throw refuse(400, "request.invalid", message, { errors: [{ path: "settings.ca", msg: message }] });
  }
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).raw.length > 0;
  } catch {
    // node:crypto cannot check a certificate without parsing it.
    return false;
  }
}

type Given = Omit<NewIdentityProvider, "secret" | "kind">;

const written = ({ role_mappings, settings, ...given }: Given) => ({
  ...given,
  role_mappings: JSON.stringify(role_mappings),
  settings: JSON.stringify(settings),
});

async function readShown(kernel: Kernel, db: Db, id: string): Promise<IdentityProvider> {
  const row = await findShownProvider(db, id);
  if (row === undefined) throw new Error(`the identity provider ${id} vanished within a transaction`);
  return shown(kernel, row);
}

function shown(kernel: Kernel, row: ShownProvider): IdentityProvider {
  const {
    sealed_secret: sealed,
    secret_version: _version,
    created_at: createdAt,
    updated_at: updatedAt,
    ...rest
  } = row;
  return IdentityProvider.parse({
    ...rest,
    has_secret: sealed !== null,
    redirect_uri: row.kind === "oidc" ? redirectUriOf(kernel, row.id) : null,
    post_logout_redirect_uri: row.kind === "oidc" ? postLogoutUriOf(kernel) : null,
    created_at: createdAt.toISOString(),
    updated_at: updatedAt.toISOString(),
  });
}
