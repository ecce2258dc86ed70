// The filter and order of the accounts page, stored in the address: `?tab=`, `?search=`, `?safe=` and more.
import {
  AccountSort,
  AccountValidationFilter,
  SYSTEM_TYPES,
  Tag,
  type InputOf,
  type listAccounts,
} from "@strongroom/contract";
import { choiceOf, searchOf } from "#shared/format/address.ts";

/** ACC-06, in display order. */
const ACCOUNT_TABS = ["all", "rotation-due", "active"] as const;
type AccountTab = (typeof ACCOUNT_TABS)[number];

/** The part of the query that selects and sorts accounts; the rest of it pages. */
export type AccountFilter = Omit<NonNullable<InputOf<typeof listAccounts>["query"]>, "limit" | "cursor">;

const STATUS_OF_TAB = { all: undefined, "rotation-due": "rotation_due", active: "active" } as const;
const UUID = /^[0-9a-f-]{36}$/i;
const MOST_DAYS = 3650;

/** The parts of the address that filter the list and have a chip, in display order. */
export const FILTER_PARTS = ["safe", "platform", "system", "validation", "tag", "age"] as const;
export type FilterPart = (typeof FILTER_PARTS)[number];

export const tabOf = (params: URLSearchParams): AccountTab => choiceOf(params, "tab", ACCOUNT_TABS);

/** Reads the filter from the address and ignores unknown values. */
export function filterOf(params: URLSearchParams): AccountFilter {
  const idOf = (part: string) => {
    const id = params.get(part) ?? "";
    return UUID.test(id) ? id : undefined;
  };
  const days = Number(params.get("age") ?? "");
  const filter = {
    status: STATUS_OF_TAB[tabOf(params)],
    search: searchOf(params),
    safe_id: idOf("safe"),
    platform_id: idOf("platform"),
    system_type: SYSTEM_TYPES.find((type) => type === params.get("system")),
    validation_status: AccountValidationFilter.safeParse(params.get("validation")).data,
    tag: Tag.safeParse(params.get("tag")).data,
    secret_age: Number.isInteger(days) && days >= 1 && days <= MOST_DAYS ? days : undefined,
    sort: AccountSort.safeParse(params.get("sort")).data,
  };
  return Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined));
}

/** Whether a filter other than the tab is active; the order is none. */
export const isFiltered = (filter: AccountFilter): boolean =>
  Object.keys(filter).some((part) => part !== "status" && part !== "sort");

/** Whether a new account belongs at the start of the list. */
export const isNewestFirst = (filter: AccountFilter): boolean =>
  filter.sort === undefined || filter.sort === "-created_at";

/** Removes every filter that has a chip. */
export function withoutFilters(params: URLSearchParams): URLSearchParams {
  const next = new URLSearchParams(params);
  for (const part of FILTER_PARTS) next.delete(part);
  return next;
}
