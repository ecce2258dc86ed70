// How a list loads its next page when the user scrolls: one page at a time, and no automatic retry after a failure.

export interface PagedList {
  hasNextPage: boolean;
  isFetching: boolean;
  isFetchNextPageError: boolean;
  fetchNextPage: (options: { cancelRefetch: boolean }) => Promise<unknown>;
}

/** The props of `DataTable` and `ItemGrid` for an infinite query. */
export const nextPageOf = (list: PagedList) => ({
  hasMore: list.hasNextPage,
  canLoadMore: list.hasNextPage && !list.isFetching && !list.isFetchNextPageError,
  // Does not cancel a running fetch: by default, TanStack Query would restart it.
  onMore: () => void list.fetchNextPage({ cancelRefetch: false }),
});
