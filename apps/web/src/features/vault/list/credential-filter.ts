// The filter of the vault's list, stored in the address (`?search=` and `?type=`), and the credentials that match it.
import {
  CREDENTIAL_TYPE_LABELS,
  CredentialSort,
  isDatabaseType,
  type Credential,
  type CredentialType,
} from "@strongroom/contract";
import { withNewItem, type Page } from "#shared/api/pages.ts";
import { searchOf, withParam } from "#shared/format/address.ts";

/** The choices of VAULT-04, in its order. "Database" includes every database type (OPEN-45). */
const FILTER_TYPES = ["password", "ssh", "api_token", "certificate", "database"] as const satisfies CredentialType[];
export type FilterType = (typeof FILTER_TYPES)[number];

export const TYPE_FILTERS: readonly { value: FilterType | ""; label: string }[] = [
  { value: "", label: "All Types" },
  ...FILTER_TYPES.map((type) => ({
    value: type,
    label: type === "database" ? "Database" : CREDENTIAL_TYPE_LABELS[type],
  })),
];

export interface CredentialFilter {
  search?: string;
  type?: FilterType;
  sort?: CredentialSort;
}

const isFilterType = (text: string): text is FilterType => (FILTER_TYPES as readonly string[]).includes(text);

/** Reads the filter and the order from the address; an unknown type means all types. */
export function filterOf(params: URLSearchParams): CredentialFilter {
  const search = searchOf(params);
  const type = params.get("type") ?? "";
  const sort = CredentialSort.safeParse(params.get("sort")).data;
  return {
    ...(search === undefined ? {} : { search }),
    ...(isFilterType(type) ? { type } : {}),
    ...(sort === undefined ? {} : { sort }),
  };
}

export const withFilter = (params: URLSearchParams, part: "search" | "type", value: string): URLSearchParams =>
  withParam(params, part, value);

export type CredentialPage = Page<Credential>;

/** VAULT-05, VAULT-06, OPEN-45: whether a credential matches the filter. */
export function matches(credential: Credential, { search = "", type }: CredentialFilter): boolean {
  const isOfType =
    type === undefined || (type === "database" ? isDatabaseType(credential.type) : credential.type === type);
  const text = search.toLowerCase();
  const isFound = [credential.name, credential.username ?? ""].some((part) => part.toLowerCase().includes(text));
  return isOfType && isFound;
}

/** Whether a new credential belongs at the top. */
const isNewestFirst = ({ sort = "-created_at" }: CredentialFilter): boolean => sort === "-created_at";

/** Adds a new credential at the top, unless the filter excludes it, the list is sorted or contains it already. */
export const withNewCredential = (
  pages: readonly CredentialPage[],
  created: Credential,
  filter: CredentialFilter,
): readonly CredentialPage[] =>
  isNewestFirst(filter) && matches(created, filter) ? withNewItem(pages, created) : pages;
