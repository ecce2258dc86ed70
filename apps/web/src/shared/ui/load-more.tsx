// The button below a list that fetches its next page, for lists without infinite scrolling.
import { Button } from "@mantine/core";

export interface LoadMoreProps {
  /** An infinite query. */
  of: { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage: () => Promise<unknown> };
}

export function LoadMore({ of }: LoadMoreProps) {
  if (!of.hasNextPage) return null;
  return (
    <Button
      variant="default"
      size="compact-md"
      mt="sm"
      onClick={() => void of.fetchNextPage()}
      loading={of.isFetchingNextPage}
    >
      Load More
    </Button>
  );
}
