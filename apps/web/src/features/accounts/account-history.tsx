// What was done with one account, from the audit trail, for who may view it.
import { Button } from "@mantine/core";
import { IconRefresh } from "@tabler/icons-react";
import { useInfiniteQuery } from "@tanstack/react-query";
import { messageOf } from "#shared/api/call-error.ts";
import { AuditTrailList } from "#shared/ui/audit-trail-list.tsx";
import { SectionLoading } from "#shared/ui/loading.tsx";
import { ErrorState } from "#shared/ui/states.tsx";
import classes from "./account-detail-page.module.css";
import { accountHistory } from "./accounts.queries.ts";

export function AccountHistory({ id }: { id: string }) {
  const history = useInfiniteQuery(accountHistory(id));
  if (history.isPending) return <SectionLoading />;
  const refresh = (
    <Button
      size="compact-sm"
      variant="subtle"
      leftSection={<IconRefresh size={15} aria-hidden />}
      onClick={() => void history.refetch()}
      loading={history.isRefetching}
    >
      Refresh
    </Button>
  );
  return (
    <div className={classes.panel}>
      {history.data === undefined ? (
        <ErrorState message={messageOf(history.error)} onRetry={() => void history.refetch()} />
      ) : (
        <AuditTrailList
          title="Audit History"
          entries={history.data.pages.flatMap((page) => page.history)}
          actions={refresh}
          footer={
            history.hasNextPage && (
              <Button
                variant="default"
                size="compact-md"
                onClick={() => void history.fetchNextPage()}
                loading={history.isFetchingNextPage}
              >
                Load more
              </Button>
            )
          }
        />
      )}
    </div>
  );
}
