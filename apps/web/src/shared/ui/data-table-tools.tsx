// What surrounds a table: the choice of columns, the switch between table and cards, and the skeleton.
import { ActionIcon, Button, Checkbox, Popover, Select, Skeleton, Tooltip } from "@mantine/core";
import { useLocalStorage } from "@mantine/hooks";
import { IconColumns3, IconLayoutGrid, IconTable } from "@tabler/icons-react";
import { useSearchParams } from "react-router";
import { withParam } from "#shared/format/address.ts";
import type { DataColumn } from "./data-table.tsx";
import { writeSort, type TableSettings } from "./data-table-settings.ts";
import classes from "./data-table.module.css";

export interface ColumnChoiceProps<T> {
  columns: readonly DataColumn<T>[];
  settings: TableSettings;
}

/** The first column names the row, so it is always shown. */
export function ColumnChoice<T>({ columns, settings }: ColumnChoiceProps<T>) {
  const toggle = (id: string, isShown: boolean) =>
    settings.showColumns(isShown ? [...settings.columns, id] : settings.columns.filter((each) => each !== id));
  return (
    <Popover position="bottom-end" withinPortal={false} trapFocus shadow="md">
      <Popover.Target>
        <Button variant="default" leftSection={<IconColumns3 size={16} aria-hidden />}>
          Columns
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label="Columns" className={classes.choices}>
        {columns.slice(1).map(({ id, header }) => (
          <Checkbox
            key={id}
            size="xs"
            label={header}
            checked={settings.columns.includes(id)}
            onChange={(event) => toggle(id, event.currentTarget.checked)}
          />
        ))}
        <Button variant="subtle" size="compact-sm" onClick={settings.resetColumns}>
          Reset
        </Button>
      </Popover.Dropdown>
    </Popover>
  );
}

export interface OrderChoiceProps {
  columns: readonly { id: string; header: string; isSortable?: boolean }[];
  settings: TableSettings;
  /** The order without a choice: "Newest first". */
  usual: string;
}

/** The order of a list, also where no column headers are shown. */
export function OrderChoice({ columns, settings, usual }: OrderChoiceProps) {
  const [, setParams] = useSearchParams();
  const sortable = columns.filter(({ isSortable }) => isSortable === true);
  return (
    <Select
      aria-label="Order"
      className={classes.order}
      allowDeselect={false}
      data={[
        { value: "", label: usual },
        ...sortable.flatMap(({ id, header }) => [
          { value: id, label: `${header}, ascending` },
          { value: `-${id}`, label: `${header}, descending` },
        ]),
      ]}
      value={writeSort(settings.sort)}
      onChange={(value) => setParams((before) => withParam(before, "sort", value ?? ""), { replace: true })}
    />
  );
}

export type Layout = "table" | "cards";

/** Lists above this length are tables by default. */
const MOST_CARDS = 20;

/** The layout that the address names, the one the user chose last, or the one that fits the number of items. */
export function useLayout(name: string, count: number): [Layout, (layout: Layout) => void] {
  const [params, setParams] = useSearchParams();
  const [chosen, choose] = useLocalStorage<string>({
    key: `strongroom_layout_${name}`,
    defaultValue: "",
    getInitialValueInEffect: false,
  });
  const wanted = [params.get("layout"), chosen].find((layout) => layout === "table" || layout === "cards");
  const layout = wanted ?? (count > MOST_CARDS ? "table" : "cards");
  return [
    layout,
    (next) => {
      choose(next);
      setParams((before) => withParam(before, "layout", ""), { replace: true });
    },
  ];
}

export function LayoutSwitch({ layout, onChange }: { layout: Layout; onChange: (layout: Layout) => void }) {
  return (
    <div className={classes.layouts} role="group" aria-label="Layout">
      {(
        [
          ["table", "Table", IconTable],
          ["cards", "Cards", IconLayoutGrid],
        ] as const
      ).map(([value, label, LayoutIcon]) => (
        <Tooltip key={value} label={label}>
          <ActionIcon
            size={34}
            variant={layout === value ? "light" : "subtle"}
            color={layout === value ? "petrol" : "gray"}
            aria-label={label}
            aria-pressed={layout === value}
            onClick={() => onChange(value)}
          >
            <LayoutIcon size={17} aria-hidden />
          </ActionIcon>
        </Tooltip>
      ))}
    </div>
  );
}

export interface TableSkeletonProps {
  /** What loads: "Loading accounts...". */
  text: string;
  rows?: number;
}

/** The shape of a table while its first page loads. */
export function TableSkeleton({ text, rows = 10 }: TableSkeletonProps) {
  return (
    <div className={classes.skeleton} role="status" aria-live="polite" data-loading>
      <p className={classes.skeletonText}>{text}</p>
      {Array.from({ length: rows }, (_, index) => (
        <div key={index} className={classes.skeletonRow} aria-hidden>
          <Skeleton height={12} width={`${35 + ((index * 17) % 40)}%`} />
          <Skeleton height={12} width={`${45 + ((index * 29) % 40)}%`} />
          <Skeleton height={12} width="60%" />
          <Skeleton height={18} width={72} radius="xl" />
        </div>
      ))}
    </div>
  );
}
