// "Why can this person see this?" of one account.
import { Button } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { messageOf } from "#shared/api/call-error.ts";
import { AccessList } from "#shared/ui/access-list.tsx";
import { SectionLoading } from "#shared/ui/loading.tsx";
import { SectionCard } from "#shared/ui/section-card.tsx";
import { ErrorState } from "#shared/ui/states.tsx";
import { accountAccess } from "./accounts.queries.ts";

export function AccountAccess({ id }: { id: string }) {
  const access = useInfiniteQuery(accountAccess(id));
  return (
    <SectionCard
      title="Why can this person see this?"
      description="Everyone who can use or retrieve this account now, and through what."
    >
      {access.isPending && <SectionLoading />}
      {access.isError && access.data === undefined && (
        <ErrorState message={messageOf(access.error)} onRetry={() => void access.refetch()} />
      )}
      {access.data !== undefined && (
        <AccessList
          access={access.data.pages.flatMap((page) => page.access)}
          footer={
            access.hasNextPage && (
              <Button
                variant="default"
                size="compact-md"
                onClick={() => void access.fetchNextPage()}
                loading={access.isFetchingNextPage}
              >
                Load more
              </Button>
            )
          }
        />
      )}
    </SectionCard>
  );
}
