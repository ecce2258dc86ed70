// Domain events: published in the transaction that makes them true, delivered to this process's subscribers in order.
import { setTimeout as delay } from "node:timers/promises";
import type { Database, Tx } from "#kernel/db/database.ts";
import { listen } from "#kernel/db/listener.ts";
import type { Listener } from "#kernel/db/listener.ts";
import type { Log } from "#kernel/log.ts";
import * as outbox from "./outbox.ts";
import { isBefore, readPosition, writePosition } from "./outbox.ts";
import type { NewEvent, Position, StoredEvent } from "./outbox.ts";

export type { NewEvent, StoredEvent } from "./outbox.ts";

export interface SubscribeOptions {
  /** The last id that was seen (Last-Event-ID): delivery goes on after it. Without, it begins now. */
  after?: string | null;
  /** Only these are delivered, such as those that the reader may see. Default: all. */
  filter?: (event: StoredEvent) => boolean;
}

export interface Subscription {
  /** Where this subscription begins: a client that hears nothing can resume from here. */
  from: string;
  /**
   * True when `after` is unknown or too old, so that events may have been missed: the client should read again what it
   * shows. Delivery begins now.
   */
  hasGap: boolean;
  close(): void;
}

export interface Events {
  /** Becomes visible to subscribers of all processes when the transaction commits; rolled back, it never was. */
  publish(tx: Tx, ...events: NewEvent[]): Promise<void>;
  /** Calls `deliver` for each event in order, none twice, none left out. What it throws is logged. */
  subscribe(options: SubscribeOptions, deliver: (event: StoredEvent) => void): Promise<Subscription>;
  /** Rejects when events cannot be read now, or were not started. Who announces them need not be heard: they are looked for anyway. */
  check(): Promise<void>;
  start(): Promise<void>;
  stop(): Promise<void>;
}

interface Subscriber {
  /** What was delivered already: reading the past may run ahead of the others. */
  position: Position;
  filter: (event: StoredEvent) => boolean;
  deliver: (event: StoredEvent) => void;
}

const KEPT_HOURS = 24;
const PRUNE_INTERVAL = 3_600_000;
/** Without any notification we look this often all the same. */
const LOOK_INTERVAL = 10_000;
/** What is announced in quick succession is read together. */
const GATHER_MS = 20;
/** While an older transaction holds events back, since it may end without announcing anything; doubled each time. */
const BLOCKED_INTERVAL = 10;
const LONGEST_BLOCKED_INTERVAL = 500;

export function createEvents(database: Database, log: Log): Events {
  const subscribers = new Set<Subscriber>();
  let head: Position | null = null;
  let listener: Listener | null = null;
  let reading: Promise<void> | null = null;
  let isCalled = false;
  const stopping = new AbortController();
  let blocked = 0;
  let again: NodeJS.Timeout | undefined;
  let pruning: NodeJS.Timeout | undefined;

  function pass(event: StoredEvent, { filter, deliver }: Subscriber): void {
    try {
      if (filter(event)) deliver(event);
    } catch (error) {
      log.error({ err: error, type: event.type }, "a subscriber failed on an event");
    }
  }

  /** Reads what is new, unless that is under way: then it looks once more afterwards. */
  function look(): void {
    if (stopping.signal.aborted || head === null) return;
    isCalled = true;
    reading ??= catchUp();
  }

  async function catchUp(): Promise<void> {
    clearTimeout(again);
    let pause = LOOK_INTERVAL;
    try {
      while (isCalled && !stopping.signal.aborted) {
        isCalled = false;
        const page = await outbox.readEvents(database.db, head!);
        head = page.end;
        for (const event of page.events) {
          const position = readPosition(event.id)!;
          for (const subscriber of subscribers) if (isBefore(subscriber.position, position)) pass(event, subscriber);
        }
        blocked = page.isBlocked ? blocked + 1 : 0;
        pause = page.isBlocked ? Math.min(BLOCKED_INTERVAL * 2 ** blocked, LONGEST_BLOCKED_INTERVAL) : LOOK_INTERVAL;
        if (page.isFull) isCalled = true;
        else await delay(GATHER_MS);
      }
    } catch (error) {
      pause = 1000;
      log.warn({ err: error }, "events could not be read; trying again");
    }
    reading = null;
    if (!stopping.signal.aborted) again = setTimeout(look, pause).unref();
  }

  /** Delivers the past from the database until it meets the present, then leaves the subscriber to `catchUp`. */
  async function replay(subscriber: Subscriber, isClosed: () => boolean): Promise<void> {
    // From this check to the join nothing awaits, so nothing is delivered to the others in between.
    while (!isClosed() && isBefore(subscriber.position, head!)) {
      const page = await outbox.readEvents(database.db, subscriber.position);
      for (const event of page.events) if (!isClosed()) pass(event, subscriber);
      subscriber.position = page.end;
    }
    if (!isClosed()) subscribers.add(subscriber);
  }

  return {
    publish: (tx, ...events) => outbox.insertEvents(tx, events),

    async subscribe({ after, filter = () => true }, deliver) {
      if (head === null) throw new Error("events are subscribed to before they were started");
      let isClosed = false;
      const resumed = after === undefined || after === null ? null : await resumable(after);
      const hasGap = resumed === null && after !== undefined && after !== null;
      const position = resumed ?? head;
      const subscriber: Subscriber = { position, filter, deliver };
      const close = (): void => {
        isClosed = true;
        subscribers.delete(subscriber);
      };
      await replay(subscriber, () => isClosed);
      return { from: writePosition(position), hasGap, close };
    },

    async check() {
      if (head === null) throw new Error("events were not started");
      await outbox.readEvents(database.db, head);
    },

    async start() {
      head = await outbox.readHorizon(database.db);
      listener = await listen(database, outbox.CHANNEL, log, look);
      const prune = (): void => {
        outbox.pruneEvents(database, KEPT_HOURS).catch((error: unknown) => log.warn({ err: error }, "old events stay"));
      };
      pruning = setInterval(prune, PRUNE_INTERVAL).unref();
    },

    async stop() {
      stopping.abort();
      clearTimeout(again);
      clearInterval(pruning);
      await listener?.close();
      await reading;
    },
  };

  /** Null for a position that is not ours, lies in the future (another database), or was pruned. */
  async function resumable(text: string): Promise<Position | null> {
    const position = readPosition(text);
    if (position === null) return null;
    const pruned = await outbox.readPruned(database.db);
    if (pruned !== null && isBefore(position, pruned)) return null;
    const horizon = await outbox.readHorizon(database.db);
    return position.transaction > horizon.transaction ? null : position;
  }
}
