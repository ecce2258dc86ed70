import { IconRefresh, IconTrash } from "@tabler/icons-react";
import { screen, within } from "@testing-library/react";
import { useState } from "react";
import { expect, test, vi } from "vitest";
import { renderScreen } from "#app/testing/render.tsx";
import { readSort, useTableSettings, writeSort } from "./data-table-settings.ts";
import { ColumnChoice, LayoutSwitch, TableSkeleton, useLayout } from "./data-table-tools.tsx";
import { DataTable, type DataColumn } from "./data-table.tsx";
import type { RowAction } from "./row-menu.tsx";

interface Host {
  id: string;
  name: string;
  port: number;
}

const COLUMNS: readonly DataColumn<Host>[] = [
  { id: "name", header: "Name", width: 10, cell: ({ name }) => name, isSortable: true },
  { id: "port", header: "Port", width: 5, cell: ({ port }) => port, isSortable: true },
  { id: "safe", header: "Safe", width: 5, cell: () => "Ops", isOptional: true },
];

const hostsOf = (count: number): Host[] =>
  Array.from({ length: count }, (_, index) => ({ id: `h${index}`, name: `db${index}`, port: 5000 + index }));

const remove = vi.fn<(name: string) => void>();
const actionsOf = ({ id, name }: Host): RowAction[] => [
  { label: "Rotate", icon: IconRefresh, to: `/rotate/${id}` },
  { label: "Delete", icon: IconTrash, isDanger: true, onClick: () => remove(name) },
];
const nameOf = ({ name }: Host) => `root on ${name}`;
const linkOf = ({ id }: Host) => `/hosts/${id}`;

function Screen({ rows = hostsOf(3), onMore }: { rows?: Host[]; onMore?: () => void }) {
  const settings = useTableSettings("hosts", COLUMNS);
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set());
  const select = (id: string, isSelected: boolean) =>
    setIds((before) => (isSelected ? new Set([...before, id]) : new Set([...before].filter((each) => each !== id))));
  return (
    <main>
      <input type="search" aria-label="Search hosts" />
      <ColumnChoice columns={COLUMNS} settings={settings} />
      <DataTable
        label="Hosts"
        rows={rows}
        columns={COLUMNS}
        settings={settings}
        nameOf={nameOf}
        linkOf={linkOf}
        actionsOf={actionsOf}
        selection={{ ids, select, selectOnly: (wanted) => setIds(new Set(wanted)) }}
        hasMore={onMore !== undefined}
        canLoadMore={onMore !== undefined}
        {...(onMore === undefined ? {} : { onMore })}
      />
    </main>
  );
}

test("a header sorts ascending, then descending, then in the default order, and the address keeps it", async () => {
  const { user, router } = renderScreen(<Screen />);
  const header = () => screen.getByRole("columnheader", { name: "Port" });
  expect(header().getAttribute("aria-sort")).toBe("none");
  await user.click(screen.getByRole("button", { name: "Port" }));
  expect(header().getAttribute("aria-sort")).toBe("ascending");
  expect(router.state.location.search).toBe("?sort=port");
  await user.click(screen.getByRole("button", { name: "Port" }));
  expect(header().getAttribute("aria-sort")).toBe("descending");
  expect(router.state.location.search).toBe("?sort=-port");
  await user.click(screen.getByRole("button", { name: "Port" }));
  expect(router.state.location.search).toBe("");
});

test("a sort in the address must name a column that can be sorted", () => {
  expect(readSort("-port", COLUMNS)).toEqual({ column: "port", direction: "desc" });
  for (const text of ["safe", "-safe", "owner", "", null]) expect(readSort(text, COLUMNS)).toBe(null);
  expect(writeSort({ column: "port", direction: "desc" })).toBe("-port");
});

test("the column choice shows an optional column, remembers it and resets it", async () => {
  const first = renderScreen(<Screen />);
  expect(screen.queryByRole("columnheader", { name: "Safe" })).toBe(null);
  await first.user.click(screen.getByRole("button", { name: "Columns" }));
  await first.user.click(await screen.findByRole("checkbox", { name: "Safe" }));
  expect(screen.getByRole("columnheader", { name: "Safe" })).toBeTruthy();
  first.unmount();

  const second = renderScreen(<Screen />);
  expect(screen.getByRole("columnheader", { name: "Safe" })).toBeTruthy();
  await second.user.click(screen.getByRole("button", { name: "Columns" }));
  await second.user.click(await screen.findByRole("button", { name: "Reset" }));
  expect(screen.queryByRole("columnheader", { name: "Safe" })).toBe(null);
});

test("the address names the columns of a link", () => {
  renderScreen(<Screen />, { at: "/?columns=safe" });
  const headers = screen.getAllByRole("columnheader").map(({ textContent }) => textContent);
  expect(headers).toEqual(["", "Name", "Safe", "Actions"]);
});

test("row actions and checkboxes have names that include the row", async () => {
  const { user } = renderScreen(<Screen />);
  expect(screen.getByRole("checkbox", { name: "Select root on db1" })).toBeTruthy();
  await user.click(screen.getByRole("button", { name: "Actions for root on db1" }));
  const menu = await screen.findByRole("menu");
  expect(within(menu).getByRole("menuitem", { name: "Rotate" }).getAttribute("href")).toBe("/rotate/h1");
  await user.click(within(menu).getByRole("menuitem", { name: "Delete" }));
  expect(remove).toHaveBeenCalledExactlyOnceWith("db1");
});

test("the keyboard moves with j and k, selects with x, opens with Enter and searches with /", async () => {
  const { user, router } = renderScreen(<Screen />);
  await user.keyboard("jj");
  expect(document.activeElement?.textContent).toBe("db1");
  await user.keyboard("x");
  expect(screen.getByRole<HTMLInputElement>("checkbox", { name: "Select root on db1" }).checked).toBe(true);
  await user.keyboard("k");
  expect(document.activeElement?.textContent).toBe("db0");
  await user.keyboard("k");
  expect(document.activeElement?.textContent).toBe("db0");
  await user.keyboard("/");
  expect(document.activeElement).toBe(screen.getByRole("searchbox"));
  await user.keyboard("jx");
  expect(screen.getByRole<HTMLInputElement>("searchbox").value).toBe("jx");
  await user.click(screen.getByRole("link", { name: "db2" }));
  expect(router.state.location.pathname).toBe("/hosts/h2");
});

test("the checkbox of the header selects every row, and shows a partial selection", async () => {
  const { user } = renderScreen(<Screen />);
  const all = () => screen.getByRole<HTMLInputElement>("checkbox", { name: "Select all rows" });
  await user.click(screen.getByRole("checkbox", { name: "Select root on db0" }));
  expect([all().checked, all().indeterminate]).toEqual([false, true]);
  await user.click(all());
  expect(all().checked).toBe(true);
  expect(screen.getByRole<HTMLInputElement>("checkbox", { name: "Select root on db2" }).checked).toBe(true);
});

test("a table of 20,000 rows draws only the rows near the window, and fetches no page before its end", () => {
  const onMore = vi.fn<() => void>();
  renderScreen(<Screen rows={hostsOf(20_000)} onMore={onMore} />);
  const drawn = screen.getAllByRole("row").length;
  expect(drawn).toBeGreaterThan(5);
  expect(drawn).toBeLessThan(80);
  expect(onMore).not.toHaveBeenCalled();
});

test("a table near its end fetches the next page", () => {
  const onMore = vi.fn<() => void>();
  renderScreen(<Screen onMore={onMore} />);
  expect(onMore).toHaveBeenCalled();
  expect(screen.getByRole("table").getAttribute("aria-rowcount")).toBe("-1");
});

function Layouts({ count }: { count: number }) {
  const [layout, setLayout] = useLayout("hosts", count);
  return (
    <>
      <p>{layout}</p>
      <LayoutSwitch layout={layout} onChange={setLayout} />
    </>
  );
}

test("lists above 20 items are tables until the user chooses, and the choice is remembered", async () => {
  const small = renderScreen(<Layouts count={20} />);
  expect(screen.getByText("cards")).toBeTruthy();
  small.unmount();
  const large = renderScreen(<Layouts count={21} />);
  expect(screen.getByText("table")).toBeTruthy();
  await large.user.click(screen.getByRole("button", { name: "Cards" }));
  expect(screen.getByText("cards")).toBeTruthy();
  expect(screen.getByRole("button", { name: "Cards" }).getAttribute("aria-pressed")).toBe("true");
  large.unmount();
  renderScreen(<Layouts count={5000} />);
  expect(screen.getByText("cards")).toBeTruthy();
});

test("the skeleton says what is loading", () => {
  renderScreen(<TableSkeleton text="Loading hosts..." />);
  expect(screen.getByRole("status").textContent).toBe("Loading hosts...");
});
