// The filter of the safes page, stored in the address: `?search=` and `?status=`.
import { SAFE_STATUSES, type InputOf, type listSafes } from "@strongroom/contract";
import { searchOf } from "#shared/format/address.ts";

export type SafeFilter = Pick<NonNullable<InputOf<typeof listSafes>["query"]>, "search" | "status">;

export function filterOf(params: URLSearchParams): SafeFilter {
  const search = searchOf(params);
  const status = SAFE_STATUSES.find((each) => each === params.get("status"));
  return { ...(search === undefined ? {} : { search }), ...(status === undefined ? {} : { status }) };
}

export const isNarrowed = (filter: SafeFilter): boolean => Object.keys(filter).length > 0;
