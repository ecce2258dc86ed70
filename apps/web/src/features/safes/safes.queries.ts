// The safes' server state: what is asked for, what is sent, and what a change makes stale.
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
import type { SafeFilter } from "./safe-filter.ts";

type Endpoint = Parameters<typeof call>[0];
type BodyOf<E extends Endpoint> = NonNullable<InputOf<E>["body"]>;

const SAFES = "/api/v1/safes";
const PAGE_SIZE = 100;
const HISTORY_PAGE_SIZE = 20;
const at = (id: string) => ({ params: { id: id as SafeId } });
const atMember = (id: string, memberId: string) => ({
  params: { id: id as SafeId, member_id: memberId as SafeMemberId },
});

/** SAFE-10: an answer that is the array itself is read too. */
const anyList = { ...listSafes, reply: listSafes.reply.or(Safe.array()) };

/** By name, page after page. */
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

/** Where accounts can go: safes in which the caller may add some. */
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
    // Below the safe, because it is stale when the safe or one of its accounts changes.
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

/** What hangs on safes: themselves, the accounts in them, what may be asked for, and the trail. */
async function refresh(client: QueryClient): Promise<void> {
  await Promise.all(
    [SAFES, "/api/v1/accounts", "/api/v1/jit", "/api/v1/audit"].map((path) => invalidatePath(client, path)),
  );
}

/** After it what is on screen is new: the callers close their dialogs then. */
const changing = <Input, Result>(client: QueryClient, send: (input: Input) => Promise<Result>) =>
  mutationOptions({ mutationFn: send, onSettled: () => refresh(client) });

export const creation = (client: QueryClient) =>
  changing(client, (body: BodyOf<typeof createSafe>) => call(createSafe, { body }));

export const edit = (client: QueryClient, id: string) =>
  changing(client, (body: BodyOf<typeof updateSafe>) => call(updateSafe, { ...at(id), body }));

/** Its own page is forgotten, not asked for once more. */
export const deletion = (id: string, moveTo: SafeId | null) =>
  mutationOptions({
    mutationFn: () => call(deleteSafe, { ...at(id), query: moveTo === null ? {} : { move_accounts_to: moveTo } }),
  });

export async function forgetSafe(client: QueryClient, id: string): Promise<void> {
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
