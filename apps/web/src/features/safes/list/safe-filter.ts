// The filter of the safes page, stored in the address: `?search=`, `?status=`, `?tag=` and `?sort=`.
import { SAFE_STATUSES, SafeSort, Tag, type InputOf, type listSafes } from "@strongroom/contract";
import { searchOf } from "#shared/format/address.ts";

export type SafeFilter = Pick<NonNullable<InputOf<typeof listSafes>["query"]>, "search" | "status" | "tag" | "sort">;

export function filterOf(params: URLSearchParams): SafeFilter {
  const search = searchOf(params);
  const status = SAFE_STATUSES.find((each) => each === params.get("status"));
  const tag = Tag.safeParse(params.get("tag")).data;
  const sort = SafeSort.safeParse(params.get("sort")).data;
  return {
    ...(search === undefined ? {} : { search }),
    ...(status === undefined ? {} : { status }),
    ...(tag === undefined ? {} : { tag }),
    ...(sort === undefined ? {} : { sort }),
  };
}

export const isFiltered = ({ sort: _order, ...filter }: SafeFilter): boolean => Object.keys(filter).length > 0;
