// The pages of the accounts that a filter selects; the earlier ones stay while the first page of another filter loads.
import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { accountList } from "../accounts.queries.ts";
import type { AccountFilter } from "./account-filter.ts";

export const useAccountList = (filter: AccountFilter) =>
  useInfiniteQuery({ ...accountList(filter), placeholderData: keepPreviousData });

export type AccountList = ReturnType<typeof useAccountList>;
