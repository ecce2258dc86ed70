// The Discovery Targets tab: search, filters, targets as rows or as a table, and their dialogs (DISC-10).
import { Button, Checkbox } from "@mantine/core";
import { IconRadar2, IconSearchOff } from "@tabler/icons-react";
import { MOST_COUNTED, type DiscoveryTarget } from "@strongroom/contract";
import { keepPreviousData, useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import { useSearchParams } from "react-router";
import { messageOf } from "#shared/api/call-error.ts";
import { useMutation } from "#shared/api/use-mutation.ts";
import type { TargetAction } from "#shared/discovery/discovery-tab.ts";
import { withParam } from "#shared/format/address.ts";
import { counted } from "#shared/format/text.ts";
import { AddressSearch } from "#shared/ui/address-search.tsx";
import { DeleteDialog } from "#shared/ui/confirm-action-dialog.tsx";
import { useTableSettings, type TableSettings } from "#shared/ui/data-table-settings.ts";
import { ColumnChoice, LayoutSwitch, useLayout, type Layout } from "#shared/ui/data-table-tools.tsx";
import { Loaded } from "#shared/ui/loaded.tsx";
import { LoadMore } from "#shared/ui/load-more.tsx";
import type { DialogProps } from "#shared/ui/modal.tsx";
import { nextPageOf } from "#shared/ui/next-page.ts";
import { RowList } from "#shared/ui/row-list.tsx";
import { EmptyState } from "#shared/ui/states.tsx";
import { toast } from "#shared/ui/toast.ts";
import classes from "../discovery.module.css";
import { targetChange, targetDeletion, targetList } from "../discovery.queries.ts";
import { CloudDialog } from "../cloud/cloud-dialog.tsx";
import { FilterChoice } from "../filter-choice.tsx";
import { StartScanDialog } from "../scans/start-scan-dialog.tsx";
import { SelectedTargets } from "./selected-targets.tsx";
import type { TargetDialog } from "./target-actions.ts";
import { TargetDetails } from "./target-details.tsx";
import { EditTargetDialog } from "./target-dialog.tsx";
import { ACTIVE_CHOICES, LAST_SCAN_CHOICES, TYPE_CHOICES, chosenIn, filterOf, isNarrowed } from "./target-filter.ts";
import { editOf, formOf } from "./target-form-values.ts";
import { TargetRow } from "./target-row.tsx";
import { TARGET_COLUMNS, TargetTable } from "./target-table.tsx";
import { isSelectable, useTargetSelection } from "./use-target-selection.ts";

export interface TargetListProps {
  addButton: ReactNode;
  /** Another action on each target that the user can manage (DISC-10). */
  action: TargetAction | undefined;
  /** The number of all targets. */
  total: number;
}

export function TargetList({ addButton, action, total }: TargetListProps) {
  const [params] = useSearchParams();
  const filter = filterOf(params);
  const list = useInfiniteQuery({ ...targetList(filter), placeholderData: keepPreviousData });
  const targets = list.data?.pages.flatMap(({ data }) => data) ?? [];
  const settings = useTableSettings("targets", TARGET_COLUMNS);
  // A filter that leaves a few targets does not change the layout.
  const [layout, setLayout] = useLayout("targets", Math.max(total, targets.length));
  const { target, open, propsOf } = useTargetDialogs(targets);
  const handlers = { action, onOpen: open, onSwitch: useTargetSwitch() };
  const selection = useTargetSelection(filter, targets);
  const selectable = targets.filter(isSelectable);
  const marked = selectable.filter(({ id }) => selection.ids.has(id)).length;
  const matching = list.data?.pages[0]?.total ?? targets.length;
  const hasTools = total > 0 || targets.length > 0 || isNarrowed(filter);
  return (
    <div>
      {hasTools && <Toolbar settings={settings} layout={layout} onLayout={setLayout} />}
      <Loaded query={list}>
        {() =>
          targets.length === 0 ? (
            <NoTargets isNarrowed={isNarrowed(filter)} addButton={addButton} />
          ) : (
            <>
              <div className={classes.counts}>
                {selectable.length > 0 && layout === "cards" && (
                  <Checkbox
                    label="Select all loaded"
                    checked={marked > 0 && marked === selectable.length}
                    indeterminate={marked > 0 && marked < selectable.length}
                    onChange={({ currentTarget: { checked } }) => selection.selectAll(checked ? selectable : [])}
                  />
                )}
                <span className={classes.total} role="status">
                  {`${targets.length.toLocaleString()} of ${matching >= MOST_COUNTED ? "more than " : ""}${counted(matching, "target")}`}
                </span>
              </div>
              {layout === "table" ? (
                <TargetTable
                  rows={targets}
                  settings={settings}
                  handlers={handlers}
                  {...(selectable.length > 0 ? { selection } : {})}
                  {...nextPageOf(list)}
                  isStale={list.isPlaceholderData}
                />
              ) : (
                <RowList label="Discovery targets">
                  {targets.map((each) => (
                    <TargetRow
                      key={each.id}
                      target={each}
                      handlers={handlers}
                      isSelected={selection.ids.has(each.id)}
                      onSelect={selection.select}
                    />
                  ))}
                </RowList>
              )}
              {(layout === "cards" || list.isFetchNextPageError) && <LoadMore of={list} />}
              <SelectedTargets selection={selection} filter={filter} total={matching} action={action} />
            </>
          )
        }
      </Loaded>
      {target !== null && (
        // The key resets the dialog state for each target.
        <div key={target.id}>
          <StartScanDialog targets={[target]} {...propsOf("scan")} />
          {action !== undefined && <action.Dialog targets={[target]} {...propsOf("action")} />}
          <TargetDetails target={target} {...propsOf("details")} />
          <CloudDialog target={target} {...propsOf("cloud")} />
          <EditTargetDialog target={target} {...propsOf("edit")} />
          <DeleteTargetDialog target={target} {...propsOf("delete")} />
        </div>
      )}
    </div>
  );
}

interface ToolbarProps {
  settings: TableSettings;
  layout: Layout;
  onLayout: (layout: Layout) => void;
}

function Toolbar({ settings, layout, onLayout }: ToolbarProps) {
  const [params, setParams] = useSearchParams();
  const { type, active, last_scan: lastScan } = chosenIn(params);
  const set = (part: string) => (value: string | null) =>
    setParams((before) => withParam(before, part, value ?? ""), { replace: true });
  return (
    <div className={`${classes.toolbar} ${classes.below}`} role="search" aria-label="Discovery targets">
      <AddressSearch label="Search discovery targets" placeholder="Search name, host or safe" />
      <FilterChoice label="Type" data={TYPE_CHOICES} value={type} onChange={set("type")} />
      <FilterChoice label="Status" data={ACTIVE_CHOICES} value={active} onChange={set("active")} />
      <FilterChoice label="Last scan" data={LAST_SCAN_CHOICES} value={lastScan} onChange={set("last_scan")} />
      <div className={classes.looks}>
        {layout === "table" && <ColumnChoice columns={TARGET_COLUMNS} settings={settings} />}
        <LayoutSwitch layout={layout} onChange={onLayout} />
      </div>
    </div>
  );
}

interface NoTargetsProps {
  /** Whether a search or filter is set, so that other targets may exist. */
  isNarrowed: boolean;
  addButton: ReactNode;
}

function NoTargets({ isNarrowed: isFiltered, addButton }: NoTargetsProps) {
  const [, setParams] = useSearchParams();
  return isFiltered ? (
    <EmptyState
      icon={IconSearchOff}
      title="No discovery targets found"
      text="No target matches your search and filters."
      action={
        <Button variant="default" onClick={() => setParams({})}>
          Clear Search and Filters
        </Button>
      }
    />
  ) : (
    <EmptyState
      icon={IconRadar2}
      title="No discovery targets"
      text="A target is a system whose accounts Strongroom lists, such as a Linux host or a database."
      action={addButton}
    />
  );
}

/** Selects the target of the open dialog. Keeps it after closing, for the closing animation. */
function useTargetDialogs(targets: readonly DiscoveryTarget[]) {
  const [chosen, setChosen] = useState<DiscoveryTarget | null>(null);
  const [dialog, setDialog] = useState<TargetDialog | null>(null);
  const open = (which: TargetDialog, target: DiscoveryTarget) => {
    setChosen(target);
    setDialog(which);
  };
  return {
    // The current version from the list, not the one the dialog opened with.
    target: targets.find(({ id }) => id === chosen?.id) ?? chosen,
    open,
    propsOf: (which: TargetDialog): DialogProps => ({ opened: dialog === which, onClose: () => setDialog(null) }),
  };
}

/** Enables or disables a target without its form. */
function useTargetSwitch(): (target: DiscoveryTarget) => void {
  const { mutate } = useMutation(targetChange(useQueryClient()));
  return (target) => {
    const verb = target.is_active ? "disable" : "enable";
    const body = editOf({ ...formOf(target, ""), isActive: !target.is_active });
    mutate(
      { id: target.id, body },
      {
        onSuccess: () => toast.success(`Discovery target ${verb}d successfully`),
        onError: (error) => toast.error(messageOf(error), { title: `Failed to ${verb} discovery target` }),
      },
    );
  };
}

function DeleteTargetDialog({ target, ...props }: DialogProps & { target: DiscoveryTarget }) {
  return (
    <DeleteDialog
      {...props}
      title="Delete Discovery Target"
      mutation={targetDeletion(useQueryClient(), target.id)}
      done="Discovery target deleted successfully"
      failed="Failed to delete discovery target"
    >
      <p>
        Delete <strong>{target.name}</strong>, its scans and the accounts that they found? Accounts in safes stay. This
        cannot be undone.
      </p>
    </DeleteDialog>
  );
}
