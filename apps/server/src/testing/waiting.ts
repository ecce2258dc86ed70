// Waits for background work: for its event, or for its effect in the database.
import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { TestPerson } from "./people.ts";
import type { TestApp } from "./test-app.ts";

const PATIENCE_MS = 40_000;

/** Returns the first result of `look` that is not null. Throws after 40 seconds. */
export async function eventually<T>(look: () => Promise<T | null>): Promise<T> {
  const until = performance.now() + PATIENCE_MS;
  for (;;) {
    const found = await look();
    if (found !== null) return found;
    if (performance.now() > until) throw new Error(`timed out waiting for: ${look.toString()}`);
    await delay(10);
  }
}

/**
 * Waits until this process has received every event published so far, so that later subscribers receive none of them. Events
 * wait for the oldest writing transaction of the whole server, which other test files use too.
 */
async function caughtUp({ kernel: { events }, database }: TestApp): Promise<void> {
  const mark = randomUUID();
  const heard = Promise.withResolvers<void>();
  const subscription = await events.subscribe({ filter: ({ data }) => data["mark"] === mark }, () => heard.resolve());
  await database.transaction((tx) => events.publish(tx, { type: "test.marked", audience: {}, data: { mark } }));
  await heard.promise;
  subscription.close();
}

interface Notice {
  type: string;
  data: Record<string, unknown>;
}

/** The domain events visible to this user, from now on. */
export async function liveEvents(app: TestApp, person: TestPerson) {
  await caughtUp(app);
  const told: Notice[] = [];
  const isForThem = (audience: unknown) => JSON.stringify(audience).includes(person.id);
  const subscription = await app.kernel.events.subscribe({ filter: (event) => isForThem(event.audience) }, (event) => {
    told.push({ type: event.type, data: event.data });
  });
  return {
    /** All of them so far. */
    told: (): readonly Notice[] => told,
    next: (matches: (event: Notice) => boolean): Promise<Notice> => eventually(async () => told.find(matches) ?? null),
    close: () => subscription.close(),
  };
}
