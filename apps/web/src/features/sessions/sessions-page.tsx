// Session Monitoring: figures, the list of sessions and the Live Activity feed (SES-01 to SES-14).
import { Select } from "@mantine/core";
import { IconActivity, IconAlertTriangle, IconClock, IconVideo } from "@tabler/icons-react";
import { SESSION_RISKS, SESSION_STATUSES, type SessionFigures } from "@strongroom/contract";
import { keepPreviousData, useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useSearchParams } from "react-router";
import { messageOf } from "#shared/api/call-error.ts";
import { searchOf, withParam } from "#shared/format/address.ts";
import { duration } from "#shared/format/time.ts";
import { AddressSearch } from "#shared/ui/address-search.tsx";
import { Loaded } from "#shared/ui/loaded.tsx";
import { LoadMore } from "#shared/ui/load-more.tsx";
import { PageHeader } from "#shared/ui/page-header.tsx";
import { SectionCard } from "#shared/ui/section-card.tsx";
import { StatCard, StatRow } from "#shared/ui/stat-card.tsx";
import { ActivityCard } from "./activity-card.tsx";
import { FIGURE_TEXTS, PERIODS, RISK_LABELS, STATUS_LABELS, type Period } from "./session-labels.ts";
import { SessionList } from "./session-list.tsx";
import { isFiltered, safeChoices, sessionList, type SessionFilter } from "./sessions.queries.ts";
import classes from "./sessions.module.css";

const PERIOD_NAMES = Object.keys(PERIODS) as Period[];

/** Unknown values in the address are ignored. */
function filterOf(params: URLSearchParams): SessionFilter {
  return {
    status: SESSION_STATUSES.find((each) => each === params.get("status")),
    risk: SESSION_RISKS.find((each) => each === params.get("risk")),
    safe_id: params.get("safe") ?? undefined,
    search: searchOf(params),
    period: PERIOD_NAMES.find((each) => each === params.get("period")) ?? "any",
  };
}

export default function SessionsPage() {
  const [params] = useSearchParams();
  const filter = filterOf(params);
  const list = useInfiniteQuery({ ...sessionList(filter), placeholderData: keepPreviousData });
  return (
    <>
      <PageHeader title="Session Monitoring" subtitle="Watch, replay and end connections to targets" />
      <Figures figures={list.data?.pages[0]?.figures} />
      <Toolbar filter={filter} />
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

const text = (figure: number | undefined): string | null => figure?.toLocaleString() ?? null;

/** SES-02, OPEN-96, OPEN-147. */
function Figures({ figures }: { figures: SessionFigures | undefined }) {
  const average = figures?.average_seconds ?? null;
  const isRisky = figures !== undefined && figures.high_risk > 0;
  return (
    <StatRow>
      <StatCard
        label="Active Sessions"
        value={text(figures?.active)}
        explanation={FIGURE_TEXTS.active}
        icon={IconActivity}
      />
      <StatCard
        label="Recorded Today"
        value={text(figures?.recorded_today)}
        explanation={FIGURE_TEXTS.recorded_today}
        icon={IconVideo}
      />
      <StatCard
        label="High Risk"
        value={text(figures?.high_risk)}
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

function Toolbar({ filter }: { filter: SessionFilter }) {
  const [, setParams] = useSearchParams();
  const safes = useQuery(safeChoices);
  const set = (part: string) => (value: string | null) =>
    setParams((before) => withParam(before, part, value ?? ""), { replace: true });
  return (
    <div className={classes.toolbar} role="search" aria-label="Sessions">
      <AddressSearch label="Search sessions" placeholder="Search by user, account or target" />
      <Select
        className={classes.choice}
        aria-label="Status"
        data={[
          { value: "", label: "All statuses" },
          ...SESSION_STATUSES.map((value) => ({ value, label: STATUS_LABELS[value] })),
        ]}
        value={filter.status ?? ""}
        allowDeselect={false}
        onChange={set("status")}
      />
      <Select
        className={classes.choice}
        aria-label="Risk"
        data={[
          { value: "", label: "All risks" },
          ...SESSION_RISKS.map((value) => ({ value, label: RISK_LABELS[value] })),
        ]}
        value={filter.risk ?? ""}
        allowDeselect={false}
        onChange={set("risk")}
      />
      <Select
        className={classes.choice}
        aria-label="Safe"
        searchable
        data={[
          { value: "", label: "All safes" },
          ...(safes.data?.safes ?? []).map(({ id, name }) => ({ value: id, label: name })),
        ]}
        value={filter.safe_id ?? ""}
        allowDeselect={false}
        nothingFoundMessage="No matching safe"
        onChange={set("safe")}
      />
      <Select
        className={classes.choice}
        aria-label="Started"
        data={PERIOD_NAMES.map((value) => ({ value, label: PERIODS[value].label }))}
        value={filter.period}
        allowDeselect={false}
        onChange={(value) => set("period")(value === "any" ? "" : value)}
      />
    </div>
  );
}
