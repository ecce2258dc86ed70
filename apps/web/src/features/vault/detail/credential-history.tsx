// The audit entries of one credential, with Refresh (VAULT-13, VAULT-36, VAULT-45).
import { useInfiniteQuery } from "@tanstack/react-query";
import { useNow } from "#shared/format/now.ts";
import { RefreshButton } from "#shared/audit/audit-history.tsx";
import { LoadMore } from "#shared/ui/load-more.tsx";
import { SectionSkeleton } from "#shared/ui/section-skeleton.tsx";
import { SampleDataNotice } from "#shared/ui/states.tsx";
import { AuditTrailList, type AuditTrailEntry } from "#shared/audit/audit-trail-list.tsx";
import { credentialHistory } from "../credentials.queries.ts";

const SAMPLE_USER = { name: "Sample user" };

export function CredentialHistory({ id }: { id: string }) {
  const history = useInfiniteQuery(credentialHistory(id));
  const now = useNow();

  if (history.isPending) return <SectionSkeleton />;
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

/**
 * Entries to show when the server cannot be reached, clearly labelled as samples (VAULT-36, rule 3). Their times are
 * relative to `now` (milliseconds since 1970), so that none claims to be a real event.
 */
function sampleHistory(now: number): AuditTrailEntry[] {
  const minutesAgo = (minutes: number) => new Date(now - minutes * 60_000).toISOString();
  return [
    {
      id: "sample-1",
      action: "Credential Verification",
      result: "success",
      summary: "Sample entry: a verification that succeeded",
      metadata: { duration: "Sample", source: "Sample" },
      user: SAMPLE_USER,
      timestamp: minutesAgo(5),
    },
    {
      id: "sample-2",
      action: "Credential Verification",
      result: "failure",
      summary: "Sample entry: a verification that failed",
      metadata: { reason: "Sample reason", source: "Sample" },
      user: SAMPLE_USER,
      timestamp: minutesAgo(90),
    },
  ];
}
