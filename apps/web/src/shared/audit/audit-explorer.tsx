// The audit trail with its tabs, counters, filters and pages: Audit Logs shows everything, the Validation Dashboard
// only verifications (OPEN-132).
import { Button } from "@mantine/core";
import { IconRefresh, IconCircleCheck, IconCircleX, IconClockBolt, IconHistory } from "@tabler/icons-react";
import type { AuditFilter, AuditLog, AuditView, ReplyOf, countAuditEntries } from "@strongroom/contract";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import { useSearchParams } from "react-router";
import { withParam } from "#shared/format/address.ts";
import { Loaded } from "#shared/ui/loaded.tsx";
import { PageTabs } from "#shared/ui/page-tabs.tsx";
import { VIEWS, queryOf, showing, viewOf, type AuditQuery } from "./audit-filter.ts";
import { AuditTrailList } from "./audit-trail-list.tsx";
import { PAGE_SIZE, auditCounts, auditPage } from "./audit.queries.ts";
import { ExportMenu } from "./export-menu.tsx";
import { InclusionProof } from "./inclusion-proof.tsx";
import { StatCard, StatRow } from "#shared/ui/stat-card.tsx";
import { TrailFilters, type TrailFiltersProps } from "./trail-filters.tsx";
import classes from "./trail.module.css";

const NEWEST_ONLY = "Only the newest matching entries were counted.";

export interface AuditExplorerProps extends TrailFiltersProps {
  title: string;
  scope: AuditFilter["scope"];
}

const TABS = VIEWS.map((view) => ({ ...view, count: undefined }));

export function AuditExplorer({ title, scope, events, tools }: AuditExplorerProps) {
  const [params, setParams] = useSearchParams();
  const query = queryOf(params, scope);
  const choose = (view: AuditView) =>
    setParams((before) => withParam(before, "view", view === "all" ? "" : view), { replace: true });
  const counts = useQuery({ ...auditCounts(query), placeholderData: keepPreviousData });
  return (
    <PageTabs label="Kinds of events" tabs={TABS} value={viewOf(params)} onChange={choose}>
      <TrailFilters events={events} tools={tools} />
      <TrailCounters counts={counts.data} />
      {/* A changed filter starts at the first page (AUDIT-18). */}
      <Pages
        key={JSON.stringify(query)}
        title={title}
        query={query}
        total={counts.isPlaceholderData ? undefined : counts.data}
        onRefresh={() => void counts.refetch()}
        onPerson={(id) => setParams((before) => withParam(before, "actor", id))}
      />
    </PageTabs>
  );
}

interface PagesProps {
  title: string;
  query: AuditQuery;
  total: { total: number; is_exact: boolean } | undefined;
  onRefresh: () => void;
  onPerson: (id: string) => void;
}

function Pages({ title, query, total, onRefresh, onPerson }: PagesProps) {
  /** The cursors of the visited pages after the first. */
  const [places, setPlaces] = useState<readonly string[]>([]);
  const list = useQuery({ ...auditPage(query, places.at(-1)), placeholderData: keepPreviousData });
  const refresh = () => {
    onRefresh();
    void list.refetch();
  };
  return (
    <Loaded query={list}>
      {({ logs, next_cursor: next }) => (
        <div className={classes.list} aria-busy={list.isPlaceholderData}>
          <AuditTrailList
            title={title}
            entries={logs}
            entryActions={proofOf}
            layout="rows"
            onPerson={onPerson}
            actions={
              <div className={classes.actions}>
                <Button
                  size="compact-md"
                  variant="default"
                  leftSection={<IconRefresh size={15} aria-hidden />}
                  onClick={refresh}
                  loading={list.isRefetching && !list.isPlaceholderData}
                >
                  Refresh
                </Button>
                <ExportMenu query={query} />
              </div>
            }
            footer={
              logs.length > 0 && (
                <Pager
                  said={
                    total && showing(places.length, PAGE_SIZE, logs.length, { n: total.total, isExact: total.is_exact })
                  }
                  onPrevious={places.length === 0 ? null : () => setPlaces(places.slice(0, -1))}
                  onNext={next === null ? null : () => setPlaces([...places, next])}
                />
              )
            }
          />
        </div>
      )}
    </Loaded>
  );
}

const proofOf = (entry: AuditLog): ReactNode => <InclusionProof entry={entry} />;

interface PagerProps {
  said: string | undefined;
  /** Null when there is no previous page. */
  onPrevious: (() => void) | null;
  onNext: (() => void) | null;
}

/** AUDIT-09. */
function Pager({ said, onPrevious, onNext }: PagerProps) {
  return (
    <div className={classes.pager}>
      <p className={classes.showing} role="status">
        {said}
      </p>
      <div className={classes.actions}>
        <Button size="compact-md" variant="default" disabled={onPrevious === null} onClick={() => onPrevious?.()}>
          Previous
        </Button>
        <Button size="compact-md" variant="default" disabled={onNext === null} onClick={() => onNext?.()}>
          Next
        </Button>
      </div>
    </div>
  );
}

function TrailCounters({ counts }: { counts: ReplyOf<typeof countAuditEntries> | undefined }) {
  const isExact = counts?.is_exact !== false;
  const shown = (count: number | undefined) =>
    count === undefined ? null : `${count.toLocaleString()}${isExact ? "" : "+"}`;
  const explanation = isExact ? null : NEWEST_ONLY;
  return (
    <StatRow isCompact>
      <StatCard label="Total Events" value={shown(counts?.total)} icon={IconHistory} explanation={explanation} />
      <StatCard label="Successful" value={shown(counts?.successful)} icon={IconCircleCheck} />
      <StatCard
        label="Failed"
        value={shown(counts?.failed)}
        tone={(counts?.failed ?? 0) > 0 ? "danger" : undefined}
        icon={IconCircleX}
      />
      <StatCard label="JIT Events" value={shown(counts?.jit)} icon={IconClockBolt} />
    </StatRow>
  );
}
