// The filter of the accounts page, stored in the address: `?tab=`, `?search=`, `?safe=` and more.
import { AccountValidationFilter, SYSTEM_TYPES, type InputOf, type listAccounts } from "@strongroom/contract";
import { choiceOf, searchOf } from "#shared/format/address.ts";

/** ACC-06, in display order. */
const ACCOUNT_TABS = ["all", "rotation-due", "active"] as const;
type AccountTab = (typeof ACCOUNT_TABS)[number];

export type AccountFilter = Pick<
  NonNullable<InputOf<typeof listAccounts>["query"]>,
  "status" | "search" | "safe_id" | "platform_id" | "system_type" | "validation_status"
>;

const STATUS_OF_TAB = { all: undefined, "rotation-due": "rotation_due", active: "active" } as const;
const UUID = /^[0-9a-f-]{36}$/i;

export const tabOf = (params: URLSearchParams): AccountTab => choiceOf(params, "tab", ACCOUNT_TABS);

/** Reads the filter from the address and ignores unknown values. */
export function filterOf(params: URLSearchParams): AccountFilter {
  const idOf = (part: string) => {
    const id = params.get(part) ?? "";
    return UUID.test(id) ? id : undefined;
  };
  const filter = {
    status: STATUS_OF_TAB[tabOf(params)],
    search: searchOf(params),
    safe_id: idOf("safe"),
    platform_id: idOf("platform"),
    system_type: SYSTEM_TYPES.find((type) => type === params.get("system")),
    validation_status: AccountValidationFilter.safeParse(params.get("validation")).data,
  };
  return Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined));
}

/** Whether a filter other than the tab is active. */
export const isNarrowed = (filter: AccountFilter): boolean => Object.keys(filter).some((part) => part !== "status");
