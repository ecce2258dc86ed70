// Server state of access control: people, safes, access to them, and reviews.
import {
  closeAccessReview,
  decideReviewItem,
  decideReviewItems,
  explainAccountAccess,
  explainSafeAccess,
  exportAccessReview,
  findPrincipals,
  listAccessPeople,
  listAccessReviews,
  listAccessSafes,
  listGroups,
  listPersonAccounts,
  listPersonSafes,
  listPlatforms,
  listReviewItems,
  listSafeMembers,
  listSafes,
  readAccessPerson,
  readAccessReview,
  remindReviewers,
  startAccessReview,
  type AccessReview,
  type InputOf,
  type ReplyOf,
  type ReviewItem,
} from "@strongroom/contract";
import { infiniteQueryOptions, mutationOptions, type QueryClient } from "@tanstack/react-query";
import { call, download } from "#shared/api/call.ts";
import { invalidatePath, keyOf, queryOf } from "#shared/api/query.ts";
import { saveFile } from "#shared/ui/save-file.ts";

type Endpoint = Parameters<typeof call>[0];

/** An infinite query over a paged list. The filters are part of the query key. */
function pagesOf<E extends Endpoint>(endpoint: E, input: { params?: Record<string, string>; query?: object }) {
  return infiniteQueryOptions({
    queryKey: [...keyOf(endpoint, input as InputOf<E>).slice(0, -1), "pages", input.query ?? {}],
    queryFn: ({ pageParam, signal }) =>
      call(endpoint, { ...input, query: { ...input.query, cursor: pageParam } } as InputOf<E>, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page: ReplyOf<E>) => (page as { next_cursor: string | null }).next_cursor ?? undefined,
  });
}

export const people = (filter: { search?: string | undefined; role?: string | undefined }) =>
  pagesOf(listAccessPeople, { query: filter });
export const person = (id: string) => queryOf(readAccessPerson, { params: { id } });
export const safesOfPerson = (id: string, search: string | undefined) =>
  pagesOf(listPersonSafes, { params: { id }, query: { search } });
export const accountsOfPerson = (id: string, safeId: string) =>
  pagesOf(listPersonAccounts, { params: { id }, query: { safe_id: safeId } });

export const visibleSafes = (search: string | undefined) => pagesOf(listAccessSafes, { query: { search } });
export const accessToSafe = (id: string) => pagesOf(explainSafeAccess, { params: { id } });
export const accessToAccount = (id: string) => pagesOf(explainAccountAccess, { params: { id } });

const found = (search: string, limit = 20) => ({ query: { ...(search === "" ? {} : { search }), limit } });
export const principalsFound = (search: string) => queryOf(findPrincipals, { query: { search } });
export const safesFound = (search: string) =>
  queryOf(listSafes, { query: { ...found(search).query, permission: "manage_members" } });
/** For multi-select fields. */
export const manySafes = queryOf(listSafes, { query: { limit: 500 } });
export const groupsFound = (search: string) => queryOf(listGroups, found(search));
export const membersOf = (safeId: string) =>
  queryOf(listSafeMembers, { params: { id: safeId }, query: { limit: 500 } });
export const platforms = queryOf(listPlatforms);

export const reviews = pagesOf(listAccessReviews, {});
export const review = (id: string) => queryOf(readAccessReview, { params: { id } });
export const reviewItems = (id: string, filter: { show: "all" | "open" | "decided"; search?: string | undefined }) =>
  pagesOf(listReviewItems, { params: { id }, query: filter });

const REVIEWS = "/api/v1/access-control/reviews";

const changing = <Input, Result>(client: QueryClient, send: (input: Input) => Promise<Result>) =>
  mutationOptions({ mutationFn: send, onSettled: () => invalidatePath(client, REVIEWS) });

export type NewReviewFields = NonNullable<InputOf<typeof startAccessReview>["body"]>;
export const start = (client: QueryClient) =>
  changing(client, (body: NewReviewFields) => call(startAccessReview, { body }));

export type Decision = NonNullable<InputOf<typeof decideReviewItem>["body"]>;
export const decision = (client: QueryClient, reviewId: string) =>
  changing(client, ({ item, body }: { item: ReviewItem; body: Decision }) =>
    call(decideReviewItem, { params: { id: reviewId, item_id: item.id }, body }),
  );
export type BulkDecisionResult = ReplyOf<typeof decideReviewItems>;
export const bulkDecision = (client: QueryClient, reviewId: string) =>
  changing(client, (body: Decision & { item_ids: string[] }) =>
    call(decideReviewItems, { params: { id: reviewId }, body }),
  );
export const close = (client: QueryClient, id: string) =>
  changing(client, () => call(closeAccessReview, { params: { id } }));
export const reminder = (client: QueryClient, id: string) =>
  changing(client, () => call(remindReviewers, { params: { id } }));

export const exportOf = ({ id, started_at }: AccessReview) =>
  mutationOptions({
    mutationFn: async (format: "csv" | "json") =>
      saveFile(
        `access-review-${started_at.slice(0, 10)}.${format}`,
        await download(exportAccessReview, { params: { id }, query: { format } }),
      ),
  });
