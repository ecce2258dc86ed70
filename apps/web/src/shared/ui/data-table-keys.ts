// The keyboard of a table: `j` and `k` move, `x` selects, Enter opens (the focused name is a link or a button), `/`
// focuses the search box of the page.
import { useCallback, useEffect, useRef, type RefObject } from "react";

export interface TableSelection {
  ids: ReadonlySet<string>;
  select: (id: string, isSelected: boolean) => void;
  /** Selects exactly these rows. */
  selectOnly: (ids: readonly string[]) => void;
}

interface TableKeys {
  rows: readonly { id: string }[];
  body: RefObject<HTMLElement | null>;
  selection: TableSelection | undefined;
  scrollTo: (place: number) => void;
}

/** How many frames a row may take to appear after scrolling. */
const MOST_FRAMES = 30;

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || target.matches("textarea, select, input:not([type=checkbox])"));

/** Keys belong to an open dialog or menu, and to the field in which the user types. */
const isElsewhere = (event: KeyboardEvent): boolean =>
  event.ctrlKey ||
  event.metaKey ||
  event.altKey ||
  isTyping(event.target) ||
  document.querySelector('[role="dialog"], [role="menu"]') !== null;

export function useTableKeys({ rows, body, selection, scrollTo }: TableKeys) {
  /** The row that was focused last. */
  const current = useRef<string | null>(null);

  const onFocus = useCallback((target: EventTarget) => {
    const row = target instanceof HTMLElement ? target.closest<HTMLElement>("[data-row]") : null;
    if (row !== null) current.current = row.dataset["row"] ?? null;
  }, []);

  const state = useRef({ rows, selection, scrollTo });
  useEffect(() => {
    state.current = { rows, selection, scrollTo };
  });

  useEffect(() => {
    const focus = (id: string, frames = MOST_FRAMES): void => {
      const row = [...(body.current?.querySelectorAll<HTMLElement>("[data-row]") ?? [])].find(
        ({ dataset }) => dataset["row"] === id,
      );
      const name = row?.querySelector<HTMLElement>("[data-row-name]");
      if (name != null) return name.focus({ preventScroll: true });
      if (frames > 0 && current.current === id) requestAnimationFrame(() => focus(id, frames - 1));
    };
    const move = (by: number): void => {
      const all = state.current.rows;
      if (all.length === 0) return;
      const from = all.findIndex(({ id }) => id === current.current);
      const to = from < 0 ? 0 : Math.min(all.length - 1, Math.max(0, from + by));
      current.current = all[to]!.id;
      state.current.scrollTo(to);
      focus(all[to]!.id);
    };
    const toggle = (): void => {
      const { selection: chosen, rows: all } = state.current;
      const id = current.current;
      if (chosen === undefined || id === null || !all.some((row) => row.id === id)) return;
      chosen.select(id, !chosen.ids.has(id));
    };
    const search = (): boolean => {
      const box = document.querySelector<HTMLInputElement>('main input[type="search"]');
      box?.focus();
      box?.select();
      return box !== null;
    };
    const onKey = (event: KeyboardEvent): void => {
      if (isElsewhere(event)) return;
      if (event.key === "j") move(1);
      else if (event.key === "k") move(-1);
      else if (event.key === "x") toggle();
      else if (event.key !== "/" || !search()) return;
      event.preventDefault();
      // The top bar listens for `/` too.
      event.stopImmediatePropagation();
    };
    window.addEventListener("keydown", onKey, { capture: true });
    return () => window.removeEventListener("keydown", onKey, { capture: true });
  }, [body]);

  return { onFocus };
}
