// The accounts' server state: what is asked for, what is sent, and how the answers reach what is on screen.
import {
  accountStatistics,
  accountValidationHistory,
  acceptAccountHostKey,
  checkInAccount,
  createAccount,
  deleteAccount,
  explainAccountAccess,
  exportAccounts,
  importAccounts,
  listAccountVersions,
  listAccounts,
  listPlatforms,
  listSafes,
  moveAccount,
  readAccount,
  readAccountDetails,
  readAccountHistory,
  readPlatform,
  retrieveAccount,
  retrieveAccountVersion,
  updateAccount,
  validateAccount,
  type Account,
  type AccountId,
  type InputOf,
  type ReplyOf,
  type SafeId,
} from "@strongroom/contract";
import { infiniteQueryOptions, mutationOptions, type QueryClient } from "@tanstack/react-query";
import { isCallError } from "#shared/api/call-error.ts";
import { call, download } from "#shared/api/call.ts";
import { isListed, patchLists, withItem, withNewItem, withoutItem, type Page } from "#shared/api/pages.ts";
import { invalidatePath, keyOf, queryOf } from "#shared/api/query.ts";
import { toast } from "#shared/ui/toast.ts";
import { saveFile } from "#shared/ui/save-file.ts";
import type { AccountFilter } from "./account-filter.ts";
import { isNarrowed } from "./account-filter.ts";
import { loadFailureText } from "./load-failure.ts";
import { afterFailedCall, statusAfterValidation } from "./validate-account.ts";

type BodyOf<E extends Parameters<typeof call>[0]> = NonNullable<InputOf<E>["body"]>;

const ROOT = keyOf(listAccounts).slice(0, -1);
const LISTS = [...ROOT, "pages"];
/** The first page is small, so that it is there at once; the others large, so that a long list is not asked for often. */
const FIRST_PAGE_SIZE = 100;
const PAGE_SIZE = 500;

const at = (id: string) => ({ params: { id: id as AccountId } });

/** ACC-37. Told here too, because whoever is no longer signed in sees the sign-in page next. */
async function fetchPage(filter: AccountFilter, cursor: string | undefined, signal: AbortSignal) {
  try {
    const limit = cursor === undefined ? FIRST_PAGE_SIZE : PAGE_SIZE;
    return await call(listAccounts, { query: { ...filter, limit, cursor } }, { signal });
  } catch (error) {
    if (isCallError(error) && error.status === 401) toast.error(loadFailureText(error, true), { id: "accounts-401" });
    throw error;
  }
}

/** Page after page, newest first. */
export const accountList = (filter: AccountFilter) =>
  infiniteQueryOptions({
    queryKey: [...LISTS, filter],
    queryFn: ({ pageParam, signal }) => fetchPage(filter, pageParam, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page: Page<Account>) => page.next_cursor ?? undefined,
  });

export const statistics = queryOf(accountStatistics);
export const accountDetail = (id: string) => queryOf(readAccountDetails, at(id));
export const secretVersions = (id: string) => queryOf(listAccountVersions, at(id));
export const activePlatforms = queryOf(listPlatforms, { query: { is_active: "true" } });
export const platformOf = (id: string) => queryOf(readPlatform, { params: { id } });
/** ACC-56. */
export const safesToAddTo = queryOf(listSafes, { query: { permission: "add", limit: 500 } });

/** Page after page of something that belongs to one account. */
function pagesOf<E extends typeof accountValidationHistory | typeof readAccountHistory | typeof explainAccountAccess>(
  endpoint: E,
  id: string,
  limit: number,
) {
  return infiniteQueryOptions({
    queryKey: keyOf(endpoint, at(id) as InputOf<E>),
    queryFn: ({ pageParam, signal }) =>
      call(endpoint, { ...at(id), query: { limit, cursor: pageParam } } as InputOf<E>, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page: ReplyOf<E>) => (page as { next_cursor: string | null }).next_cursor ?? undefined,
  });
}
export const validationHistory = (id: string) => pagesOf(accountValidationHistory, id, 50);
export const accountHistory = (id: string) => pagesOf(readAccountHistory, id, 20);
export const accountAccess = (id: string) => pagesOf(explainAccountAccess, id, 100);

export interface Justification {
  reason: string;
  ticket: string;
}

/** What was typed; the server wants a field that says nothing left out. */
const given = ({ reason, ticket }: Justification) => ({
  ...(reason.trim() === "" ? {} : { reason }),
  ...(ticket.trim() === "" ? {} : { ticket }),
});

/**
 * ACC-34: the single account's answer has the password. INVARIANT: it goes to the caller only; neither a query nor a
 * mutation, because both keep what they got. When it is withheld, the second call says what for: it throws.
 */
export async function revealPassword(id: string, justification: Justification | null): Promise<string> {
  if (justification === null) {
    const { password } = await call(readAccount, at(id));
    if (password !== null) return password;
  }
  const body = justification === null ? {} : given(justification);
  return (await call(retrieveAccount, { ...at(id), body })).password;
}

/** An earlier password; like `revealPassword`, it is kept nowhere. */
export async function revealVersion(id: string, version: number, justification: Justification | null): Promise<string> {
  const body = justification === null ? {} : given(justification);
  const params = { ...at(id).params, version };
  return (await call(retrieveAccountVersion, { params, body })).password;
}

/** Not a mutation, because a mutation keeps what it was given, and the body holds the secret. */
export async function storeAccount(client: QueryClient, body: BodyOf<typeof createAccount>): Promise<Account> {
  const stored = await call(createAccount, { body });
  patchLists<Account, AccountFilter>(client, LISTS, (pages, filter) =>
    isNarrowed(filter) || filter.status === "rotation_due" ? pages : withNewItem(pages, stored),
  );
  staleAround(client, stored.id);
  return stored;
}

/** Like `storeAccount`, because the body may hold a new secret. */
export async function changeAccount(
  client: QueryClient,
  id: string,
  body: BodyOf<typeof updateAccount>,
): Promise<Account> {
  const changed = await call(updateAccount, { ...at(id), body });
  takeIn(client, changed);
  staleAround(client, id);
  return changed;
}

export const validateKey = (id: string) => ["validate-account", id] as const;

/** ACC-29, ACC-30: the card shows the result before the mutation settles; the details follow from the server. */
export const validation = (client: QueryClient, id: string) =>
  mutationOptions({
    mutationKey: validateKey(id),
    mutationFn: () => call(validateAccount, at(id)),
    onSuccess: (result) => {
      patch(client, id, {
        last_validation_status: statusAfterValidation(result.validation_status),
        last_validated_at: result.validation_timestamp,
        validation_message: result.validation_message,
      });
      staleAround(client, id);
    },
    onError: (error) => patch(client, id, afterFailedCall(error, new Date())),
  });

export const hostKeyAcceptance = (client: QueryClient, id: string) =>
  mutationOptions({
    mutationFn: (fingerprint: string) => call(acceptAccountHostKey, { ...at(id), body: { fingerprint } }),
    onSettled: () => refreshAccount(client, id),
  });

export const checkIn = (client: QueryClient, id: string) =>
  mutationOptions({
    mutationFn: () => call(checkInAccount, at(id)),
    onSuccess: (account) => takeIn(client, account),
    onSettled: () => staleAround(client, id),
  });

export const move = (client: QueryClient, id: string) =>
  mutationOptions({
    mutationFn: (safeId: string) => call(moveAccount, { ...at(id), body: { safe_id: safeId } }),
    onSuccess: (account) => takeIn(client, account),
    onSettled: () => staleAround(client, id),
  });

export const deletion = (client: QueryClient, id: string) =>
  mutationOptions({
    mutationFn: () => call(deleteAccount, at(id)),
    onSuccess: () => forget(client, id),
  });

/** Neither query nor mutation: the lines hold secrets. */
export async function sendImport(
  client: QueryClient,
  body: BodyOf<typeof importAccounts>,
): Promise<ReplyOf<typeof importAccounts>> {
  const result = await call(importAccounts, { body });
  if (result.imported > 0) refreshLists(client);
  return result;
}

/** The day in UTC, so that two people name the same export alike. */
const exportName = (now: Date): string => `accounts-${now.toISOString().slice(0, 10)}.csv`;

export const accountExport = (safeId: SafeId | undefined) =>
  mutationOptions({
    mutationFn: async () =>
      saveFile(exportName(new Date()), await download(exportAccounts, { query: { safe_id: safeId } })),
  });

/** Fetches one account anew and puts it wherever it is shown. Never throws: when it cannot be had, the next load tells. */
export async function refreshAccount(client: QueryClient, id: string): Promise<void> {
  try {
    takeIn(client, await call(readAccountDetails, at(id), { isBackground: true }));
  } catch (error) {
    if (isCallError(error) && error.status === 404) accountGone(client, id);
  } finally {
    staleAround(client, id);
  }
}

/** Deleted, or no longer to be seen: lists drop it, and its own page, if open, asks again and says so. */
export function accountGone(client: QueryClient, id: string): void {
  forget(client, id);
  void client.invalidateQueries({ queryKey: accountDetail(id).queryKey });
}

export const isAccountHeld = (client: QueryClient, id: string): boolean =>
  client.getQueryData(accountDetail(id).queryKey) !== undefined || isListed(client, LISTS, id);

/** After many changes at once. */
export function refreshLists(client: QueryClient): void {
  void client.invalidateQueries({ queryKey: ROOT });
  void invalidatePath(client, "/api/v1/safes");
}

function forget(client: QueryClient, id: string): void {
  patchLists<Account, AccountFilter>(client, LISTS, (pages) => withoutItem(pages, id));
  client.removeQueries({ queryKey: [...ROOT, id], type: "inactive" });
  staleAround(client, id);
}

function takeIn(client: QueryClient, account: Account): void {
  client.setQueryData(accountDetail(account.id).queryKey, account);
  patchLists<Account, AccountFilter>(client, LISTS, (pages) => withItem(pages, account));
}

/** Changes some fields of one account wherever it is shown. */
function patch(client: QueryClient, id: string, fields: Partial<Account>): void {
  client.setQueryData(accountDetail(id).queryKey, (account) => account && { ...account, ...fields });
  patchLists<Account, AccountFilter>(client, LISTS, (pages) => {
    const known = pages.flatMap(({ data }) => data).find((account) => account.id === id);
    return known === undefined ? pages : withItem(pages, { ...known, ...fields });
  });
}

/** HTTP-09: what else hangs on an account is stale after a write. */
function staleAround(client: QueryClient, id: string): void {
  // Patched, so what is on screen is right; it is fetched again when it is next opened.
  void client.invalidateQueries({ queryKey: LISTS, refetchType: "none" });
  for (const part of ["validation-history", "history", "versions", "access", "rotations", "dependents"]) {
    void client.invalidateQueries({ queryKey: [...ROOT, id, part] });
  }
  for (const path of ["/api/v1/accounts/statistics", "/api/v1/safes", "/api/v1/validation", "/api/v1/audit"]) {
    void invalidatePath(client, path);
  }
}
