// Server state of the vault: queries, mutations and cache updates.
import {
  acceptHostKey,
  createCredential,
  deleteCredential,
  listCredentialVersions,
  listCredentials,
  readCredential,
  readCredentialHistory,
  revealCredential,
  revealCredentialVersion,
  updateCredential,
  verifyCredential,
  type Credential,
  type CredentialId,
  type InputOf,
  type ReplyOf,
} from "@strongroom/contract";
import { infiniteQueryOptions, mutationOptions, type QueryClient } from "@tanstack/react-query";
import { isCallError } from "#shared/api/call-error.ts";
import { call } from "#shared/api/call.ts";
import { isListed, patchLists, withItem, withoutItem } from "#shared/api/pages.ts";
import { invalidatePath, keyOf, queryOf } from "#shared/api/query.ts";
import { toast } from "#shared/ui/toast.ts";
import { withNewCredential, type CredentialFilter, type CredentialPage } from "./list/credential-filter.ts";

const AUTHENTICATION_EXPIRED = "Authentication expired. Please log in again.";
const LIST_KEY = keyOf(listCredentials).slice(0, -1);
/** The first page is small so that it loads fast; later pages are large so that long vaults need few calls. */
const FIRST_PAGE_SIZE = 100;
const PAGE_SIZE = 500;
const HISTORY_PAGE_SIZE = 20;

const idOf = (id: string) => ({ params: { id: id as CredentialId } });

/** Shares the key prefix of the path's other queries, but never equals the key of a plain query. */
const LISTS_KEY = [...LIST_KEY, "pages"];
const listKey = (filter: CredentialFilter) => [...LISTS_KEY, filter] as const;

/** VAULT-24. Shows the toast here because the redirect to the sign-in page unmounts the screen. */
async function fetchPage(
  filter: CredentialFilter,
  cursor: string | undefined,
  signal: AbortSignal,
): Promise<CredentialPage> {
  try {
    const limit = cursor === undefined ? FIRST_PAGE_SIZE : PAGE_SIZE;
    return await call(listCredentials, { query: { ...filter, limit, cursor } }, { signal });
  } catch (error) {
    if (isCallError(error) && error.status === 401)
      toast.error(AUTHENTICATION_EXPIRED, { id: "authentication-expired" });
    throw error;
  }
}

/** Pages of credentials, newest first. */
export const credentialList = (filter: CredentialFilter) =>
  infiniteQueryOptions({
    queryKey: listKey(filter),
    queryFn: ({ pageParam, signal }) => fetchPage(filter, pageParam, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
  });

export const credentialDetail = (id: string) => queryOf(readCredential, idOf(id));

/** The audit entries of one credential, newest first. */
export const credentialHistory = (id: string) =>
  infiniteQueryOptions({
    queryKey: [...LIST_KEY, id, "history"],
    queryFn: ({ pageParam, signal }) =>
      call(readCredentialHistory, { ...idOf(id), query: { limit: HISTORY_PAGE_SIZE, cursor: pageParam } }, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
  });

export const credentialVersions = (id: string) => queryOf(listCredentialVersions, idOf(id));

/** Reveals an earlier secret, with the same precautions as `reveal`. */
export const revealVersion = (id: string, version: number): Promise<ReplyOf<typeof revealCredential>> =>
  call(revealCredentialVersion, { params: { ...idOf(id).params, version } });

/**
 * Reveals the secret. INVARIANT: only the caller gets the reply. This is neither a query nor a mutation, because both
 * keep their results.
 */
export const reveal = (id: string): Promise<ReplyOf<typeof revealCredential>> =>
  call(revealCredential, { ...idOf(id), body: {} });

/** Not a mutation either, because a mutation keeps its variables, and the body holds the secret. */
export async function storeCredential(
  client: QueryClient,
  body: NonNullable<InputOf<typeof createCredential>["body"]>,
): Promise<Credential> {
  const stored = await call(createCredential, { body });
  patchLists<Credential, CredentialFilter>(client, LISTS_KEY, (pages, filter) =>
    withNewCredential(pages, stored, filter),
  );
  invalidateAround(client, stored.id);
  return stored;
}

/** Not a mutation either, because the body may hold a new secret. */
export async function changeCredential(
  client: QueryClient,
  id: string,
  body: NonNullable<InputOf<typeof updateCredential>["body"]>,
): Promise<Credential> {
  const changed = await call(updateCredential, { ...idOf(id), body });
  takeIn(client, changed);
  invalidateAround(client, id);
  return changed;
}

export const verifyKey = (id: string) => ["verify-credential", id] as const;

/** Updates the displayed credential from the server before the mutation settles. */
export const verification = (client: QueryClient, id: string) =>
  mutationOptions({
    mutationKey: verifyKey(id),
    mutationFn: () => call(verifyCredential, idOf(id)),
    onSettled: () => refreshCredential(client, id),
  });

export const hostKeyAcceptance = (client: QueryClient, id: string) =>
  mutationOptions({
    mutationFn: (fingerprint: string) => call(acceptHostKey, { ...idOf(id), body: { fingerprint } }),
    onSettled: () => refreshCredential(client, id),
  });

export const deletion = (client: QueryClient, id: string) =>
  mutationOptions({
    mutationFn: () => call(deleteCredential, idOf(id)),
    onSuccess: () => forget(client, id),
  });

/** Refetches one credential and updates every cache. Never throws: after a failure, the next load shows the error. */
export async function refreshCredential(client: QueryClient, id: string): Promise<void> {
  try {
    takeIn(client, await call(readCredential, idOf(id), { isBackground: true }));
  } catch (error) {
    if (isCallError(error) && error.status === 404) removeCredentialFromCache(client, id);
    return;
  } finally {
    invalidateAround(client, id);
  }
}

/** For a deleted credential: removes it from lists and reloads its open page, which then shows "not found". */
export function removeCredentialFromCache(client: QueryClient, id: string): void {
  forget(client, id);
  void client.invalidateQueries({ queryKey: credentialDetail(id).queryKey });
}

/** Whether any cached list or page contains the credential. */
export function isCredentialHeld(client: QueryClient, id: string): boolean {
  if (client.getQueryData(credentialDetail(id).queryKey) !== undefined) return true;
  return isListed(client, LISTS_KEY, id);
}

/** Reloads every list, after many changes at once. */
export function refreshLists(client: QueryClient): void {
  void client.invalidateQueries({ queryKey: LIST_KEY });
}

function forget(client: QueryClient, id: string): void {
  patchLists<Credential, CredentialFilter>(client, LISTS_KEY, (pages) => withoutItem(pages, id));
  client.removeQueries({ queryKey: [...LIST_KEY, id], type: "inactive" });
  invalidateAround(client, id);
}

function takeIn(client: QueryClient, credential: Credential): void {
  client.setQueryData(credentialDetail(credential.id).queryKey, credential);
  patchLists<Credential, CredentialFilter>(client, LISTS_KEY, (pages) => withItem(pages, credential));
}

/** HTTP-09: marks history, figures and audit trail as stale after a write. */
function invalidateAround(client: QueryClient, id: string): void {
  // The lists are patched already, so they reload only when next opened.
  void client.invalidateQueries({ queryKey: LISTS_KEY, refetchType: "none" });
  for (const part of ["history", "versions", "rotations"])
    void client.invalidateQueries({ queryKey: [...LIST_KEY, id, part] });
  for (const path of ["/api/v1/dashboard", "/api/v1/validation", "/api/v1/cpm", "/api/v1/audit"]) {
    void invalidatePath(client, path);
  }
}
