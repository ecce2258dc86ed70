// Queues expensive work that unauthenticated clients can request, so that it runs once at a time.
import { refuse } from "#kernel/http/refuse.ts";

/** The maximum number of waiting clients; more than this at once indicates abuse. */
const MOST_WAITING = 50;

/**
 * Runs work one at a time, in order of arrival and at most once per client, so that a client that floods the server
 * delays every other client by at most one run. Throws 429 if the client already has work in the queue, or if the queue
 * is full.
 */
export function createClientQueue(): <T>(client: string, work: () => Promise<T>) => Promise<T> {
  const clients = new Set<string>();
  let last: Promise<unknown> = Promise.resolve();
  return async (client, work) => {
    if (clients.has(client) || clients.size >= MOST_WAITING) {
      throw refuse(429, "seal.busy", "Another attempt is in progress. Please try again.", { retryAfter: 2 });
    }
    clients.add(client);
    const turn = last.then(work).finally(() => clients.delete(client));
    last = turn.catch(() => undefined);
    return turn;
  };
}
