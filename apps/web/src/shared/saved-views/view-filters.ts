// The filters of a view are the parts of the list's address.
import { ViewFilters } from "@strongroom/contract";

/** Null when the address has a part that a view cannot keep. */
export const filtersIn = (params: URLSearchParams): ViewFilters | null =>
  ViewFilters.safeParse(Object.fromEntries([...params].filter(([, value]) => value.trim() !== ""))).data ?? null;

/** Whether the address shows exactly this view. */
export function isShown(params: URLSearchParams, filters: Readonly<Record<string, string>>): boolean {
  const parts = [...params].filter(([, value]) => value !== "");
  return parts.length === Object.keys(filters).length && parts.every(([part, value]) => filters[part] === value);
}
