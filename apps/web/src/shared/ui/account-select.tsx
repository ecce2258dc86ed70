// Selects a stored account among all that the user can see.
import { listAccounts } from "@strongroom/contract";
import { queryOf } from "#shared/api/query.ts";
import { SearchSelect, type Found, type SearchSelectProps } from "./search-select.tsx";

const MOST_FOUND = 20;

const accountsFound = (search: string) =>
  queryOf(listAccounts, { query: { ...(search === "" ? {} : { search }), limit: MOST_FOUND } });

export type AccountSelectProps = Pick<
  SearchSelectProps<unknown>,
  "label" | "description" | "placeholder" | "required" | "clearable" | "error" | "value" | "onChange" | "failureToast"
> & {
  /** The id of an account to exclude. */
  without?: string;
};

export function AccountSelect({ without, ...field }: AccountSelectProps) {
  return (
    <SearchSelect
      {...field}
      search={accountsFound}
      foundIn={({ data }): Found[] =>
        data
          .filter(({ id }) => id !== without)
          .map(({ id, name, username, hostname_ip }) => ({
            value: id,
            label: name,
            hint: `${username} · ${hostname_ip}`,
          }))
      }
      nothingFound="No matching account"
    />
  );
}
