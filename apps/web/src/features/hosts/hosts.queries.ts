// What the caller can see of one host. Each list has its own permission: INVARIANT: a refused list is not shown, and says
// nothing about the host.
import {
  listAccounts,
  listDiscoveryTargets,
  listFindings,
  listPrivilegedSessions,
  listValidationAttempts,
  type DiscoveryTarget,
} from "@strongroom/contract";
import { infiniteQueryOptions } from "@tanstack/react-query";
import { call } from "#shared/api/call.ts";
import { keyOf, queryOf } from "#shared/api/query.ts";

const PAGE_SIZE = 100;
const NEWEST = 50;
/** The longest text that the lists of attempts and sessions search for. */
const MOST_SEARCHED = 100;

export const accountsOnHost = (host: string) =>
  infiniteQueryOptions({
    queryKey: [...keyOf(listAccounts).slice(0, -1), "on-host", host],
    queryFn: ({ pageParam, signal }) =>
      call(listAccounts, { query: { host, sort: "username", limit: PAGE_SIZE, cursor: pageParam } }, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
  });

export const targetsOnHost = (host: string) => queryOf(listDiscoveryTargets, { query: { host } });

/** The search finds the text anywhere in a name or address; `isOnHost` keeps the host itself. */
export const attemptsOnHost = (host: string) =>
  queryOf(listValidationAttempts, { query: { search: host.slice(0, MOST_SEARCHED), range: "30d", limit: NEWEST } });

export const sessionsOnHost = (host: string) =>
  queryOf(listPrivilegedSessions, { query: { search: host.slice(0, MOST_SEARCHED), limit: NEWEST } });

export const findingsOf = (target: DiscoveryTarget) =>
  queryOf(listFindings, { query: { targetId: target.id, status: "new,investigating", limit: 10 } });

const isSame = (one: string | null, other: string): boolean => one?.toLowerCase() === other.toLowerCase();

/** For an address with or without a port: "db1", "db1:22", "[2001:db8::1]:22". */
export function isOnHost(address: string | null, host: string): boolean {
  if (address === null) return false;
  const bare = /^\[(.+)\](?::\d+)?$/.exec(address)?.[1] ?? address;
  return isSame(bare, host) || isSame(bare.replace(/:\d+$/, ""), host);
}
