// What the Admin Console asks for and sends.
import {
  changeUserRole,
  decideRoleRequest,
  deleteUser,
  endUserSessions,
  issueResetLink,
  listPendingResets,
  listUsers,
  readSeal,
  readSignInPolicy,
  seal,
  setUserStatus,
  updateSignInPolicy,
  type ReplyOf,
  type SignInPolicy,
  type UserId,
} from "@strongroom/contract";
import { infiniteQueryOptions, mutationOptions, type QueryClient } from "@tanstack/react-query";
import { call } from "#shared/api/call.ts";
import { invalidatePath, keyOf, queryOf } from "#shared/api/query.ts";
import type { UserAction } from "./user-actions.ts";

const USERS = "/api/v1/users";
const PAGE_SIZE = 50;

/** Users, newest first; an empty search finds all. */
export const userList = (search: string) =>
  infiniteQueryOptions({
    queryKey: [...keyOf(listUsers).slice(0, -1), "pages", search],
    queryFn: ({ pageParam, signal }) =>
      call(listUsers, { query: { search, limit: PAGE_SIZE, cursor: pageParam } }, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
  });

/** More at once than anybody decides at a sitting; the next ones follow when these are decided. */
const MOST_REQUESTS = 100;
export const roleRequests = queryOf(listUsers, { query: { has_role_request: "true", limit: MOST_REQUESTS } });
export const pendingResets = queryOf(listPendingResets);
export const signInPolicy = queryOf(readSignInPolicy);
export const sealState = queryOf(readSeal);

const byId = (id: string) => ({ params: { id: id as UserId } });

async function perform(action: UserAction): Promise<void> {
  const { id } = action.user;
  switch (action.kind) {
    case "role":
      await call(changeUserRole, { ...byId(id), body: { role: action.role } });
      break;
    case "status":
      await call(setUserStatus, { ...byId(id), body: { status: action.status } });
      break;
    case "end-sessions":
      await call(endUserSessions, byId(id));
      break;
    case "delete":
      await call(deleteUser, byId(id));
      break;
    case "role-request":
      await call(decideRoleRequest, { ...byId(id), body: { decision: action.decision } });
      break;
    default:
      action satisfies never;
  }
}

export const userAction = (client: QueryClient) =>
  mutationOptions({ mutationFn: perform, onSettled: () => invalidatePath(client, USERS) });

/** Not a mutation, because a mutation keeps its answer, and whoever has the link can sign in. */
export const createResetLink = (userId: string): Promise<ReplyOf<typeof issueResetLink>> =>
  call(issueResetLink, byId(userId));

export const policyChange = (client: QueryClient) =>
  mutationOptions({
    mutationFn: (policy: SignInPolicy) => call(updateSignInPolicy, { body: policy }),
    onSuccess: (policy) => client.setQueryData(signInPolicy.queryKey, policy),
  });

export const sealing = (client: QueryClient) =>
  mutationOptions({ mutationFn: () => call(seal), onSettled: () => invalidatePath(client, "/api/v1") });
