// Queries and mutations of users, their resets and the sign-in policy.
import {
  activateUser,
  activateUsers,
  cancelAdminReset,
  changeUserRole,
  confirmAdminReset,
  decideRoleRequest,
  deleteUser,
  endUserSessions,
  entrance,
  inviteAgain,
  inviteUser,
  issueResetLink,
  listAdminResets,
  listPendingResets,
  listUsers,
  previewSignInPolicy,
  readSignInPolicy,
  requestAdminReset,
  resetFactors,
  setUserStatus,
  unlockUser,
  updateSignInPolicy,
  type AdminReset,
  type AdminResetId,
  type InputOf,
  type ReplyOf,
  type SignInPolicy,
  type UserId,
} from "@strongroom/contract";
import { infiniteQueryOptions, mutationOptions, type QueryClient } from "@tanstack/react-query";
import { call } from "#shared/api/call.ts";
import { invalidatePath, keyOf, queryOf } from "#shared/api/query.ts";
import type { UserAction } from "./people/user-actions.ts";

const USERS = "/api/v1/users";
const PAGE_SIZE = 50;

type ListQuery = NonNullable<InputOf<typeof listUsers>["query"]>;
export type UserFilter = Pick<ListQuery, "search" | "role" | "status" | "sort">;

/** Users, newest first unless sorted otherwise; an empty filter returns all. */
export const userList = (filter: UserFilter) =>
  infiniteQueryOptions({
    queryKey: [...keyOf(listUsers).slice(0, -1), "pages", filter],
    queryFn: ({ pageParam, signal }) =>
      call(listUsers, { query: { ...filter, limit: PAGE_SIZE, cursor: pageParam } }, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
  });

/** More than an administrator decides in one sitting; the next ones load after these are decided. */
const MOST_REQUESTS = 100;
export const roleRequests = queryOf(listUsers, { query: { has_role_request: "true", limit: MOST_REQUESTS } });
/** Newest first. */
export const pendingUsers = queryOf(listUsers, { query: { status: "pending", limit: MOST_REQUESTS } });
export const pendingResets = queryOf(listPendingResets);
export const signInPolicy = queryOf(readSignInPolicy);

const byId = (id: string) => ({ params: { id: id as UserId } });

const bodyOf = (decision: "approve" | "deny" | undefined) => (decision === undefined ? {} : { role_request: decision });

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
    case "unlock":
      await call(unlockUser, byId(id));
      break;
    case "reset-factors":
      await call(resetFactors, byId(id));
      break;
    case "activate":
      await call(activateUser, { ...byId(id), body: bodyOf(action.decision) });
      break;
    case "role-request":
      await call(decideRoleRequest, { ...byId(id), body: { decision: action.decision } });
      break;
    default:
      action satisfies never;
  }
}

export const userAction = (client: QueryClient, action: UserAction) =>
  mutationOptions({ mutationFn: () => perform(action), onSettled: () => invalidatePath(client, USERS) });

export const activation = (client: QueryClient) =>
  mutationOptions({
    mutationFn: ({ id, decision }: { id: UserId; decision: "approve" | "deny" | undefined }) =>
      call(activateUser, { ...byId(id), body: bodyOf(decision) }),
    onSettled: () => invalidatePath(client, USERS),
  });

export const bulkActivation = (client: QueryClient, userIds: UserId[]) =>
  mutationOptions({
    mutationFn: () => call(activateUsers, { body: { user_ids: userIds } }),
    onSettled: () => invalidatePath(client, USERS),
  });

/** Not a mutation, because a mutation caches its result, and anyone who has the link can sign in. */
export const createResetLink = (userId: string): Promise<ReplyOf<typeof issueResetLink>> =>
  call(issueResetLink, byId(userId));

export const adminResets = queryOf(listAdminResets);

export type NewAdminReset = NonNullable<InputOf<typeof requestAdminReset>["body"]>;

export const adminResetRequest = (client: QueryClient) =>
  mutationOptions({
    mutationFn: (body: NewAdminReset): Promise<AdminReset> => call(requestAdminReset, { body }),
    onSettled: () => invalidatePath(client, listAdminResets.path),
  });

export const adminResetCancellation = (client: QueryClient) =>
  mutationOptions({
    mutationFn: (id: AdminResetId) => call(cancelAdminReset, { params: { id } }),
    onSettled: () => invalidatePath(client, listAdminResets.path),
  });

/** Not a mutation, for the same reason. */
export const confirmReset = (id: AdminResetId): Promise<ReplyOf<typeof confirmAdminReset>> =>
  call(confirmAdminReset, { params: { id } });

/** Includes whether invitations can be emailed. */
export const signInPageFacts = queryOf(entrance);

export type NewInvitation = NonNullable<InputOf<typeof inviteUser>["body"]>;

/** Not mutations, for the same reason. */
export const invite = (body: NewInvitation): Promise<ReplyOf<typeof inviteUser>> => call(inviteUser, { body });
export const inviteOnceMore = (userId: string, by: "mail" | "link"): Promise<ReplyOf<typeof inviteAgain>> =>
  call(inviteAgain, { ...byId(userId), body: { by } });

export const policyPreview = mutationOptions({
  mutationFn: (policy: SignInPolicy) => call(previewSignInPolicy, { body: policy }),
});

export const policyChange = (client: QueryClient) =>
  mutationOptions({
    mutationFn: (policy: SignInPolicy) => call(updateSignInPolicy, { body: policy }),
    onSuccess: (policy) => client.setQueryData(signInPolicy.queryKey, policy),
  });
