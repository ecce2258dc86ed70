// Distributes the logins that users wait for fairly among users and targets. Runs and schedules have their own workers.
import { refuse } from "#kernel/http/refuse.ts";

export interface GateLimits {
  /** The limit of concurrent logins in this process. */
  atOnce: number;
  /** The limit for one user, counting logins under way and waiting ones. */
  ofOnePerson: number;
  /** The limit of concurrent logins to one target. */
  atOneTarget: number;
  /** The limit of concurrent logins of one user to one target. */
  ofOnePersonAtOneTarget: number;
  /** The limit of calls that wait for a slot, in total. */
  waiting: number;
  /** How long a call waits for a slot. */
  patienceMs: number;
}

const LIMITS: GateLimits = {
  atOnce: 32,
  ofOnePerson: 8,
  atOneTarget: 4,
  ofOnePersonAtOneTarget: 2,
  waiting: 64,
  patienceMs: 10_000,
};
/** About as long as a successful login takes. */
const RETRY_AFTER_SECONDS = 3;

export interface GateRequest {
  personId: string;
  credentialId: string;
  /** The address that the login goes to, such as `db1:5432`, or null. */
  target: string | null;
  /** Aborted when the caller disconnects. */
  signal: AbortSignal;
}

/**
 * Runs the work when a slot is free. Throws 429 when too many calls wait already, or no slot becomes free in time.
 */
export type Gate = <T>(visit: GateRequest, work: () => Promise<T>) => Promise<T>;

/** A login under way. Calls for the same secret share its result and therefore its slot. */
interface Place {
  personId: string;
  target: string | null;
  visits: number;
}

interface Waiter {
  visit: GateRequest;
  start: () => void;
}

export function createGate(given: Partial<GateLimits> = {}): Gate {
  const limits = { ...LIMITS, ...given };
  const places = new Map<string, Place>();
  const visitsOf = new Map<string, number>();
  let waiters: Waiter[] = [];

  const count = (matches: (place: Place) => boolean): number => [...places.values()].filter(matches).length;
  const placesOf = (personId: string): number => count((place) => place.personId === personId);

  function isFree({ personId, credentialId, target }: GateRequest): boolean {
    if (places.has(credentialId)) return true;
    if (places.size >= limits.atOnce || placesOf(personId) >= shareOf(places.size, limits.atOnce)) return false;
    if (target === null) return true;
    const there = (place: Place) => place.target === target;
    const ownThere = (place: Place) => there(place) && place.personId === personId;
    return count(there) < limits.atOneTarget && count(ownThere) < limits.ofOnePersonAtOneTarget;
  }

  function take({ personId, credentialId, target }: GateRequest): void {
    const place = places.get(credentialId) ?? { personId, target, visits: 0 };
    place.visits += 1;
    places.set(credentialId, place);
  }

  function leave(credentialId: string): void {
    const place = places.get(credentialId);
    if (place === undefined) return;
    place.visits -= 1;
    if (place.visits > 0) return;
    places.delete(credentialId);
    startNext();
  }

  /**
   * Starts waiting calls. Calls of users with the fewest logins under way come first; among those, the earliest call.
   */
  function startNext(): void {
    for (;;) {
      const free = waiters.filter(({ visit }) => isFree(visit));
      const least = Math.min(...free.map(({ visit }) => placesOf(visit.personId)));
      const next = free.find(({ visit }) => placesOf(visit.personId) === least);
      if (next === undefined) return;
      waiters = waiters.filter((each) => each !== next);
      take(next.visit);
      next.start();
    }
  }

  function turnOf(visit: GateRequest): Promise<void> {
    if (isFree(visit)) {
      take(visit);
      return Promise.resolve();
    }
    if (waiters.length >= limits.waiting) throw tooMany();
    return new Promise((resolve, reject) => {
      const stop = (refusal: Error): void => {
        waiters = waiters.filter((each) => each !== waiter);
        end();
        reject(refusal);
      };
      const abandon = () => stop(refuse(408, "request.abandoned", "The client disconnected."));
      const timer = setTimeout(() => stop(tooMany()), limits.patienceMs);
      const end = () => {
        clearTimeout(timer);
        visit.signal.removeEventListener("abort", abandon);
      };
      const waiter: Waiter = { visit, start: () => (end(), resolve()) };
      visit.signal.addEventListener("abort", abandon, { once: true });
      waiters.push(waiter);
    });
  }

  return async (visit, work) => {
    const own = visitsOf.get(visit.personId) ?? 0;
    if (own >= limits.ofOnePerson) throw tooManyOfOne(limits.ofOnePerson);
    visitsOf.set(visit.personId, own + 1);
    try {
      await turnOf(visit);
      try {
        return await work();
      } finally {
        leave(visit.credentialId);
      }
    } finally {
      const left = (visitsOf.get(visit.personId) ?? 1) - 1;
      if (left === 0) visitsOf.delete(visit.personId);
      else visitsOf.set(visit.personId, left);
    }
  };
}

/**
 * Returns the most slots that one user may have while `taken` slots are in use: fewer as the gate fills up. A few users
 * with hanging targets take at most half of the slots, and everyone else still gets one.
 */
function shareOf(taken: number, atOnce: number): number {
  if (taken < atOnce / 2) return Math.max(1, atOnce / 8);
  return taken < (atOnce * 3) / 4 ? 2 : 1;
}

const tooMany = () =>
  refuse(429, "verification.too-many", "Too many verifications are running. Try again in a moment.", {
    retryAfter: RETRY_AFTER_SECONDS,
  });

const tooManyOfOne = (most: number) =>
  refuse(
    429,
    "verification.too-many",
    `You have ${most} verifications running. Wait for one to finish, or verify them together.`,
    { retryAfter: RETRY_AFTER_SECONDS },
  );
