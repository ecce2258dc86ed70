// Server state of safes: queries, mutations and invalidation.
import {
  Safe,
  addSafeMember,
  createSafe,
  deleteSafe,
  explainSafeAccess,
  findKnownPrincipals,
  findPrincipals,
  listAccounts,
  listSafeMembers,
  listSafes,
  readSafe,
  readSafeHistory,
  removeSafeMember,
  safeStatistics,
  updateSafe,
  updateSafeMember,
  type InputOf,
  type SafeId,
  type SafeMemberId,
} from "@strongroom/contract";
import { infiniteQueryOptions, mutationOptions, type QueryClient } from "@tanstack/react-query";
import { call } from "#shared/api/call.ts";
import { invalidatePath, keyOf, queryOf } from "#shared/api/query.ts";
import type { SafeFilter } from "./list/safe-filter.ts";

type Endpoint = Parameters<typeof call>[0];
type BodyOf<E extends Endpoint> = NonNullable<InputOf<E>["body"]>;

const SAFES = "/api/v1/safes";
const PAGE_SIZE = 100;
const HISTORY_PAGE_SIZE = 20;
const at = (id: string) => ({ params: { id: id as SafeId } });
const atMember = (id: string, memberId: string) => ({
  params: { id: id as SafeId, member_id: memberId as SafeMemberId },
});

/** SAFE-10: also accepts a reply that is a bare array. */
const anyList = { ...listSafes, reply: listSafes.reply.or(Safe.array()) };

/** Pages of safes, by name unless sorted otherwise. */
export const safeList = (filter: SafeFilter) =>
  infiniteQueryOptions({
    queryKey: [...keyOf(listSafes).slice(0, -1), "pages", filter],
    queryFn: async ({ pageParam, signal }) => {
      const answer = await call(anyList, { query: { ...filter, limit: PAGE_SIZE, cursor: pageParam } }, { signal });
      return Array.isArray(answer) ? { safes: answer, next_cursor: null } : answer;
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
  });

export const statistics = queryOf(safeStatistics);
export const safeDetail = (id: string) => queryOf(readSafe, at(id));

/** Possible destinations of accounts: safes in which the caller has `add`. */
export const safesToMoveTo = queryOf(listSafes, { query: { permission: "add", limit: 500 } });

export const safeMembers = (id: string) =>
  infiniteQueryOptions({
    queryKey: keyOf(listSafeMembers, at(id)),
    queryFn: ({ pageParam, signal }) =>
      call(listSafeMembers, { ...at(id), query: { limit: PAGE_SIZE, cursor: pageParam } }, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
  });

export const safeAccess = (id: string) =>
  infiniteQueryOptions({
    queryKey: keyOf(explainSafeAccess, at(id)),
    queryFn: ({ pageParam, signal }) =>
      call(explainSafeAccess, { ...at(id), query: { limit: PAGE_SIZE, cursor: pageParam } }, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
  });

export const safeAccounts = (id: string) =>
  infiniteQueryOptions({
    // The key is nested under the safe, because the list is stale when the safe or one of its accounts changes.
    queryKey: [...keyOf(readSafe, at(id)).slice(0, -1), "accounts"],
    queryFn: ({ pageParam, signal }) =>
      call(listAccounts, { query: { safe_id: id, limit: PAGE_SIZE, cursor: pageParam } }, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
  });

export const safeHistory = (id: string) =>
  infiniteQueryOptions({
    queryKey: keyOf(readSafeHistory, at(id)),
    queryFn: ({ pageParam, signal }) =>
      call(readSafeHistory, { ...at(id), query: { limit: HISTORY_PAGE_SIZE, cursor: pageParam } }, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
  });

export const principals = (search: string) => queryOf(findPrincipals, { query: { search } });

export const knownPrincipals = (search: string) => queryOf(findKnownPrincipals, { query: { search } });

/** Invalidates everything that depends on safes: safes, accounts, requestable accounts and audit entries. */
async function refresh(client: QueryClient): Promise<void> {
  await Promise.all(
    [SAFES, "/api/v1/accounts", "/api/v1/jit", "/api/v1/audit"].map((path) => invalidatePath(client, path)),
  );
}

/** Settles only after the refetch; the callers close their dialogs then. */
const changing = <Input, Result>(client: QueryClient, send: (input: Input) => Promise<Result>) =>
  mutationOptions({ mutationFn: send, onSettled: () => refresh(client) });

export const creation = (client: QueryClient) =>
  changing(client, (body: BodyOf<typeof createSafe>) => call(createSafe, { body }));

export const edit = (client: QueryClient, id: string) =>
  changing(client, (body: BodyOf<typeof updateSafe>) => call(updateSafe, { ...at(id), body }));

/** Does not refresh: `removeSafeFromCache` drops the deleted safe instead of refetching it. */
export const deletion = (id: string, moveTo: SafeId | null) =>
  mutationOptions({
    mutationFn: () => call(deleteSafe, { ...at(id), query: moveTo === null ? {} : { move_accounts_to: moveTo } }),
  });

export async function removeSafeFromCache(client: QueryClient, id: string): Promise<void> {
  client.removeQueries({ queryKey: safeDetail(id).queryKey.slice(0, -1) });
  await refresh(client);
}

export const addition = (client: QueryClient, id: string) =>
  changing(client, (body: BodyOf<typeof addSafeMember>) => call(addSafeMember, { ...at(id), body }));

export const memberEdit = (client: QueryClient, id: string, memberId: string) =>
  changing(client, (body: BodyOf<typeof updateSafeMember>) =>
    call(updateSafeMember, { ...atMember(id, memberId), body }),
  );

export const removal = (client: QueryClient, id: string, memberId: string) =>
  changing(client, () => call(removeSafeMember, atMember(id, memberId)));

export type { SafeId };
