// Safes Management: searches, filters and manages the safes that the caller can see (SAFE-01 to SAFE-08).
import { Button, NativeSelect } from "@mantine/core";
import {
  IconBuildingBank,
  IconPlus,
  IconRefresh,
  IconSearchOff,
  IconCircleCheck,
  IconUsersGroup,
} from "@tabler/icons-react";
import { SAFE_STATUSES, type Safe } from "@strongroom/contract";
import { keepPreviousData, useInfiniteQuery, useQueryClient, useQuery } from "@tanstack/react-query";
import { useCallback, useMemo, useState } from "react";
import { Link, useSearchParams } from "react-router";
import { paths } from "#shared/paths.ts";
import { invalidatePath } from "#shared/api/query.ts";
import { withParam } from "#shared/format/address.ts";
import { AddressSearch } from "#shared/ui/address-search.tsx";
import { ItemGrid } from "#shared/ui/item-grid.tsx";
import { Loaded } from "#shared/ui/loaded.tsx";
import { LoadMore } from "#shared/ui/load-more.tsx";
import { PageHeader } from "#shared/ui/page-header.tsx";
import { EmptyState } from "#shared/ui/states.tsx";
import { DeleteSafeDialog } from "../form/delete-safe-dialog.tsx";
import { SavedViewsMenu } from "#shared/saved-views/saved-views-menu.tsx";
import { ColumnChoice, LayoutSwitch, useLayout, type Layout } from "#shared/ui/data-table-tools.tsx";
import { useTableSettings, type TableSettings } from "#shared/ui/data-table-settings.ts";
import { FilterChips } from "#shared/ui/filter-chips.tsx";
import { SAFE_COLUMNS, SafeTable } from "./safe-table.tsx";
import type { SafeDialog } from "./safe-actions.ts";
import { SafeCard } from "./safe-card.tsx";
import { filterOf, isFiltered } from "./safe-filter.ts";
import { CreateSafeDialog, EditSafeDialog } from "../form/safe-form-dialogs.tsx";
import { STATUS_BADGES } from "../safe-labels.ts";
import { safeList, statistics } from "../safes.queries.ts";
import { StatCard, StatRow } from "#shared/ui/stat-card.tsx";
import { nextPageOf } from "#shared/ui/next-page.ts";
import classes from "../safes.module.css";

export default function SafesPage() {
  const [params] = useSearchParams();
  const filter = filterOf(params);
  const client = useQueryClient();
  const list = useInfiniteQuery({ ...safeList(filter), placeholderData: keepPreviousData });
  const safes = useMemo(() => list.data?.pages.flatMap((page) => page.safes) ?? [], [list.data]);
  const [isCreating, setIsCreating] = useState(false);
  const dialogs = useSafeDialogs(safes);
  const settings = useTableSettings("safes", SAFE_COLUMNS);
  const total = useQuery(statistics).data?.total ?? 0;
  // A filter that leaves a few safes does not change the layout.
  const [layout, setLayout] = useLayout("safes", Math.max(total, safes.length));
  const more = nextPageOf(list);

  const createButton = (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setIsCreating(true)}>
      Create Safe
    </Button>
  );

  return (
    <>
      <PageHeader
        title="Safes Management"
        subtitle="Shared accounts and who can access them"
        actions={
          <>
            <Button
              variant="default"
              leftSection={<IconRefresh size={16} aria-hidden />}
              onClick={() => void invalidatePath(client, "/api/v1/safes")}
              loading={list.isRefetching && !list.isPlaceholderData}
            >
              Refresh
            </Button>
            {createButton}
          </>
        }
      />
      <SafeStatistics />
      <Toolbar settings={settings} layout={layout} onLayout={setLayout} />
      <Loaded query={list} loadingText="Loading safes..." failureText="Failed to load safes">
        {() =>
          safes.length === 0 ? (
            <NoSafes isFiltered={isFiltered(filter)} createButton={createButton} />
          ) : (
            <div className={list.isPlaceholderData ? classes.stale : undefined}>
              {layout === "table" ? (
                <SafeTable safes={safes} settings={settings} onOpen={dialogs.open} {...more} />
              ) : (
                <ItemGrid label="Safes" items={safes} {...more}>
                  {(safe) => <SafeCard safe={safe} onOpen={dialogs.open} />}
                </ItemGrid>
              )}
              {list.isFetchNextPageError && <LoadMore of={list} />}
            </div>
          )
        }
      </Loaded>
      <CreateSafeDialog opened={isCreating} onClose={() => setIsCreating(false)} />
      {dialogs.safe !== null && (
        // The key resets the dialog state for each safe.
        <div key={dialogs.safe.id}>
          <EditSafeDialog safe={dialogs.safe} {...dialogs.propsOf("edit")} />
          <DeleteSafeDialog safe={dialogs.safe} {...dialogs.propsOf("delete")} />
        </div>
      )}
    </>
  );
}

const STATUSES = [
  { value: "", label: "Any status" },
  ...SAFE_STATUSES.map((status) => ({ value: status, label: STATUS_BADGES[status].label })),
];

interface ToolbarProps {
  settings: TableSettings;
  layout: Layout;
  onLayout: (layout: Layout) => void;
}

function Toolbar({ settings, layout, onLayout }: ToolbarProps) {
  const [params, setParams] = useSearchParams();
  const set = (part: string) => (value: string) =>
    setParams((before) => withParam(before, part, value), { replace: true });
  const { tag } = filterOf(params);
  return (
    <div className={classes.toolbar} role="search" aria-label="Safes">
      <AddressSearch label="Search safes" placeholder="Search safes by name, description, or owner..." />
      <NativeSelect
        className={classes.choice}
        aria-label="Status"
        data={STATUSES}
        value={params.get("status") ?? ""}
        onChange={(event) => set("status")(event.currentTarget.value)}
      />
      <SavedViewsMenu list="safes" columns={settings.isChosen ? settings.columns : null} />
      <div className={classes.looks}>
        {layout === "table" && <ColumnChoice columns={SAFE_COLUMNS} settings={settings} />}
        <LayoutSwitch layout={layout} onChange={onLayout} />
      </div>
      {tag !== undefined && (
        <FilterChips
          chips={[{ part: "tag", name: "Tag", value: tag }]}
          onRemove={(part) => set(part)("")}
          onClear={() => set("tag")("")}
        />
      )}
    </div>
  );
}

interface NoSafesProps {
  /** Whether a search or status filter is set, so that other safes may exist. */
  isFiltered: boolean;
  createButton: React.ReactNode;
}

/** SAFE-08. */
function NoSafes({ isFiltered: isSearching, createButton }: NoSafesProps) {
  const [, setParams] = useSearchParams();
  return isSearching ? (
    <EmptyState
      icon={IconSearchOff}
      title="No safes found"
      text="No safes match your search."
      action={
        <Button variant="default" onClick={() => setParams({})}>
          Clear Search and Filter
        </Button>
      }
    />
  ) : (
    <EmptyState
      icon={IconBuildingBank}
      title="No safes found"
      text={
        <>
          Create a safe for shared accounts, then add the people who use them. Passwords that only you use belong in{" "}
          <Link to={paths.vault}>your vault</Link>.
        </>
      }
      action={createButton}
    />
  );
}

/** Selects the safe of the open dialog. Keeps it after closing, for the closing animation. */
function useSafeDialogs(safes: readonly Safe[]) {
  const [dialog, setDialog] = useState<SafeDialog | null>(null);
  const [chosen, setChosen] = useState<Safe | null>(null);
  const open = useCallback((which: SafeDialog, of: Safe) => {
    setChosen(of);
    setDialog(which);
  }, []);
  return {
    // The current version from the list, not the one the dialog opened with.
    safe: safes.find(({ id }) => id === chosen?.id) ?? chosen,
    open,
    propsOf: (which: SafeDialog) => ({
      opened: dialog === which,
      onClose: () => setDialog((open) => (open === which ? null : open)),
    }),
  };
}

/** Shows a dash for a missing figure. */
function SafeStatistics() {
  const { data } = useQuery(statistics);
  return (
    <StatRow>
      <StatCard label="Total Safes" value={data?.total} icon={IconBuildingBank} />
      <StatCard label="Active Safes" value={data?.active} icon={IconCircleCheck} />
      <StatCard
        label="Shared Safes"
        value={data?.shared}
        icon={IconUsersGroup}
        explanation="Safes with more than one person as a member"
      />
    </StatRow>
  );
}
