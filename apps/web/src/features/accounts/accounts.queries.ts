// Server state of accounts: queries, mutations and cache updates.
import {
  accountStatistics,
  accountValidationHistory,
  acceptAccountHostKey,
  allowAccountAccess,
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
  readAccountWatch,
  readPlatform,
  retrieveAccount,
  retrieveAccountVersion,
  updateAccount,
  validateAccount,
  watchAccount,
  type Account,
  type AccountId,
  type InputOf,
  type ReplyOf,
} from "@strongroom/contract";
import { infiniteQueryOptions, mutationOptions, type QueryClient } from "@tanstack/react-query";
import { isCallError } from "#shared/api/call-error.ts";
import { call, download } from "#shared/api/call.ts";
import { isListed, patchLists, withItem, withNewItem, withoutItem, type Page } from "#shared/api/pages.ts";
import { invalidatePath, keyOf, queryOf } from "#shared/api/query.ts";
import { toast } from "#shared/ui/toast.ts";
import { saveFile } from "#shared/ui/save-file.ts";
import type { AccountFilter } from "./list/account-filter.ts";
import { isFiltered, isNewestFirst } from "./list/account-filter.ts";
import { loadFailureText } from "./load-failure.ts";
import { afterFailedCall, statusAfterValidation } from "./validation/validate-account.ts";

type BodyOf<E extends Parameters<typeof call>[0]> = NonNullable<InputOf<E>["body"]>;

const ROOT = keyOf(listAccounts).slice(0, -1);
const LISTS = [...ROOT, "pages"];
/** The first page is small so that it loads fast; later pages are large so that long lists need few calls. */
const FIRST_PAGE_SIZE = 100;
const PAGE_SIZE = 500;

const at = (id: string) => ({ params: { id: id as AccountId } });

/** ACC-37. Shows the toast here because the redirect to the sign-in page unmounts the screen. */
async function fetchPage(filter: AccountFilter, cursor: string | undefined, signal: AbortSignal) {
  try {
    const limit = cursor === undefined ? FIRST_PAGE_SIZE : PAGE_SIZE;
    return await call(listAccounts, { query: { ...filter, limit, cursor } }, { signal });
  } catch (error) {
    if (isCallError(error) && error.status === 401) toast.error(loadFailureText(error, true), { id: "accounts-401" });
    throw error;
  }
}

/** Pages of accounts, newest first. */
export const accountList = (filter: AccountFilter) =>
  infiniteQueryOptions({
    queryKey: [...LISTS, filter],
    queryFn: ({ pageParam, signal }) => fetchPage(filter, pageParam, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page: Page<Account>) => page.next_cursor ?? undefined,
  });

export const statistics = queryOf(accountStatistics);
export const accountDetail = (id: string) => queryOf(readAccountDetails, at(id));
export const accountWatch = (id: string) => queryOf(readAccountWatch, at(id));
export const secretVersions = (id: string) => queryOf(listAccountVersions, at(id));
export const activePlatforms = queryOf(listPlatforms, { query: { is_active: "true" } });
export const platformOf = (id: string) => queryOf(readPlatform, { params: { id } });
/** ACC-56. */
export const safesToAddTo = queryOf(listSafes, { query: { permission: "add", limit: 500 } });

/** Pages of a list that belongs to one account. */
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

/** The entered justification; the server expects empty fields to be omitted. */
const given = ({ reason, ticket }: Justification) => ({
  ...(reason.trim() === "" ? {} : { reason }),
  ...(ticket.trim() === "" ? {} : { ticket }),
});

/**
 * ACC-34: the reply for a single account contains the password. INVARIANT: only the caller gets it. This is neither a
 * query nor a mutation, because both keep their results. When the first call withholds the password, the second one
 * throws the reason.
 */
export async function revealPassword(id: string, justification: Justification | null): Promise<string> {
  if (justification === null) {
    const { password } = await call(readAccount, at(id));
    if (password !== null) return password;
  }
  const body = justification === null ? {} : given(justification);
  return (await call(retrieveAccount, { ...at(id), body })).password;
}

/** Reveals an earlier password; like `revealPassword`, it stays out of every cache. */
export async function revealVersion(id: string, version: number, justification: Justification | null): Promise<string> {
  const body = justification === null ? {} : given(justification);
  const params = { ...at(id).params, version };
  return (await call(retrieveAccountVersion, { params, body })).password;
}

/** Not a mutation, because a mutation keeps its variables, and the body holds the secret. */
export async function storeAccount(client: QueryClient, body: BodyOf<typeof createAccount>): Promise<Account> {
  const stored = await call(createAccount, { body });
  patchLists<Account, AccountFilter>(client, LISTS, (pages, filter) =>
    isFiltered(filter) || filter.status === "rotation_due" || !isNewestFirst(filter)
      ? pages
      : withNewItem(pages, stored),
  );
  staleAround(client, stored.id);
  return stored;
}

/** Not a mutation either, because the body may hold a new secret. */
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

/** ACC-29, ACC-30: updates the card before the mutation settles, then reloads the details. */
export const validation = (client: QueryClient, id: string) =>
  mutationOptions({
    mutationKey: validateKey(id),
    mutationFn: () => call(validateAccount, at(id)),
    onSuccess: (result) => {
      if (result.outcome !== "aborted") {
        patch(client, id, {
          last_validation_status: statusAfterValidation(result.validation_status),
          last_validated_at: result.validation_timestamp,
          validation_message: result.validation_message,
        });
      }
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

/** The cache takes the sent value, because the reply is only a message. */
export const watching = (client: QueryClient, id: string) =>
  mutationOptions({
    mutationFn: (isWatched: boolean) => call(watchAccount, { ...at(id), body: { is_watched: isWatched } }),
    onSuccess: (_, isWatched) => client.setQueryData(accountWatch(id).queryKey, { is_watched: isWatched }),
  });

export const accessAllowance = (client: QueryClient, id: string) =>
  mutationOptions({
    mutationFn: (reason: string) => call(allowAccountAccess, { ...at(id), body: { reason } }),
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

/** Neither a query nor a mutation: the lines hold secrets. */
export async function sendImport(
  client: QueryClient,
  body: BodyOf<typeof importAccounts>,
): Promise<ReplyOf<typeof importAccounts>> {
  const result = await call(importAccounts, { body });
  if (result.imported > 0) refreshLists(client);
  return result;
}

/** The UTC date, so that the name does not depend on the user's time zone. */
const exportName = (now: Date): string => `accounts-${now.toISOString().slice(0, 10)}.csv`;

/** Exactly the accounts that the list shows, in its order. */
export const accountExport = (filter: AccountFilter) =>
  mutationOptions({
    mutationFn: async () => saveFile(exportName(new Date()), await download(exportAccounts, { query: filter })),
  });

/** Refetches one account and updates every cache. Never throws: after a failure, the next load will show the error. */
export async function refreshAccount(client: QueryClient, id: string): Promise<void> {
  try {
    takeIn(client, await call(readAccountDetails, at(id), { isBackground: true }));
  } catch (error) {
    if (isCallError(error) && error.status === 404) removeAccountFromCache(client, id);
  } finally {
    staleAround(client, id);
  }
}

/**
 * For an account deleted or no longer visible: removes it from lists and reloads its open page, which then shows "not
 * found".
 */
export function removeAccountFromCache(client: QueryClient, id: string): void {
  forget(client, id);
  void client.invalidateQueries({ queryKey: accountDetail(id).queryKey });
}

export const isAccountHeld = (client: QueryClient, id: string): boolean =>
  client.getQueryData(accountDetail(id).queryKey) !== undefined || isListed(client, LISTS, id);

/** Reloads every list, after many changes at once. */
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

/** Changes some fields of one account in every cache. */
function patch(client: QueryClient, id: string, fields: Partial<Account>): void {
  client.setQueryData(accountDetail(id).queryKey, (account) => account && { ...account, ...fields });
  patchLists<Account, AccountFilter>(client, LISTS, (pages) => {
    const known = pages.flatMap(({ data }) => data).find((account) => account.id === id);
    return known === undefined ? pages : withItem(pages, { ...known, ...fields });
  });
}

/** HTTP-09: marks everything related to an account as stale after a write. */
function staleAround(client: QueryClient, id: string): void {
  // The lists are patched already, so they reload only when next opened.
  void client.invalidateQueries({ queryKey: LISTS, refetchType: "none" });
  for (const part of ["validation-history", "history", "versions", "access", "rotations", "dependents"]) {
    void client.invalidateQueries({ queryKey: [...ROOT, id, part] });
  }
  for (const path of ["/api/v1/accounts/statistics", "/api/v1/safes", "/api/v1/validation", "/api/v1/audit"]) {
    void invalidatePath(client, path);
  }
}
