// What the accounts page is narrowed to, as the address holds it: `?tab=`, `?search=`, `?safe=` and the rest.
import { ACCOUNT_VALIDATION_STATUSES, SYSTEM_TYPES, type InputOf, type listAccounts } from "@strongroom/contract";
import { choiceOf, searchOf } from "#shared/format/address.ts";

/** ACC-06, in their order. */
const ACCOUNT_TABS = ["all", "rotation-due", "active"] as const;
type AccountTab = (typeof ACCOUNT_TABS)[number];

export type AccountFilter = Pick<
  NonNullable<InputOf<typeof listAccounts>["query"]>,
  "status" | "search" | "safe_id" | "platform_id" | "system_type" | "validation_status"
>;

const STATUS_OF_TAB = { all: undefined, "rotation-due": "rotation_due", active: "active" } as const;
const UUID = /^[0-9a-f-]{36}$/i;

export const tabOf = (params: URLSearchParams): AccountTab => choiceOf(params, "tab", ACCOUNT_TABS);

/** What the address asks for; what it does not know counts as not asked. */
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
    validation_status: ACCOUNT_VALIDATION_STATUSES.find((status) => status === params.get("validation")),
  };
  return Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined));
}

/** Whether anything but the tab narrows the list. */
export const isNarrowed = (filter: AccountFilter): boolean => Object.keys(filter).some((part) => part !== "status");
