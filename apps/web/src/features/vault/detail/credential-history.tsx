// The audit entries of one credential, with Refresh (VAULT-13, VAULT-36, VAULT-45).
import { useInfiniteQuery } from "@tanstack/react-query";
import { useNow } from "#shared/format/now.ts";
import { RefreshButton } from "#shared/audit/audit-history.tsx";
import { AuditTrailList } from "#shared/audit/audit-trail-list.tsx";
import { LoadMore } from "#shared/ui/load-more.tsx";
import { SectionLoading } from "#shared/ui/loading.tsx";
import { SampleDataNotice } from "#shared/ui/states.tsx";
import { credentialHistory } from "../credentials.queries.ts";
import { sampleHistory } from "./sample-history.ts";

export function CredentialHistory({ id }: { id: string }) {
  const history = useInfiniteQuery(credentialHistory(id));
  const now = useNow();

  if (history.isPending) return <SectionLoading />;
  const refresh = <RefreshButton of={history} />;
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
      footer={<LoadMore of={history} />}
    />
  );
}
