// The selection of accounts for bulk actions.
import type { Account } from "@strongroom/contract";
import { useCallback, useMemo, useState } from "react";

/** The limit of one call. */
export const MAX_SELECTED = 1000;

export interface Selection {
  /** Null when selection mode is off. Accounts that left the list are dropped from the selection. */
  ids: ReadonlySet<string> | null;
  begin: () => void;
  end: () => void;
  select: (id: string, isSelected: boolean) => void;
  selectOnly: (ids: readonly string[]) => void;
}

export function useSelection(accounts: readonly Account[]): Selection {
  const [chosen, setChosen] = useState<ReadonlySet<string> | null>(null);
  const ids = useMemo(() => {
    if (chosen === null) return null;
    return new Set(accounts.map(({ id }) => id as string).filter((id) => chosen.has(id)));
  }, [accounts, chosen]);
  const select = useCallback((id: string, isSelected: boolean) => {
    setChosen((before) => {
      const next = new Set(before);
      if (!isSelected) next.delete(id);
      else if (next.size < MAX_SELECTED) next.add(id);
      return next;
    });
  }, []);
  return {
    ids,
    begin: () => setChosen(new Set()),
    end: () => setChosen(null),
    select,
    selectOnly: (wanted) => setChosen(new Set(wanted.slice(0, MAX_SELECTED))),
  };
}
