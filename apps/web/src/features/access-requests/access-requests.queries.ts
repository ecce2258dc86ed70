// Server state of access requests.
import {
  accessRequestStatistics,
  approveAccessRequest,
  breakGlass,
  createAccessRequest,
  denyAccessRequest,
  extendAccessRequest,
  findRequestable,
  listAccessRequests,
  listPrivilegedSessions,
  mapAccessRequest,
  readAccessRequest,
  readAccessRequestRisk,
  reviewBreakGlass,
  revokeAccessRequest,
  type AccessRequest,
  type AccessRequestId,
  type AccountId,
  type RequestSort,
  type Endpoint,
  type InputOf,
  type UserId,
} from "@strongroom/contract";
import { infiniteQueryOptions, keepPreviousData, mutationOptions, type QueryClient } from "@tanstack/react-query";
import { isCallError } from "#shared/api/call-error.ts";
import { call } from "#shared/api/call.ts";
import { invalidatePath, keyOf, queryOf } from "#shared/api/query.ts";
import { toast } from "#shared/ui/toast.ts";
import { loadFailureText } from "./load-failure.ts";

const PATH = "/api/v1/jit";
const at = (id: string) => ({ params: { id: id as AccessRequestId } });

/** JIT-24 to JIT-26, in display order. */
export const REQUEST_TABS = ["pending", "active", "history"] as const;
export type RequestTab = (typeof REQUEST_TABS)[number];

export interface RequestFilter {
  status: RequestTab;
  search?: string | undefined;
  sort?: RequestSort | undefined;
}

async function fetchPage(filter: RequestFilter, cursor: string | undefined, signal: AbortSignal) {
  try {
    return await call(listAccessRequests, { query: { ...filter, cursor } }, { signal });
  } catch (error) {
    // JIT-32. Shown here because the redirect to the sign-in page unmounts the screen.
    if (isCallError(error) && error.status === 401) toast.error(loadFailureText(error, true), { id: "jit-401" });
    throw error;
  }
}

/** Pages of requests, newest first unless sorted otherwise. */
export const requestList = (filter: RequestFilter) =>
  infiniteQueryOptions({
    queryKey: [...keyOf(listAccessRequests).slice(0, -1), "pages", filter],
    queryFn: ({ pageParam, signal }) => fetchPage(filter, pageParam, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
    placeholderData: keepPreviousData,
  });

export const statistics = queryOf(accessRequestStatistics);
export const oneRequest = (id: string) => queryOf(readAccessRequest, at(id));
export const requestRisk = (id: string) => queryOf(readAccessRequestRisk, at(id));

/** Including the request that is being looked at. */
const EARLIER = 6;
interface UseOf {
  userId: UserId;
  accountId: AccountId;
}
export const earlierRequests = ({ userId, accountId }: UseOf) =>
  queryOf(listAccessRequests, { query: { user_id: userId, account_id: accountId, limit: EARLIER } });
export const earlierSessions = ({ userId, accountId }: UseOf) =>
  queryOf(listPrivilegedSessions, { query: { user_id: userId, account_id: accountId, limit: EARLIER - 1 } });

export const requestable = (search: string) => ({
  ...queryOf(findRequestable, { query: search.trim() === "" ? {} : { search: search.trim() } }),
  placeholderData: keepPreviousData,
});
/** The account preselected by a link to the request form. */
export const requestableAccount = (id: string) => queryOf(findRequestable, { query: { account_id: id } });

/** A mutation that returns the updated request and invalidates requests and accounts. */
function writing<Given>(client: QueryClient, send: (given: Given) => Promise<AccessRequest>) {
  return mutationOptions({
    mutationFn: send,
    onSuccess: (request) => client.setQueryData(oneRequest(request.id).queryKey, request),
    onSettled: () => refreshRequests(client),
  });
}

type BodyOf<E extends Endpoint> = NonNullable<InputOf<E>["body"]>;

export const creation = (client: QueryClient) =>
  writing(client, (body: BodyOf<typeof createAccessRequest>) => call(createAccessRequest, { body }));
export const emergencyAccess = (client: QueryClient) =>
  writing(client, (body: BodyOf<typeof breakGlass>) => call(breakGlass, { body }));
export const approval = (client: QueryClient, id: string) =>
  writing(client, (comment: string) => call(approveAccessRequest, { ...at(id), body: { comment } }));
export const denial = (client: QueryClient, id: string) =>
  writing(client, (comment: string) => call(denyAccessRequest, { ...at(id), body: { comment } }));
export const revocation = (client: QueryClient, id: string) =>
  writing(client, (comment: string) => call(revokeAccessRequest, { ...at(id), body: { comment } }));
export const extension = (client: QueryClient, id: string) =>
  writing(client, (extensionMinutes: number) => call(extendAccessRequest, { ...at(id), body: { extensionMinutes } }));
export const mapping = (client: QueryClient, id: string) =>
  writing(client, (accountId: string) => call(mapAccessRequest, { ...at(id), body: { account_id: accountId } }));
export const review = (client: QueryClient, id: string) =>
  writing(client, (body: BodyOf<typeof reviewBreakGlass>) => call(reviewBreakGlass, { ...at(id), body }));

export async function refreshRequests(client: QueryClient): Promise<void> {
  await Promise.all(["/api/v1/accounts", "/api/v1/audit", PATH].map((path) => invalidatePath(client, path)));
}
