// The vault's server state: what is asked for, what is sent, and how the answers reach what is on screen.
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
import type { CredentialFilter } from "./credential-filter.ts";
import { withNewCredential, type CredentialPage } from "./credential-pages.ts";

const AUTHENTICATION_EXPIRED = "Authentication expired. Please log in again.";
const LIST_KEY = keyOf(listCredentials).slice(0, -1);
/** The first page is small, so that it is there at once; the others large, so that a long vault is not asked for often. */
const FIRST_PAGE_SIZE = 100;
const PAGE_SIZE = 500;
const HISTORY_PAGE_SIZE = 20;

const idOf = (id: string) => ({ params: { id: id as CredentialId } });

/** Beside the other queries of the path, but never mistaken for the page of a plain query. */
const LISTS_KEY = [...LIST_KEY, "pages"];
const listKey = (filter: CredentialFilter) => [...LISTS_KEY, filter] as const;

/** VAULT-24. Told here, because the page that asked is gone by then: whoever is not signed in sees the sign-in page. */
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

/** The vault, page after page, newest first. */
export const credentialList = (filter: CredentialFilter) =>
  infiniteQueryOptions({
    queryKey: listKey(filter),
    queryFn: ({ pageParam, signal }) => fetchPage(filter, pageParam, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
  });

export const credentialDetail = (id: string) => queryOf(readCredential, idOf(id));

/** The trail of one credential, newest first. */
export const credentialHistory = (id: string) =>
  infiniteQueryOptions({
    queryKey: [...LIST_KEY, id, "history"],
    queryFn: ({ pageParam, signal }) =>
      call(readCredentialHistory, { ...idOf(id), query: { limit: HISTORY_PAGE_SIZE, cursor: pageParam } }, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
  });

export const credentialVersions = (id: string) => queryOf(listCredentialVersions, idOf(id));

/** As `reveal`, of an earlier secret. */
export const revealVersion = (id: string, version: number): Promise<ReplyOf<typeof revealCredential>> =>
  call(revealCredentialVersion, { params: { ...idOf(id).params, version } });

/** Reveals. INVARIANT: the answer goes to the caller only; neither a query nor a mutation, because both keep what they got. */
export const reveal = (id: string): Promise<ReplyOf<typeof revealCredential>> =>
  call(revealCredential, { ...idOf(id), body: {} });

/** Not a mutation either, because a mutation keeps what it was given, and the body holds the secret. */
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

/** Changes a credential; like `storeCredential`, because the body may hold a new secret. */
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

/** The credential as the server has it afterwards is on screen before the mutation settles. */
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

/** Fetches one credential anew and puts it wherever it is shown. Never throws: when it cannot be had, the next load tells. */
export async function refreshCredential(client: QueryClient, id: string): Promise<void> {
  try {
    takeIn(client, await call(readCredential, idOf(id), { isBackground: true }));
  } catch (error) {
    if (isCallError(error) && error.status === 404) credentialGone(client, id);
    return;
  } finally {
    invalidateAround(client, id);
  }
}

/** Somebody deleted it, perhaps elsewhere: lists drop it, and its own page, if open, asks again and says so. */
export function credentialGone(client: QueryClient, id: string): void {
  forget(client, id);
  void client.invalidateQueries({ queryKey: credentialDetail(id).queryKey });
}

/** Whether anything on screen shows the credential, or could. */
export function isCredentialHeld(client: QueryClient, id: string): boolean {
  if (client.getQueryData(credentialDetail(id).queryKey) !== undefined) return true;
  return isListed(client, LISTS_KEY, id);
}

/** After many changes at once. */
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

/** HTTP-09: what else hangs on a credential is stale after a write: its history, the figures, the audit trail. */
function invalidateAround(client: QueryClient, id: string): void {
  // Patched above, so what is on screen is right; it is fetched again when it is next opened.
  void client.invalidateQueries({ queryKey: LISTS_KEY, refetchType: "none" });
  for (const part of ["history", "versions", "rotations"])
    void client.invalidateQueries({ queryKey: [...LIST_KEY, id, part] });
  for (const path of ["/api/v1/dashboard", "/api/v1/validation", "/api/v1/cpm", "/api/v1/audit"]) {
    void invalidatePath(client, path);
  }
}
