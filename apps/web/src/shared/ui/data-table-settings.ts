// What a user has set for a table: the order and the columns in the address, so that links and saved views keep them.
// The last choice of columns is remembered in the browser.
import { useLocalStorage } from "@mantine/hooks";
import { useCallback, useMemo } from "react";
import { useSearchParams } from "react-router";
import { withParam } from "#shared/format/address.ts";

export interface TableSort {
  column: string;
  direction: "asc" | "desc";
}

export interface TableSettings {
  /** The ids of the shown columns, in the table's order. */
  columns: readonly string[];
  /** Whether the user or the address chose the columns. */
  isChosen: boolean;
  /** Null shows the default order. */
  sort: TableSort | null;
  /** Sorts by the column: ascending, then descending, then the default order. */
  sortBy: (column: string) => void;
  showColumns: (ids: readonly string[]) => void;
  resetColumns: () => void;
}

interface KnownColumn {
  id: string;
  isSortable?: boolean;
  isOptional?: boolean;
}

/** The columns, sortable if their ids are among the fields by which the server sorts. */
export const sortableBy = <Column extends KnownColumn>(
  fields: readonly string[],
  columns: readonly Column[],
): readonly Column[] => columns.map((column) => ({ ...column, isSortable: fields.includes(column.id) }));

/** Reads `name` and `-name`; null for a column that is unknown or cannot be sorted. */
export function readSort(text: string | null, columns: readonly KnownColumn[]): TableSort | null {
  const column = (text ?? "").replace(/^-/, "");
  const isKnown = columns.some(({ id, isSortable }) => id === column && isSortable === true);
  return isKnown ? { column, direction: text?.startsWith("-") === true ? "desc" : "asc" } : null;
}

export const writeSort = (sort: TableSort | null): string =>
  sort === null ? "" : `${sort.direction === "desc" ? "-" : ""}${sort.column}`;

function nextSort(sort: TableSort | null, column: string): TableSort | null {
  if (sort?.column !== column) return { column, direction: "asc" };
  return sort.direction === "asc" ? { column, direction: "desc" } : null;
}

/** `name` is unique among tables: it names the entry in the browser's storage. `columns` must be a constant. */
export function useTableSettings(name: string, columns: readonly KnownColumn[]): TableSettings {
  const [params, setParams] = useSearchParams();
  const [remembered, remember, forget] = useLocalStorage<readonly string[] | null>({
    key: `strongroom_columns_${name}`,
    defaultValue: null,
    getInitialValueInEffect: false,
  });
  const [sortText, columnsText] = [params.get("sort"), params.get("columns")];
  const sort = useMemo(() => readSort(sortText, columns), [sortText, columns]);
  const wanted = useMemo(
    () => columnsText?.split(",") ?? (Array.isArray(remembered) ? remembered : null),
    [columnsText, remembered],
  );
  const shown = useMemo(() => {
    const isShown = ({ id, isOptional }: KnownColumn) => (wanted === null ? isOptional !== true : wanted.includes(id));
    return columns.filter(isShown).map(({ id }) => id);
  }, [wanted, columns]);
  const set = useCallback(
    (part: string, value: string) => setParams((before) => withParam(before, part, value), { replace: true }),
    [setParams],
  );
  return {
    columns: shown,
    isChosen: wanted !== null,
    sort,
    sortBy: (column) => set("sort", writeSort(nextSort(sort, column))),
    showColumns: (ids) => {
      remember(columns.map(({ id }) => id).filter((id) => ids.includes(id)));
      set("columns", "");
    },
    resetColumns: () => {
      forget();
      set("columns", "");
    },
  };
}
