// Updates the cached pages of a list in place, so that one changed card does not refetch a hundred pages.
import type { InfiniteData, QueryClient, QueryKey } from "@tanstack/react-query";

export interface Page<T> {
  data: T[];
  next_cursor: string | null;
}

interface Item {
  id: string;
}
type Pages<T> = readonly Page<T>[];

const holds = <T extends Item>(page: Page<T>, id: string): boolean => page.data.some((item) => item.id === id);

/** The pages with a newer version of one item. Returns the same object when no page has the item. */
export function withItem<T extends Item>(pages: Pages<T>, changed: T): Pages<T> {
  if (!pages.some((page) => holds(page, changed.id))) return pages;
  return pages.map((page) =>
    holds(page, changed.id)
      ? { ...page, data: page.data.map((item) => (item.id === changed.id ? changed : item)) }
      : page,
  );
}

/** The pages without one item. Returns the same object when no page had the item. */
export function withoutItem<T extends Item>(pages: Pages<T>, id: string): Pages<T> {
  if (!pages.some((page) => holds(page, id))) return pages;
  return pages.map((page) => (holds(page, id) ? { ...page, data: page.data.filter((each) => each.id !== id) } : page));
}

/** The pages with a new item at the start, because lists are newest first. Unchanged if the item is already in them. */
export function withNewItem<T extends Item>(pages: Pages<T>, created: T): Pages<T> {
  const [first, ...rest] = pages;
  if (first === undefined || pages.some((page) => holds(page, created.id))) return pages;
  return [{ ...first, data: [created, ...first.data] }, ...rest];
}

/** Patches every cached list below a key; the last part of a list's key is its filter. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller says what its keys end with
export function patchLists<T extends Item, Filter>(
  client: QueryClient,
  queryKey: QueryKey,
  patch: (pages: Pages<T>, filter: Filter) => Pages<T>,
): void {
  for (const [key, data] of client.getQueriesData<InfiniteData<Page<T>>>({ queryKey })) {
    if (data === undefined) continue;
    const pages = patch(data.pages, key.at(-1) as Filter);
    if (pages !== data.pages) client.setQueryData(key, { ...data, pages: [...pages] });
  }
}

/** Whether any cached list below a key has the item. */
export function isListed(client: QueryClient, queryKey: QueryKey, id: string): boolean {
  return client
    .getQueriesData<InfiniteData<Page<Item>>>({ queryKey })
    .some(([, data]) => data?.pages.some((page) => holds(page, id)) === true);
}
