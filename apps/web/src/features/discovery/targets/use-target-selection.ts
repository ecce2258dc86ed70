// The selection of targets for scans of several at once. A different search or filter clears it.
import { MOST_SCANNED_TARGETS, type DiscoveryTarget } from "@strongroom/contract";
import { useCallback, useMemo, useState } from "react";
import type { TableSelection } from "#shared/ui/data-table-keys.ts";
import type { TargetFilter } from "../discovery.queries.ts";

export interface TargetSelection extends TableSelection {
  /** The selected targets, also those of pages that are not loaded. */
  targets: readonly DiscoveryTarget[];
  /** Selects those that the user can manage. */
  selectAll: (targets: readonly DiscoveryTarget[]) => void;
  clear: () => void;
}

type Chosen = ReadonlyMap<string, DiscoveryTarget>;
const NONE: Chosen = new Map();

export const isSelectable = ({ can_manage }: DiscoveryTarget): boolean => can_manage;

const mapOf = (targets: readonly DiscoveryTarget[]): Chosen =>
  new Map(
    targets
      .filter(isSelectable)
      .slice(0, MOST_SCANNED_TARGETS)
      .map((each) => [each.id, each]),
  );

export function useTargetSelection(
  { sort: _order, ...filter }: TargetFilter,
  loaded: readonly DiscoveryTarget[],
): TargetSelection {
  const list = JSON.stringify(filter);
  const [state, setState] = useState({ list, chosen: NONE });
  const chosen = state.list === list ? state.chosen : NONE;
  const ids = useMemo(() => new Set(chosen.keys()), [chosen]);
  const selectAll = (targets: readonly DiscoveryTarget[]) => setState({ list, chosen: mapOf(targets) });
  const select = useCallback(
    (id: string, isSelected: boolean) => {
      setState((before) => {
        const next = new Map(before.list === list ? before.chosen : NONE);
        const target = loaded.find((each) => each.id === id);
        if (!isSelected) next.delete(id);
        else if (target !== undefined && isSelectable(target) && next.size < MOST_SCANNED_TARGETS) next.set(id, target);
        return { list, chosen: next };
      });
    },
    [list, loaded],
  );
  return {
    ids,
    targets: [...chosen.values()],
    select,
    selectOnly: (wanted) => selectAll(loaded.filter(({ id }) => wanted.includes(id))),
    selectAll,
    clear: () => setState({ list, chosen: NONE }),
  };
}
