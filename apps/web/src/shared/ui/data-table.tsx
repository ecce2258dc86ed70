// A dense table for long lists: sorting, selection, row menus and keyboard use. Renders only the rows near the
// viewport, and becomes a list of stacked rows where a table does not fit.
import { useElementSize } from "@mantine/hooks";
import { IconArrowDown, IconArrowUp } from "@tabler/icons-react";
import { useWindowVirtualizer } from "@tanstack/react-virtual";
import {
  memo,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
  type CSSProperties,
  type ReactNode,
  type RefObject,
} from "react";
import { Link } from "react-router";
import { useTableKeys, type TableSelection } from "./data-table-keys.ts";
import type { TableSettings, TableSort } from "./data-table-settings.ts";
import classes from "./data-table.module.css";
import { RowMenu, type RowAction } from "./row-menu.tsx";

export interface DataColumn<T> {
  /** Unique in the table. A sortable column passes it to the server. */
  id: string;
  header: string;
  cell: (row: T) => ReactNode;
  /** The tooltip, when the value may not fit. */
  title?: (row: T) => string | undefined;
  /** Rem. The minimum width. */
  width: number;
  /** The share of spare width; 1 by default. */
  grow?: number;
  isSortable?: boolean;
  /** Shown only when the user chooses it. */
  isOptional?: boolean;
  /** Left out where it does not fit, unless the user chose columns. */
  isRoomy?: boolean;
  /** Where stacked rows show the value: after the name, as a badge, or not at all (by default). */
  stacked?: "line" | "badge";
  /** Whether stacked rows show the header before the value: "Findings: 12". */
  isLabelled?: boolean;
}

export interface DataTableProps<T extends { id: string }> {
  /** The accessible name: "Accounts". */
  label: string;
  rows: readonly T[];
  /** The first column names the row, and is always shown. */
  columns: readonly DataColumn<T>[];
  settings: TableSettings;
  /** The row in accessible names: "root on db1". */
  nameOf: (row: T) => string;
  /** The page of a row. Without it, `onOpen` opens the row. */
  linkOf?: (row: T) => string;
  onOpen?: (row: T) => void;
  actionsOf?: (row: T) => readonly RowAction[];
  selection?: TableSelection;
  /** Rows without a checkbox return false; all rows have one by default. */
  isSelectable?: (row: T) => boolean;
  /** Marks rows that need attention. */
  isAlarming?: (row: T) => boolean;
  hasMore?: boolean;
  /** False while a page is loading, and after a failure: then the user decides. */
  canLoadMore?: boolean;
  onMore?: () => void;
  /** The rows of an earlier filter, while the next ones load. */
  isStale?: boolean;
}

/** Pixels. Below this width rows are stacked. */
const NARROWEST_TABLE = 560;
/** Pixels. The height of each row of a table, as in the style sheet. */
const ROW_HEIGHT = 41;
const STACKED_HEIGHT = 88;
/** The number of rows before the end at which the next page is fetched. */
const ROWS_AHEAD = 20;
/** Pixels. The top bar and the header of the table cover rows there. */
const COVERED = 110;

export function DataTable<T extends { id: string }>(props: DataTableProps<T>) {
  const { label, rows, columns, settings, selection, hasMore = false, canLoadMore = false, onMore, isStale } = props;
  const { ref: sizeRef, width } = useElementSize();
  const bodyRef = useRef<HTMLDivElement>(null);
  const headRef = useRef<HTMLDivElement>(null);
  const [offset, setOffset] = useState(0);
  const isStacked = width > 0 && width < NARROWEST_TABLE;
  const hasActions = props.actionsOf !== undefined;
  const extras = (selection === undefined ? 0 : SELECT_TRACK) + (hasActions ? MENU_TRACK : 0);
  const chosen = columns.filter(({ id }, place) => place === 0 || settings.columns.includes(id));
  const shown = settings.isChosen || width === 0 ? chosen : fitting(chosen, width / REM, extras);

  // Content above the table moves it, because scroll positions count from the top of the page.
  useLayoutEffect(() => {
    const top = (bodyRef.current?.getBoundingClientRect().top ?? 0) + window.scrollY;
    setOffset((before) => (Math.abs(before - top) < 1 ? before : top));
  }, [width, rows.length]);

  // oxlint-disable-next-line react/incompatible-library -- its functions go to no memoised component
  const virtual = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => (isStacked ? STACKED_HEIGHT : ROW_HEIGHT),
    overscan: 8,
    scrollMargin: offset,
    scrollPaddingStart: COVERED,
    scrollPaddingEnd: 80,
    getItemKey: (place) => `${isStacked}:${rows[place]?.id ?? place}`,
  });
  const visible = virtual.getVirtualItems();
  const last = visible.at(-1)?.index ?? 0;
  useEffect(() => {
    if (canLoadMore && last >= rows.length - ROWS_AHEAD) onMore?.();
  }, [canLoadMore, last, rows.length, onMore]);

  const keys = useTableKeys({ rows, body: bodyRef, selection, scrollTo: (place) => virtual.scrollToIndex(place) });
  const style = { "--tracks": tracksOf(shown, selection !== undefined, hasActions) } as CSSProperties;
  return (
    <div ref={sizeRef} className={isStale === true ? classes.stale : undefined}>
      <div
        className={classes.table}
        style={style}
        {...(isStacked
          ? { role: "list", "aria-label": label, "data-stacked": true }
          : {
              role: "table",
              "aria-label": label,
              "aria-rowcount": hasMore ? -1 : rows.length + 1,
              "aria-colcount": shown.length + (selection === undefined ? 0 : 1) + (hasActions ? 1 : 0),
            })}
      >
        {!isStacked && (
          <Head
            columns={shown}
            rows={props.isSelectable === undefined ? rows : rows.filter(props.isSelectable)}
            settings={settings}
            selection={selection}
            headRef={headRef}
            bodyRef={bodyRef}
            hasActions={hasActions}
            minWidth={`${widthOf(shown, extras)}rem`}
          />
        )}
        <div
          ref={bodyRef}
          className={classes.body}
          role={isStacked ? "presentation" : "rowgroup"}
          onScroll={() => follow(bodyRef, headRef)}
          onFocus={(event) => keys.onFocus(event.target)}
        >
          <div
            className={classes.rows}
            role="presentation"
            style={{ height: virtual.getTotalSize(), minWidth: isStacked ? undefined : `${widthOf(shown, extras)}rem` }}
          >
            {visible.map(({ key, index, start }) => {
              const row = rows[index];
              if (row === undefined) return null;
              return (
                <div
                  key={key}
                  ref={isStacked ? virtual.measureElement : undefined}
                  data-index={index}
                  data-row={row.id}
                  data-selected={selection?.ids.has(row.id) === true}
                  data-alarm={props.isAlarming?.(row) === true}
                  className={isStacked ? classes.stack : classes.row}
                  style={{ transform: `translateY(${start - offset}px)` }}
                  {...(isStacked
                    ? { role: "listitem", "aria-posinset": index + 1, "aria-setsize": hasMore ? -1 : rows.length }
                    : { role: "row", "aria-rowindex": index + 2 })}
                >
                  <Cells
                    row={row}
                    columns={isStacked ? columns : shown}
                    isStacked={isStacked}
                    hasSelection={selection !== undefined}
                    isSelected={props.isSelectable?.(row) === false ? undefined : selection?.ids.has(row.id)}
                    onSelect={selection?.select}
                    nameOf={props.nameOf}
                    linkOf={props.linkOf}
                    onOpen={props.onOpen}
                    actionsOf={props.actionsOf}
                  />
                </div>
              );
            })}
          </div>
        </div>
      </div>
    </div>
  );
}

/** Rem: the checkbox, the menu, the gap between cells and the padding of a row, as in the style sheet. */
const SELECT_TRACK = 1.5;
const MENU_TRACK = 1.875;
const GAP = 0.75;
const PADDING = 1.5;
/** Pixels. */
const REM = 16;

const tracksOf = <T,>(columns: readonly DataColumn<T>[], isSelectable: boolean, hasActions: boolean): string =>
  [
    ...(isSelectable ? [`${SELECT_TRACK}rem`] : []),
    ...columns.map(({ width, grow = 1 }) => (grow === 0 ? `${width}rem` : `minmax(${width}rem, ${grow}fr)`)),
    ...(hasActions ? [`${MENU_TRACK}rem`] : []),
  ].join(" ");

/** Rem. The narrowest row: its columns with the gaps, the checkbox and the menu. */
const widthOf = <T,>(columns: readonly DataColumn<T>[], extras: number): number =>
  columns.reduce((sum, { width }) => sum + width + GAP, 0) + extras + GAP + PADDING;

/** Leaves out roomy columns, the last one first, until the others fit. */
function fitting<T>(columns: readonly DataColumn<T>[], room: number, extras: number): readonly DataColumn<T>[] {
  const last = columns.findLastIndex(({ isRoomy }) => isRoomy === true);
  if (last < 0 || widthOf(columns, extras) <= room) return columns;
  return fitting(columns.toSpliced(last, 1), room, extras);
}

/** The header scrolls sideways with the body, and stays below the top bar when the page scrolls. */
function follow(from: RefObject<HTMLDivElement | null>, to: RefObject<HTMLDivElement | null>): void {
  if (from.current === null || to.current === null) return;
  if (to.current.scrollLeft !== from.current.scrollLeft) to.current.scrollLeft = from.current.scrollLeft;
}

interface HeadProps<T extends { id: string }> extends Pick<DataTableProps<T>, "rows" | "settings"> {
  selection: TableSelection | undefined;
  columns: readonly DataColumn<T>[];
  headRef: RefObject<HTMLDivElement | null>;
  bodyRef: RefObject<HTMLDivElement | null>;
  hasActions: boolean;
  minWidth: string;
}

function Head<T extends { id: string }>(props: HeadProps<T>) {
  const { columns, rows, settings, selection, headRef, bodyRef, hasActions, minWidth } = props;
  const count = selection?.ids.size ?? 0;
  return (
    <div ref={headRef} className={classes.head} role="rowgroup" onScroll={() => follow(headRef, bodyRef)}>
      <div className={classes.headRow} role="row" aria-rowindex={1} style={{ minWidth }}>
        {selection !== undefined && (
          <div role="columnheader" className={classes.select}>
            <input
              type="checkbox"
              className={classes.box}
              aria-label="Select all rows"
              ref={(box) => {
                if (box !== null) box.indeterminate = count > 0 && count < rows.length;
              }}
              checked={count > 0 && count >= rows.length}
              onChange={(event) => selection.selectOnly(event.currentTarget.checked ? rows.map(({ id }) => id) : [])}
            />
          </div>
        )}
        {columns.map((column) => (
          <HeadCell key={column.id} column={column} sort={settings.sort} onSort={settings.sortBy} />
        ))}
        {hasActions && (
          <div role="columnheader">
            <span className={classes.hidden}>Actions</span>
          </div>
        )}
      </div>
    </div>
  );
}

interface HeadCellProps<T> {
  column: DataColumn<T>;
  sort: TableSort | null;
  onSort: (column: string) => void;
}

function HeadCell<T>({ column, sort, onSort }: HeadCellProps<T>) {
  const direction = sort?.column === column.id ? sort.direction : null;
  if (column.isSortable !== true) return <div role="columnheader">{column.header}</div>;
  const Arrow = direction === "desc" ? IconArrowDown : IconArrowUp;
  return (
    <div role="columnheader" aria-sort={direction === null ? "none" : direction === "asc" ? "ascending" : "descending"}>
      <button type="button" className={classes.sort} data-sorted={direction !== null} onClick={() => onSort(column.id)}>
        <span className={classes.cut}>{column.header}</span>
        <Arrow size={13} aria-hidden />
      </button>
    </div>
  );
}

interface CellsProps<T extends { id: string }> extends Pick<
  DataTableProps<T>,
  "nameOf" | "linkOf" | "onOpen" | "actionsOf"
> {
  row: T;
  columns: readonly DataColumn<T>[];
  isStacked: boolean;
  /** Whether the table has a column of checkboxes. */
  hasSelection: boolean;
  /** Undefined for a row that cannot be selected. */
  isSelected: boolean | undefined;
  onSelect: TableSelection["select"] | undefined;
}

/** Memoised, because scrolling renders the table for each frame. */
const Cells = memo(function RowCells<T extends { id: string }>(props: CellsProps<T>) {
  const { row, columns, isStacked, hasSelection, isSelected, onSelect, nameOf, actionsOf } = props;
  const [first, ...others] = columns;
  if (first === undefined) return null;
  const name = nameOf(row);
  const checkbox = isSelected !== undefined && (
    // A plain box, because a table draws dozens of them in each frame.
    <input
      type="checkbox"
      className={classes.box}
      aria-label={`Select ${name}`}
      checked={isSelected}
      onChange={(event) => onSelect?.(row.id, event.currentTarget.checked)}
    />
  );
  const menu = actionsOf !== undefined && <RowMenu name={name} actionsOf={() => actionsOf(row)} />;
  if (isStacked) return <Stack {...props} first={first} others={others} checkbox={checkbox} menu={menu} />;
  return (
    <>
      {hasSelection && (
        <div role="cell" className={classes.select}>
          {checkbox}
        </div>
      )}
      <div role="rowheader" className={classes.cell} title={first.title?.(row)}>
        <Name {...props} column={first} />
      </div>
      {others.map((column) => (
        <div key={column.id} role="cell" className={classes.cell} title={column.title?.(row)}>
          {column.cell(row)}
        </div>
      ))}
      {actionsOf !== undefined && (
        <div role="cell" className={classes.menu}>
          {menu}
        </div>
      )}
    </>
  );
}) as <T extends { id: string }>(props: CellsProps<T>) => ReactNode;

interface StackProps<T extends { id: string }> extends CellsProps<T> {
  first: DataColumn<T>;
  others: readonly DataColumn<T>[];
  checkbox: ReactNode;
  menu: ReactNode;
}

function Stack<T extends { id: string }>({ first, others, checkbox, menu, ...props }: StackProps<T>) {
  const { row } = props;
  const placed = (where: DataColumn<T>["stacked"]) => others.filter(({ stacked }) => stacked === where);
  return (
    <>
      {checkbox}
      <div className={classes.stackText}>
        <div className={classes.stackName}>
          <Name {...props} column={first} />
        </div>
        <div className={classes.stackLine}>
          {placed("line").map((column) => (
            <span key={column.id} title={column.title?.(row)}>
              {column.isLabelled === true && `${column.header}: `}
              {column.cell(row)}
            </span>
          ))}
        </div>
        <div className={classes.stackBadges}>
          {placed("badge").map((column) => (
            <span key={column.id}>{column.cell(row)}</span>
          ))}
        </div>
      </div>
      {menu}
    </>
  );
}

function Name<T extends { id: string }>({
  row,
  column,
  linkOf,
  onOpen,
}: Pick<CellsProps<T>, "row" | "linkOf" | "onOpen"> & { column: DataColumn<T> }) {
  if (linkOf !== undefined)
    return (
      <Link className={classes.name} to={linkOf(row)} data-row-name>
        {column.cell(row)}
      </Link>
    );
  if (onOpen === undefined) return <span className={classes.name}>{column.cell(row)}</span>;
  return (
    <button type="button" className={classes.name} onClick={() => onOpen(row)} data-row-name>
      {column.cell(row)}
    </button>
  );
}
