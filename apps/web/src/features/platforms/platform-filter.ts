// The filter of the platforms page, stored in the address (`?search=`, `?system=`) and applied in the browser.
import type { Platform } from "@strongroom/contract";
import { searchOf } from "#shared/format/address.ts";

export interface PlatformFilter {
  search: string;
  /** Empty shows every system type. */
  system: string;
}

export const filterOf = (params: URLSearchParams): PlatformFilter => ({
  search: searchOf(params) ?? "",
  system: params.get("system") ?? "",
});

export function matching(platforms: readonly Platform[], { search, system }: PlatformFilter): Platform[] {
  const wanted = search.toLowerCase();
  return platforms.filter(
    ({ name, description, system_type: type }) =>
      (system === "" || type === system) && `${name}\n${description ?? ""}`.toLowerCase().includes(wanted),
  );
}
