// Server state of privileges, keys and what they reach.
import {
  listDiscoveredKeys,
  readAccountPrivileges,
  readBlastRadius,
  type DiscoveredAccountId,
} from "@strongroom/contract";
import { queryOf } from "#shared/api/query.ts";

export const privilegesOf = (id: DiscoveredAccountId) => queryOf(readAccountPrivileges, { params: { id } });

export type ReachStart = { account: DiscoveredAccountId } | { key: string };
export type Direction = "reaches" | "reached_by";

export const reachOf = (start: ReachStart, direction: Direction) =>
  queryOf(readBlastRadius, { query: { ...start, direction } });

export const keysFound = (search: string | undefined) =>
  queryOf(listDiscoveredKeys, { query: { limit: 200, ...(search === undefined ? {} : { search }) } });
