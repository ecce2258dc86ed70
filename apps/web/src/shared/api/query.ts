// The cache of server state: keys by path, 30 seconds fresh, cleared by path prefix after writes (HTTP-07 to
// HTTP-10).
import type { Endpoint, InputOf, ReplyOf } from "@strongroom/contract";
import { QueryClient, queryOptions, type Query } from "@tanstack/react-query";
import { call } from "./call.ts";

export const STALE_AFTER_MS = 30_000;
export const MAX_CACHED_QUERIES = 50;

const segments = (path: string): string[] => path.split("/").filter((part) => part !== "");

/** `/api/v1/credentials/:id` with an id becomes `["api","v1","credentials","…", {}]`: a path prefix is a key prefix. */
export function keyOf<E extends Endpoint>(endpoint: E, input: InputOf<E> = {}): readonly unknown[] {
  const params = (input.params ?? {}) as Record<string, unknown>;
  const path = segments(endpoint.path).map((part) => (part.startsWith(":") ? String(params[part.slice(1)]) : part));
  return [...path, input.query ?? {}];
}

/** Whether the user was active recently. Set by the session; queries of an idle page count as background. */
let isPersonActive: () => boolean = () => true;
export function setActiveUser(ask: () => boolean): void {
  isPersonActive = ask;
}

export interface QuerySettings {
  /** Always in the background, even while the user is active: polls and pings. */
  isBackground?: boolean;
}

/** The call of a query. It does not count as user activity while the user is idle, and never for a poll. */
export const callForQuery = <E extends Endpoint>(
  endpoint: E,
  input: InputOf<E>,
  signal: AbortSignal,
  { isBackground = false }: QuerySettings = {},
): Promise<ReplyOf<E>> => call(endpoint, input, { signal, isBackground: isBackground || !isPersonActive() });

/** Query options of a GET endpoint, for `useQuery(queryOf(listCredentials, { query }))`. */
export function queryOf<E extends Endpoint>(endpoint: E, input: InputOf<E> = {}, about: QuerySettings = {}) {
  return queryOptions<ReplyOf<E>>({
    queryKey: keyOf(endpoint, input),
    queryFn: ({ signal }) => callForQuery(endpoint, input, signal, about),
  });
}

/** Marks everything below a path as stale after a write, and refetches the queries on screen. */
export function invalidatePath(client: QueryClient, prefix: string): Promise<void> {
  return client.invalidateQueries({ queryKey: segments(prefix) });
}

function dropOldestUnused(client: QueryClient): void {
  const cache = client.getQueryCache();
  const surplus = cache.getAll().length - MAX_CACHED_QUERIES;
  if (surplus <= 0) return;
  const unused = cache
    .getAll()
    .filter((query: Query) => query.getObserversCount() === 0 && query.state.fetchStatus === "idle");
  unused.sort((a, b) => a.state.dataUpdatedAt - b.state.dataUpdatedAt);
  for (const query of unused.slice(0, surplus)) cache.remove(query);
}

export function createQueryClient(): QueryClient {
  const client = new QueryClient({
    // `call` does the retries, with the waits that the server asks for.
    defaultOptions: {
      queries: { staleTime: STALE_AFTER_MS, retry: false, networkMode: "always" },
      mutations: { retry: false, networkMode: "always" },
    },
  });
  client.getQueryCache().subscribe((event) => {
    // Deferred, because a query is added just before its observer.
    if (event.type === "added") queueMicrotask(() => dropOldestUnused(client));
  });
  return client;
}
