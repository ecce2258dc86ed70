// Queries and mutations of API tokens and machine identities.
import {
  changeUserRole,
  createMachine,
  createMachineToken,
  createToken,
  deleteUser,
  findPrincipals,
  listMachines,
  listOwnTokens,
  listSafes,
  listTokensOf,
  readTokenPolicy,
  revokeToken,
  setUserStatus,
  updateMachine,
  updateTokenPolicy,
  type InputOf,
  type MachineIdentity,
  type NewToken,
  type ReplyOf,
  type Role,
  type TokenPolicy,
  type UserId,
} from "@strongroom/contract";
import { infiniteQueryOptions, mutationOptions, type QueryClient } from "@tanstack/react-query";
import { call } from "#shared/api/call.ts";
import { invalidatePath, keyOf, queryOf } from "#shared/api/query.ts";

const PAGE_SIZE = 50;
const MOST_SAFES = 100;
const STALE = ["/api/v1/tokens", "/api/v1/machine-identities", "/api/v1/users"];

/** The owner of the listed tokens: "own" includes the tokens of machine identities that the user is responsible for. */
export type Holder = "own" | UserId;

export const tokensOf = (holder: Holder) =>
  holder === "own" ? queryOf(listOwnTokens) : queryOf(listTokensOf, { params: { id: holder } });

export const safeChoices = queryOf(listSafes, { query: { limit: MOST_SAFES } });
export const tokenPolicy = queryOf(readTokenPolicy);

export const refreshTokens = (client: QueryClient): Promise<unknown> =>
  Promise.all(STALE.map((path) => invalidatePath(client, path)));

/** Not a mutation, because a mutation caches its result, and anyone who has the token can act as its holder. */
export const tokenCreation = (holder: Holder, body: NewToken): Promise<ReplyOf<typeof createToken>> =>
  holder === "own" ? call(createToken, { body }) : call(createMachineToken, { params: { id: holder }, body });

export const revocation = (client: QueryClient, id: string) =>
  mutationOptions({
    mutationFn: () => call(revokeToken, { params: { id: id } }),
    onSettled: () => refreshTokens(client),
  });

/** Sorted by name and paginated; an empty search returns all. */
export const machineList = (search: string) =>
  infiniteQueryOptions({
    queryKey: [...keyOf(listMachines).slice(0, -1), "pages", search],
    queryFn: ({ pageParam, signal }) =>
      call(listMachines, { query: { search, limit: PAGE_SIZE, cursor: pageParam } }, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
  });

export const principalsFound = (search: string) => queryOf(findPrincipals, { query: { search } });

type MachineFields = NonNullable<InputOf<typeof updateMachine>["body"]>;

/** Changes the role with the same call as for any user. */
export async function saveMachine(before: MachineIdentity | null, body: MachineFields & { role: Role }): Promise<void> {
  if (before === null) {
    await call(createMachine, { body });
    return;
  }
  const { role, ...fields } = body;
  const params = { id: before.id };
  await call(updateMachine, { params, body: fields });
  if (role !== before.role) await call(changeUserRole, { params, body: { role } });
}

export const machineStatus = (client: QueryClient) =>
  mutationOptions({
    mutationFn: ({ id, status }: Pick<MachineIdentity, "id" | "status">) =>
      call(setUserStatus, { params: { id }, body: { status } }),
    onSettled: () => refreshTokens(client),
  });

/** Disables a machine identity, which can be reversed, or deletes it. */
export const machineEnd = (client: QueryClient, id: UserId, how: "disable" | "delete") =>
  mutationOptions<unknown, Error, void>({
    mutationFn: () =>
      how === "delete"
        ? call(deleteUser, { params: { id } })
        : call(setUserStatus, { params: { id }, body: { status: "disabled" } }),
    onSettled: () => refreshTokens(client),
  });

export const policyChange = (client: QueryClient) =>
  mutationOptions({
    mutationFn: (body: TokenPolicy) => call(updateTokenPolicy, { body }),
    onSuccess: () => refreshTokens(client),
  });
