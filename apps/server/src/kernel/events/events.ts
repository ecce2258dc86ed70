// Domain events: published in the transaction of their cause, delivered to this process's subscribers in order.
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
  /**
   * The last id that the client received (Last-Event-ID); delivery continues after that event. If omitted, delivery starts now.
   */
  after?: string | null;
  /** Delivers only matching events, for instance those visible to the reader. By default, delivers all. */
  filter?: (event: StoredEvent) => boolean;
}

export interface Subscription {
  /** The start position of this subscription, from which a client that received nothing can resume. */
  from: string;
  /**
   * True if `after` is unknown or too old. Events may then be missing, so the client should reload its data. Delivery starts now.
   */
  hasGap: boolean;
  close(): void;
}

export interface Events {
  /** Delivers to subscribers of all processes when the transaction commits; a rollback discards it. */
  publish(tx: Tx, ...events: NewEvent[]): Promise<void>;
  /** Calls `deliver` for each event in order, exactly once. Errors from `deliver` are logged. */
  subscribe(options: SubscribeOptions, deliver: (event: StoredEvent) => void): Promise<Subscription>;
  /**
   * Rejects if events cannot be read now, or if `start` was not called. Does not depend on notifications, because events are also
   * polled.
   */
  check(): Promise<void>;
  start(): Promise<void>;
  stop(): Promise<void>;
}

interface Subscriber {
  /** The position of the last delivered event. A subscriber that replays the past may run ahead of the others. */
  position: Position;
  filter: (event: StoredEvent) => boolean;
  deliver: (event: StoredEvent) => void;
}

const KEPT_HOURS = 24;
const PRUNE_INTERVAL = 3_600_000;
/** The polling interval without notifications. */
const LOOK_INTERVAL = 10_000;
/** One read serves all notifications within this time. */
const GATHER_MS = 20;
/**
 * The delay before retrying while an older transaction holds events back, because it may end without a notification. Doubled each
 * time.
 */
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

  /** Reads new events. If a read is already running, reads again afterwards. */
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
      log.warn({ err: error }, "events could not be read; retrying");
    }
    reading = null;
    if (!stopping.signal.aborted) again = setTimeout(look, pause).unref();
  }

  /** Delivers past events from the database until it reaches the head, then hands the subscriber over to `catchUp`. */
  async function replay(subscriber: Subscriber, isClosed: () => boolean): Promise<void> {
    // There is no await between this check and the join, so in between no event is delivered to the others.
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
      if (head === null) throw new Error("subscribe called before start");
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
      if (head === null) throw new Error("events not started");
      await outbox.readEvents(database.db, head);
    },

    async start() {
      head = await outbox.readHorizon(database.db);
      listener = await listen(database, outbox.CHANNEL, log, look);
      const prune = (): void => {
        outbox
          .pruneEvents(database, KEPT_HOURS)
          .catch((error: unknown) => log.warn({ err: error }, "old events could not be deleted"));
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

  /** Null for an unknown position, a future position (of a different database), or a pruned one. */
  async function resumable(text: string): Promise<Position | null> {
    const position = readPosition(text);
    if (position === null) return null;
    const pruned = await outbox.readPruned(database.db);
    if (pruned !== null && isBefore(position, pruned)) return null;
    const horizon = await outbox.readHorizon(database.db);
    return position.transaction > horizon.transaction ? null : position;
  }
}
