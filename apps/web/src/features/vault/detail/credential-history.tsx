// The audit entries of one credential, with Refresh (VAULT-13, VAULT-36, VAULT-45).
import { Button } from "@mantine/core";
import { IconRefresh } from "@tabler/icons-react";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useNow } from "#shared/format/now.ts";
import { AuditTrailList } from "#shared/audit/audit-trail-list.tsx";
import { SectionLoading } from "#shared/ui/loading.tsx";
import { SampleDataNotice } from "#shared/ui/states.tsx";
import { credentialHistory } from "../credentials.queries.ts";
import { sampleHistory } from "./sample-history.ts";

export function CredentialHistory({ id }: { id: string }) {
  const history = useInfiniteQuery(credentialHistory(id));
  const now = useNow();
  const refetch = () => void history.refetch();

  if (history.isPending) return <SectionLoading />;
  const refresh = (
    <Button
      size="compact-sm"
      variant="subtle"
      leftSection={<IconRefresh size={15} aria-hidden />}
      onClick={refetch}
      loading={history.isRefetching}
    >
      Refresh
    </Button>
  );
  if (history.data === undefined) {
    return (
      <>
        <SampleDataNotice />
        <AuditTrailList title="Audit Logs" entries={sampleHistory(now)} actions={refresh} />
      </>
    );
  }
  return (
    <AuditTrailList
      title="Audit Logs"
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
  );
}
