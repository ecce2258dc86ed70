// Server state of groups: queries, mutations and invalidation.
import {
  addGroupMember,
  createGroup,
  deleteGroup,
  listGroupMembers,
  listGroups,
  listUsers,
  removeGroupMember,
  updateGroup,
  type GroupId,
  type InputOf,
} from "@strongroom/contract";
import { infiniteQueryOptions, mutationOptions, type QueryClient } from "@tanstack/react-query";
import { call } from "#shared/api/call.ts";
import { invalidatePath, keyOf, queryOf } from "#shared/api/query.ts";

export type GroupFields = NonNullable<InputOf<typeof updateGroup>["body"]>;

const PAGE_SIZE = 100;
const MOST_PEOPLE_FOUND = 20;
const at = (id: string) => ({ params: { id: id as GroupId } });

/** Pages of groups, sorted by name; an empty search returns all. */
export const groupList = (search: string | undefined) =>
  infiniteQueryOptions({
    queryKey: [...keyOf(listGroups).slice(0, -1), "pages", search ?? ""],
    queryFn: ({ pageParam, signal }) =>
      call(listGroups, { query: { search, limit: PAGE_SIZE, cursor: pageParam } }, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
  });

export const groupPeople = (id: string) =>
  infiniteQueryOptions({
    queryKey: keyOf(listGroupMembers, at(id)),
    queryFn: ({ pageParam, signal }) =>
      call(listGroupMembers, { ...at(id), query: { limit: PAGE_SIZE, cursor: pageParam } }, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
  });

export const peopleFound = (search: string) => queryOf(listUsers, { query: { search, limit: MOST_PEOPLE_FOUND } });

/** Group membership determines which safes a user sees. */
async function refresh(client: QueryClient): Promise<void> {
  await Promise.all(["/api/v1/groups", "/api/v1/safes", "/api/v1/audit"].map((path) => invalidatePath(client, path)));
}

const changing = <Input, Result>(client: QueryClient, send: (input: Input) => Promise<Result>) =>
  mutationOptions({ mutationFn: send, onSettled: () => refresh(client) });

export const creation = (client: QueryClient) => changing(client, (body: GroupFields) => call(createGroup, { body }));

export const edit = (client: QueryClient, id: string) =>
  changing(client, (body: GroupFields) => call(updateGroup, { ...at(id), body }));

export const deletion = (client: QueryClient, id: string) => changing(client, () => call(deleteGroup, at(id)));

export const addition = (client: QueryClient, id: string) =>
  changing(client, (userId: string) => call(addGroupMember, { ...at(id), body: { user_id: userId } }));

export const removal = (client: QueryClient, id: string, userId: string) =>
  changing(client, () => call(removeGroupMember, { params: { id, user_id: userId } }));
