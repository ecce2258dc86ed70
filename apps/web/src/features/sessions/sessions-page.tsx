// Session Monitoring: figures, the list of sessions and the Live Activity feed (SES-01 to SES-14).
import { IconActivity, IconAlertTriangle, IconClock, IconVideo } from "@tabler/icons-react";
import type { SessionFigures } from "@strongroom/contract";
import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { useSearchParams } from "react-router";
import { messageOf } from "#shared/api/call-error.ts";
import { duration } from "#shared/format/time.ts";
import { Loaded } from "#shared/ui/loaded.tsx";
import { LoadMore } from "#shared/ui/load-more.tsx";
import { PageHeader } from "#shared/ui/page-header.tsx";
import { SectionCard } from "#shared/ui/section-card.tsx";
import { StatCard, StatRow } from "#shared/ui/stat-card.tsx";
import { ActivityCard } from "./activity-card.tsx";
import { RecentConnections } from "./recent-connections.tsx";
import { SearchRecordings } from "./playback/search-recordings.tsx";
import { FilterBar, filterOf } from "./session-filter.tsx";
import { FIGURE_TEXTS } from "./session-labels.ts";
import { SessionList } from "./session-list.tsx";
import { isFiltered, sessionList } from "./sessions.queries.ts";
import classes from "./sessions.module.css";

export default function SessionsPage() {
  const [params] = useSearchParams();
  const filter = filterOf(params);
  const list = useInfiniteQuery({ ...sessionList(filter), placeholderData: keepPreviousData });
  return (
    <>
      <PageHeader
        title="Session Monitoring"
        subtitle="Watch, replay and end connections to targets"
        actions={<SearchRecordings />}
      />
      <Figures figures={list.data?.pages[0]?.figures} />
      <RecentConnections />
      <FilterBar filter={filter} />
      <div className={classes.columns}>
        <SectionCard title="Sessions">
          <Loaded
            query={list}
            failureText={list.error === null ? undefined : `Failed to load sessions: ${messageOf(list.error)}`}
          >
            {({ pages }) => (
              <>
                <SessionList sessions={pages.flatMap((page) => page.sessions)} isFiltered={isFiltered(filter)} />
                <LoadMore of={list} />
              </>
            )}
          </Loaded>
        </SectionCard>
        <ActivityCard />
      </div>
    </>
  );
}

/** SES-02, OPEN-96, OPEN-147. */
function Figures({ figures }: { figures: SessionFigures | undefined }) {
  const average = figures?.average_seconds ?? null;
  const isRisky = figures !== undefined && figures.high_risk > 0;
  return (
    <StatRow>
      <StatCard label="Active Sessions" value={figures?.active} explanation={FIGURE_TEXTS.active} icon={IconActivity} />
      <StatCard
        label="Recorded Today"
        value={figures?.recorded_today}
        explanation={FIGURE_TEXTS.recorded_today}
        icon={IconVideo}
      />
      <StatCard
        label="High Risk"
        value={figures?.high_risk}
        tone={isRisky ? "danger" : undefined}
        explanation={FIGURE_TEXTS.high_risk}
        icon={IconAlertTriangle}
      />
      <StatCard
        label="Avg Duration"
        value={average === null ? null : duration(average)}
        explanation={FIGURE_TEXTS.average_seconds}
        icon={IconClock}
      />
    </StatRow>
  );
}
