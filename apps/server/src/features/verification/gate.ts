// Lets a bounded number of people wait for a login at once: each of them holds a connection, and opens another to a target.
import { refuse } from "#kernel/http/refuse.ts";

/** Over all people, in this process. */
const MOST_AT_ONCE = 32;
const MOST_FOR_ONE = 8;
/** About as long as a login takes that goes well. */
const RETRY_AFTER_SECONDS = 3;

export type Gate = <T>(personId: string, work: () => Promise<T>) => Promise<T>;

/** Refuses with 429 what is too much; nobody waits in front of it. */
export function createGate(): Gate {
  const underWay = new Map<string, number>();
  let total = 0;

  const enter = (personId: string): void => {
    const own = underWay.get(personId) ?? 0;
    if (own >= MOST_FOR_ONE) {
      throw tooMany(`You have ${MOST_FOR_ONE} verifications under way. Wait for one of them, or verify them together.`);
    }
    if (total >= MOST_AT_ONCE) throw tooMany("Many verifications are under way right now. Try again in a moment.");
    underWay.set(personId, own + 1);
    total += 1;
  };
  const leave = (personId: string): void => {
    const left = (underWay.get(personId) ?? 1) - 1;
    if (left === 0) underWay.delete(personId);
    else underWay.set(personId, left);
    total -= 1;
  };

  return async (personId, work) => {
    enter(personId);
    try {
      return await work();
    } finally {
      leave(personId);
    }
  };
}

const tooMany = (message: string) => refuse(429, "verification.too-many", message, { retryAfter: RETRY_AFTER_SECONDS });
