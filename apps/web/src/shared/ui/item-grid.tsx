// A virtualised grid of cards in as many columns as fit; renders only the rows near the viewport and loads pages
// while scrolling.
import { useElementSize } from "@mantine/hooks";
import { useWindowVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useLayoutEffect, useRef, useState, type ReactNode } from "react";
import classes from "./item-grid.module.css";

/** Pixels. The minimum width of a card; a narrower grid has one column. */
const NARROWEST_CARD = 296;
const GAP = 14;
/** Pixels. The height of a card without a note, before it is measured. */
const USUAL_HEIGHT = 262;
/** The number of rows before the end at which the next page is fetched. */
const ROWS_AHEAD = 6;

const columnsIn = (width: number): number => Math.max(1, Math.floor((width + GAP) / (NARROWEST_CARD + GAP)));

export interface ItemGridProps<T extends { id: string }> {
  /** The accessible name of the list: "Credentials". */
  label: string;
  items: readonly T[];
  hasMore: boolean;
  /** False while a page is loading, and after a failure: then the user decides. */
  canLoadMore: boolean;
  onMore: () => void;
  children: (item: T) => ReactNode;
}

export function ItemGrid<T extends { id: string }>({
  label,
  items,
  hasMore,
  canLoadMore,
  onMore,
  children,
}: ItemGridProps<T>) {
  const { ref: sizeRef, width: observedWidth } = useElementSize();
  const gridRef = useRef<HTMLDivElement>(null);
  // The observer reports after the first paint. Without this, cards would be drawn in one column first.
  const [firstWidth, setFirstWidth] = useState(0);
  useLayoutEffect(() => setFirstWidth(gridRef.current?.clientWidth ?? 0), []);
  const width = observedWidth === 0 ? firstWidth : observedWidth;
  const [offset, setOffset] = useState(0);
  const columns = columnsIn(width);
  const rowCount = Math.ceil(items.length / columns);

  // Content above the grid moves it, because scroll positions count from the top of the page.
  useLayoutEffect(() => {
    const top = (gridRef.current?.getBoundingClientRect().top ?? 0) + window.scrollY;
    setOffset((before) => (Math.abs(before - top) < 1 ? before : top));
  }, [width, rowCount]);

  // oxlint-disable-next-line react/incompatible-library -- its functions go to no memoised component
  const rows = useWindowVirtualizer({
    count: rowCount,
    estimateSize: () => USUAL_HEIGHT,
    gap: GAP,
    overscan: 3,
    scrollMargin: offset,
    getItemKey: (row) => `${columns}:${items[row * columns]?.id ?? row}`,
  });
  const visible = rows.getVirtualItems();
  const firstItem = (visible[0]?.index ?? 0) * columns;
  const lastRow = visible.at(-1)?.index ?? 0;

  useEffect(() => {
    if (canLoadMore && lastRow >= rowCount - ROWS_AHEAD) onMore();
  }, [canLoadMore, lastRow, rowCount, onMore]);

  return (
    <div ref={sizeRef}>
      <div
        ref={gridRef}
        className={classes.grid}
        role="list"
        aria-label={label}
        style={{ height: rows.getTotalSize() }}
      >
        {/* All cards have the same parent, so that they move when the number of columns changes, and keep their state. */}
        <div
          className={classes.rows}
          role="presentation"
          style={{
            transform: `translateY(${(visible[0]?.start ?? offset) - offset}px)`,
            gridTemplateColumns: `repeat(${columns}, minmax(0, 1fr))`,
          }}
        >
          {items.slice(firstItem, (lastRow + 1) * columns).map((item, position) => (
            <div
              key={item.id}
              // The first card of a row is as high as the row.
              ref={position % columns === 0 ? (card) => rows.measureElement(card) : undefined}
              data-index={Math.floor((firstItem + position) / columns)}
              role="listitem"
              aria-posinset={firstItem + position + 1}
              aria-setsize={hasMore ? -1 : items.length}
            >
              {children(item)}
            </div>
          ))}
        </div>
      </div>
    </div>
  );
}
