// Turns for work that is too heavy to be done twice at once, and that anybody may ask for.
import { refuse } from "#kernel/http/refuse.ts";

/** More clients than this at once are no people. */
const MOST_WAITING = 50;

/**
 * One at a time, in the order of asking, and one for each client: whoever floods the door waits behind themselves, and
 * keeps nobody else out for longer than one turn.
 */
export function createTurns(): <T>(client: string, work: () => Promise<T>) => Promise<T> {
  const clients = new Set<string>();
  let last: Promise<unknown> = Promise.resolve();
  return async (client, work) => {
    if (clients.has(client) || clients.size >= MOST_WAITING) {
      throw refuse(429, "seal.busy", "Another attempt is under way. Please try again.", { retryAfter: 2 });
    }
    clients.add(client);
    const turn = last.then(work).finally(() => clients.delete(client));
    last = turn.catch(() => undefined);
    return turn;
  };
}
