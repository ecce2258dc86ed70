// The filter of the vault's list, stored in the address: `?search=` and `?type=`.
import { CREDENTIAL_TYPE_LABELS, type CredentialType } from "@strongroom/contract";
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
}

const isFilterType = (text: string): text is FilterType => (FILTER_TYPES as readonly string[]).includes(text);

/** Reads the filter from the address; an unknown type means all types. */
export function filterOf(params: URLSearchParams): CredentialFilter {
  const search = searchOf(params);
  const type = params.get("type") ?? "";
  return { ...(search === undefined ? {} : { search }), ...(isFilterType(type) ? { type } : {}) };
}

export const withFilter = (params: URLSearchParams, part: "search" | "type", value: string): URLSearchParams =>
  withParam(params, part, value);
