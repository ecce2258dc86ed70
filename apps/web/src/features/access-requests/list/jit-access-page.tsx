// Just-in-time access: pending requests, active access and history (JIT-01 to JIT-06, JIT-24 to JIT-26).
import { Button } from "@mantine/core";
import {
  IconActivity,
  IconClockExclamation,
  IconClockX,
  IconFlame,
  IconListCheck,
  IconPlus,
} from "@tabler/icons-react";
import { FIGURES, RequestSort, type AccountId, type ReplyOf, type accessRequestStatistics } from "@strongroom/contract";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { useSearchParams } from "react-router";
import { choiceOf, searchOf, withParam } from "#shared/format/address.ts";
import { SavedViewsMenu } from "#shared/saved-views/saved-views-menu.tsx";
import { AddressSearch } from "#shared/ui/address-search.tsx";
import { ColumnChoice, LayoutSwitch, useLayout } from "#shared/ui/data-table-tools.tsx";
import { useTableSettings } from "#shared/ui/data-table-settings.ts";
import { PageHeader } from "#shared/ui/page-header.tsx";
import { PageTabs } from "#shared/ui/page-tabs.tsx";
import { StatCard, StatRow } from "#shared/ui/stat-card.tsx";
import { REQUEST_TABS, requestList, requestable, statistics } from "../access-requests.queries.ts";
import { BreakGlassDialog } from "../request/break-glass-dialog.tsx";
import classes from "./jit-access-page.module.css";
import { RequestAccessDialog } from "../request/request-access-dialog.tsx";
import { RequestGrid } from "./request-grid.tsx";
import { REQUEST_COLUMNS } from "./request-table.tsx";

const TAB_LABELS = { pending: "Pending Requests", active: "Active Access", history: "History" } as const;

export default function JitAccessPage() {
  const [params, setParams] = useSearchParams();
  const tab = choiceOf(params, "tab", REQUEST_TABS);
  const sort = RequestSort.safeParse(params.get("sort")).data;
  const figures = useQuery(statistics);
  const list = useInfiniteQuery(requestList({ status: tab, search: searchOf(params), sort }));
  const requests = useMemo(() => list.data?.pages.flatMap((page) => page.requests) ?? [], [list.data]);
  const counts = list.data?.pages.at(-1)?.counts;
  const settings = useTableSettings("requests", REQUEST_COLUMNS);
  const [layout, setLayout] = useLayout("requests", Math.max(counts?.[tab] ?? 0, requests.length));
  const asked = params.get("ask");
  const [dialog, setDialog] = useState<"ask" | "break-glass" | null>(null);
  const [preset, setPreset] = useState<string | null>(null);
  const { data: choices } = useQuery(requestable(""));
  const mayBreakGlass = choices?.resources.some(({ may_break_glass: may }) => may) === true;

  // Closing the dialog also removes the preselected account from the address.
  function close(): void {
    setDialog(null);
    setPreset(null);
    if (asked !== null) setParams((before) => withParam(before, "ask", ""), { replace: true });
  }

  const newRequest = (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setDialog("ask")}>
      New Request
    </Button>
  );
  return (
    <>
      <PageHeader
        title="Just-in-Time Access"
        subtitle="Request time-limited access when you need it"
        actions={
          <>
            {mayBreakGlass && (
              <Button
                color="red"
                variant="light"
                leftSection={<IconFlame size={16} aria-hidden />}
                onClick={() => setDialog("break-glass")}
              >
                Break Glass
              </Button>
            )}
            {newRequest}
          </>
        }
      />
      <Figures figures={figures.data} />
      <div className={classes.toolbar} role="search" aria-label="Access requests">
        <AddressSearch label="Search access requests" placeholder="Search by resource, person or reason" />
        <SavedViewsMenu list="requests" columns={settings.isChosen ? settings.columns : null} />
        {layout === "table" && <ColumnChoice columns={REQUEST_COLUMNS} settings={settings} />}
        <LayoutSwitch layout={layout} onChange={setLayout} />
      </div>
      <PageTabs
        label="Access requests"
        value={tab}
        onChange={(next) => setParams((before) => withParam(before, "tab", next === "pending" ? "" : next))}
        tabs={REQUEST_TABS.map((value) => ({ value, label: TAB_LABELS[value], count: counts?.[value] }))}
      >
        <RequestGrid
          list={list}
          tab={tab}
          requests={requests}
          newRequest={newRequest}
          layout={layout}
          settings={settings}
        />
      </PageTabs>
      <RequestAccessDialog
        opened={dialog === "ask" || (asked !== null && dialog === null)}
        accountId={asked}
        onClose={close}
        onBreakGlass={(accountId: AccountId) => {
          setPreset(accountId);
          setDialog("break-glass");
        }}
      />
      <BreakGlassDialog opened={dialog === "break-glass"} accountId={preset} onClose={close} />
    </>
  );
}

type RequestFigures = ReplyOf<typeof accessRequestStatistics>;

/** JIT-02, OPEN-147. */
function Figures({ figures }: { figures: RequestFigures | undefined }) {
  return (
    <StatRow>
      <StatCard
        label="Total Requests"
        explanation={FIGURES.accessRequests}
        value={figures?.total}
        icon={IconListCheck}
      />
      <StatCard
        label="Active Sessions"
        explanation={FIGURES.activeGrants}
        value={figures?.active}
        icon={IconActivity}
      />
      <StatCard
        label="Expiring Soon"
        explanation={FIGURES.expiringGrants}
        value={figures?.expiring_soon}
        icon={IconClockExclamation}
      />
      <StatCard label="Expired" explanation={FIGURES.expiredGrants} value={figures?.expired} icon={IconClockX} />
    </StatRow>
  );
}
