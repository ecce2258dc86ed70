// Every place at which a rotation can be struck, and what happens when it is.
import type { Fault } from "@strongroom/connectors/testing";
import { setTimeout as delay } from "node:timers/promises";
import { MACHINES } from "./ground.ts";
import type { Ground, Prepared } from "./ground.ts";

/** A write of the journal, counted from 1, or the n-th piece that the product sends on its n-th connection to the system. */
export type Place =
  | { kind: "write"; number: number; what: string }
  | { kind: "piece"; connection: number; piece: number };

/** `before`: what the process was about to do has not happened. `after`: it has, and the process never heard of it. */
export type Strike =
  | { how: "killed"; when: "before" | "after"; place: Place }
  | { how: Fault; when: "before" | "after"; place: Place & { kind: "piece" } };

export interface Struck {
  strike: Strike;
  /** Plain words on what is wrong; null: nothing. */
  problem: string | null;
  /** What a person is left to do, where nothing else can do it; null: nothing. */
  leftToDo: string | null;
  /** From then until nothing went on any more. */
  seconds: number;
  /** False: the rotation took another way, where pieces come together for once. */
  wasReached: boolean;
}

const CONNECTIONS = ["the change", "the proof", "taking the old one away"];

/** `connections`: what each is for, where it is not as usual. */
export function nameOf(place: Place, connections: readonly string[] = CONNECTIONS): string {
  if (place.kind === "write") return `journal: ${place.what}`;
  return connections[place.connection - 1] ?? `connection ${place.connection}`;
}

/** One rotation that nothing happens to, to see which places there are. */
export async function placesOf(ground: Ground): Promise<Place[]> {
  const prepared = await ground.prepare(MACHINES[0]!);
  const pieces: Place[] = [];
  void prepared.proxy.cut({
    fault: "pause",
    at: (_, index) => {
      pieces.push({ kind: "piece", connection: connectionOf(prepared), piece: index });
      return false;
    },
  });
  await ground.rotate(prepared);
  const { problem } = await ground.judge(prepared, 60_000);
  if (problem !== null) throw new Error(`a rotation to which nothing happened: ${problem}`);
  await prepared.proxy.stop();
  const writes = await ground.gate.writes(prepared.id);
  const before = prepared.writesBefore;
  const own = writes.slice(before).map((what, index): Place => ({ kind: "write", number: before + index + 1, what }));
  return [...own, ...pieces];
}

const connectionOf = ({ proxy, connectionsBefore }: Prepared) => proxy.connections() - connectionsBefore;

const WHENS = ["before", "after"] as const;

/** The process is killed at all of them. */
export const killsAt = (places: readonly Place[]): Strike[] =>
  places.flatMap((place) => WHENS.map((when): Strike => ({ how: "killed", when, place })));

/** The connection is cut at all of those that are pieces. */
export const cutsAt = (places: readonly Place[], faults: readonly Fault[]): Strike[] =>
  places
    .filter((place) => place.kind === "piece")
    .flatMap((place) => faults.flatMap((how) => WHENS.map((when): Strike => ({ how, when, place }))));

/** Of the pieces of each connection at most so many: the last two, and others at even distances. */
export function someOf(places: readonly Place[], most: number): Place[] {
  const pieces = places.filter((place) => place.kind === "piece");
  return [...new Set(pieces.map(({ connection }) => connection))].flatMap((connection) => {
    const own = pieces.filter((place) => place.connection === connection);
    if (own.length <= most) return own;
    const others = own.slice(0, -2);
    const even = Array.from(
      { length: most - 2 },
      (_, place) => others[Math.floor((place * others.length) / (most - 2))]!,
    );
    return [...even, ...own.slice(-2)];
  });
}

interface Armed {
  strike: Strike;
  prepared: Prepared;
  reached: Promise<void>;
  /** Brings about what the strike says, once the process is dead. */
  finish(): Promise<void>;
}

async function arm(ground: Ground, strike: Strike, machine: string): Promise<Armed> {
  const prepared = await ground.prepare(machine);
  const { place, when } = strike;
  if (place.kind === "write") {
    const gate = await ground.gate.close(prepared.id, place.number);
    const finish = () => (when === "before" ? gate.turnAway() : gate.open());
    return { strike, prepared, reached: gate.reached(), finish };
  }
  const cut = prepared.proxy.cut({
    fault: strike.how === "killed" ? "pause" : strike.how,
    at: (_, index) => connectionOf(prepared) === place.connection && index === place.piece,
    isDelivered: when === "after",
  });
  return { strike, prepared, reached: cut, finish: async () => prepared.proxy.lift() };
}

const REACHED_WITHIN_MS = 60_000;

/** Asks for the rotation and waits until it is struck. False when it is over before, or stands still elsewhere. */
async function isReached(ground: Ground, { prepared, reached, strike }: Armed): Promise<boolean> {
  const waiting = new AbortController();
  const signal = AbortSignal.any([waiting.signal, AbortSignal.timeout(REACHED_WITHIN_MS)]);
  const asked = ground.rotate(prepared);
  const over = async () => {
    // One that is stopped while it is asked for gets no answer.
    if (strike.place.kind !== "write" || strike.place.number > prepared.writesBefore + 1) await asked;
    else await aborted(signal);
    await ground.untilOver(prepared, signal);
    return false;
  };
  try {
    return await Promise.race([reached.then(() => true), over().catch(() => false)]);
  } finally {
    waiting.abort();
  }
}

const aborted = (signal: AbortSignal) => new Promise((resolve) => signal.addEventListener("abort", resolve));

export interface StrikeOptions {
  /** How long what goes on by itself may take until it is over. */
  patienceMs: number;
  /** How long a paused connection is silent. */
  pauseMs: number;
}

/** All of them, as many at once as can be; those that take up work hold up all others, so each goes alone. */
export async function strikeAll(
  ground: Ground,
  strikes: readonly Strike[],
  options: StrikeOptions,
  tell: (struck: Struck) => void = () => {},
): Promise<Struck[]> {
  const isAlone = ({ place }: Strike) => place.kind === "write" && place.what === "taken up";
  const all: Struck[] = [];
  for (const batch of batches(strikes, isAlone, ground.atOnce)) {
    const done = await strikeTogether(ground, batch, options);
    done.forEach(tell);
    all.push(...done);
  }
  return all;
}

/** Pauses take long, and the process dies for all at once: like goes with like. */
function batches(strikes: readonly Strike[], isAlone: (strike: Strike) => boolean, atOnce: number): Strike[][] {
  const found: Strike[][] = strikes.filter(isAlone).map((strike) => [strike]);
  for (const how of ["killed", "reset", "black-hole", "pause"] as const) {
    const rest = strikes.filter((strike) => !isAlone(strike) && strike.how === how);
    for (let begin = 0; begin < rest.length; begin += atOnce) found.push(rest.slice(begin, begin + atOnce));
  }
  return found;
}

async function strikeTogether(
  ground: Ground,
  batch: readonly Strike[],
  { patienceMs, pauseMs }: StrikeOptions,
): Promise<Struck[]> {
  const armed = await Promise.all(batch.map((strike, place) => arm(ground, strike, MACHINES[place]!)));
  const reached = await Promise.all(armed.map((each) => isReached(ground, each)));
  const begun = performance.now();
  const isKill = batch[0]?.how === "killed";
  if (isKill) await ground.kill();
  else if (batch[0]?.how === "pause") await delay(pauseMs);
  for (const { strike, finish } of armed) if (isKill || strike.how === "pause") await finish();
  if (isKill) {
    await ground.restart();
    await ground.gate.expireLeases(armed.map(({ prepared }) => prepared.id));
  }
  const struck = await Promise.all(
    armed.map(async ({ strike, prepared }, place): Promise<Struck> => {
      const { problem, leftToDo, overAt } = await ground.judge(prepared, patienceMs);
      await prepared.proxy.stop();
      return { strike, problem, leftToDo, seconds: (overAt - begun) / 1000, wasReached: reached[place]! };
    }),
  );
  return struck;
}
