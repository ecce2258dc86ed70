// The full trail with its filters, page after page, each entry with its evidence.
import { Button, Select } from "@mantine/core";
import { IconFileCertificate, IconRefresh } from "@tabler/icons-react";
import type { AuditLogEntry } from "@strongroom/contract";
import { useInfiniteQuery, useMutation, useQueryClient } from "@tanstack/react-query";
import { useSearchParams } from "react-router";
import { messageOf } from "#shared/api/call-error.ts";
import { AuditTrailList } from "#shared/ui/audit-trail-list.tsx";
import { SectionLoading } from "#shared/ui/loading.tsx";
import { ErrorState } from "#shared/ui/states.tsx";
import { toast } from "#shared/ui/toast.ts";
import { EVENT_CHOICES, RESULT_CHOICES, filterOf, withFilter, type AuditFilter } from "./audit-filter.ts";
import classes from "./audit-page.module.css";
import { auditTrail, evidenceDownload } from "./audit.queries.ts";

export function AuditTrail() {
  const [params, setParams] = useSearchParams();
  const choose = (part: keyof AuditFilter) => (value: string | null) =>
    setParams((before) => withFilter(before, part, value ?? ""), { replace: true });
  return (
    <div className={classes.trail}>
      <div className={classes.filters}>
        <Select
          aria-label="Event"
          data={EVENT_CHOICES}
          value={params.get("event") ?? ""}
          onChange={choose("event")}
          allowDeselect={false}
          searchable
          nothingFoundMessage="No such event"
        />
        <Select
          aria-label="Result"
          data={RESULT_CHOICES}
          value={params.get("result") ?? ""}
          onChange={choose("result")}
          allowDeselect={false}
        />
      </div>
      <Entries filter={filterOf(params)} />
    </div>
  );
}

function Entries({ filter }: { filter: AuditFilter }) {
  const trail = useInfiniteQuery(auditTrail(filter));
  if (trail.isPending) return <SectionLoading />;
  if (trail.data === undefined) {
    return (
      <ErrorState message={messageOf(trail.error)} onRetry={() => void trail.refetch()} isRetrying={trail.isFetching} />
    );
  }
  return (
    <AuditTrailList
      entries={trail.data.pages.flatMap((page) => page.logs)}
      entryActions={evidenceOf}
      actions={
        <Button
          size="compact-sm"
          variant="subtle"
          leftSection={<IconRefresh size={15} aria-hidden />}
          onClick={() => void trail.refetch()}
          loading={trail.isRefetching}
        >
          Refresh
        </Button>
      }
      footer={
        trail.hasNextPage && (
          <Button
            variant="default"
            size="compact-md"
            onClick={() => void trail.fetchNextPage()}
            loading={trail.isFetchingNextPage}
          >
            Load more
          </Button>
        )
      }
    />
  );
}

const evidenceOf = (entry: AuditLogEntry) => <Evidence entry={entry} />;

function Evidence({ entry: { id, action, leaf_index } }: { entry: AuditLogEntry }) {
  const isProven = leaf_index !== null;
  const { mutate, isPending } = useMutation(evidenceDownload(useQueryClient()));
  const save = () =>
    mutate(id, { onError: (error) => toast.error(`Failed to download the evidence: ${messageOf(error)}`) });
  return (
    <Button
      size="compact-xs"
      variant="subtle"
      leftSection={<IconFileCertificate size={14} aria-hidden />}
      aria-label={`Evidence of ${action}`}
      title={isProven ? "Download the entry with its proof" : "Its place in the tree comes in a moment: refresh"}
      disabled={!isProven}
      onClick={save}
      loading={isPending}
    >
      Evidence
    </Button>
  );
}
