// The path of each search result, and the labels of result kinds.
import type { SearchKind, SearchResult } from "@strongroom/contract";
import { paths } from "#shared/paths.ts";

const searching = (path: string, text: string) => `${path}?search=${encodeURIComponent(text)}`;

const PLACES: Record<SearchKind, (result: SearchResult) => string> = {
  account: ({ id }) => paths.account(id),
  credential: ({ id }) => paths.credential(id),
  safe: ({ id }) => paths.safe(id),
  "access-request": ({ id }) => paths.accessRequest(id),
  user: ({ title }) => searching(paths.admin, title),
  "machine-identity": ({ title }) => `${searching(paths.admin, title)}&tab=machines`,
  group: ({ title }) => searching(paths.adminGroups, title),
  platform: ({ title }) => searching(paths.adminPlatforms, title),
};

export const placeOf = (result: SearchResult): string => PLACES[result.kind](result);

export const KIND_LABELS: Record<SearchKind, string> = {
  account: "Accounts",
  credential: "Credentials",
  safe: "Safes",
  "access-request": "Access requests",
  user: "Users",
  "machine-identity": "Machine identities",
  group: "Groups",
  platform: "Platforms",
};
