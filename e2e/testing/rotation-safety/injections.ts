// Injects faults at every step of a rotation and checks the result.
import type { Fault } from "@strongroom/connectors/testing";
import { setTimeout as delay } from "node:timers/promises";
import { MACHINES } from "./test-bed.ts";
import type { TestBed, Prepared } from "./test-bed.ts";

/**
 * Either the n-th write of the journal, counted from 1, or the n-th piece that the product sends on its n-th connection to the
 * target.
 */
export type InjectionPoint =
  | { kind: "write"; number: number; what: string }
  | { kind: "piece"; connection: number; piece: number };

/** With `before`, the step has no effect. With `after`, it takes effect, but the process receives no answer. */
export type Injection =
  | { how: "killed"; when: "before" | "after"; point: InjectionPoint }
  | { how: Fault; when: "before" | "after"; point: InjectionPoint & { kind: "piece" } };

export interface InjectionResult {
  injection: Injection;
  /** The problem in plain language, or null. */
  problem: string | null;
  /** The step that needs a person, or null. */
  remainingTask: string | null;
  /** The time from the fault until the rotation stopped. */
  seconds: number;
  /** False if the rotation skipped this point, for instance because the driver joined two pieces. */
  wasReached: boolean;
}

const CONNECTIONS = ["the change", "the verification", "retiring the old secret"];

/** `connections` names the purpose of each connection, if it differs from the default. */
export function nameOf(point: InjectionPoint, connections: readonly string[] = CONNECTIONS): string {
  if (point.kind === "write") return `journal: ${point.what}`;
  return connections[point.connection - 1] ?? `connection ${point.connection}`;
}

/** Runs one rotation without a fault to collect its injection points. */
export async function pointsOf(testBed: TestBed): Promise<InjectionPoint[]> {
  const prepared = await testBed.prepare(MACHINES[0]!);
  const pieces: InjectionPoint[] = [];
  void prepared.proxy.cut({
    fault: "pause",
    at: (_, index) => {
      pieces.push({ kind: "piece", connection: connectionOf(prepared), piece: index });
      return false;
    },
  });
  await testBed.rotate(prepared);
  const { problem } = await testBed.judge(prepared, 60_000);
  if (problem !== null) throw new Error(`the rotation without a fault failed: ${problem}`);
  await prepared.proxy.stop();
  const writes = await testBed.gate.writes(prepared.id);
  const before = prepared.writesBefore;
  const own = writes
    .slice(before)
    .map((what, index): InjectionPoint => ({ kind: "write", number: before + index + 1, what }));
  return [...own, ...pieces];
}

const connectionOf = ({ proxy, connectionsBefore }: Prepared) => proxy.connections() - connectionsBefore;

const WHENS = ["before", "after"] as const;

/** Kills of the process at each point, before and after. */
export const killsAt = (points: readonly InjectionPoint[]): Injection[] =>
  points.flatMap((point) => WHENS.map((when): Injection => ({ how: "killed", when, point })));

/** Connection faults at each point that is a piece, before and after. */
export const cutsAt = (points: readonly InjectionPoint[], faults: readonly Fault[]): Injection[] =>
  points
    .filter((point) => point.kind === "piece")
    .flatMap((point) => faults.flatMap((how) => WHENS.map((when): Injection => ({ how, when, point }))));

/** Selects at most `most` pieces of each connection: the last two, and others at even distances. */
export function someOf(points: readonly InjectionPoint[], most: number): InjectionPoint[] {
  const pieces = points.filter((point) => point.kind === "piece");
  return [...new Set(pieces.map(({ connection }) => connection))].flatMap((connection) => {
    const own = pieces.filter((point) => point.connection === connection);
    if (own.length <= most) return own;
    const others = own.slice(0, -2);
    const even = Array.from(
      { length: most - 2 },
      (_, point) => others[Math.floor((point * others.length) / (most - 2))]!,
    );
    return [...even, ...own.slice(-2)];
  });
}

interface Armed {
  injection: Injection;
  prepared: Prepared;
  reached: Promise<void>;
  /** Completes or rolls back the step once the process is dead. */
  finish(): Promise<void>;
}

async function arm(testBed: TestBed, injection: Injection, machine: string): Promise<Armed> {
  const prepared = await testBed.prepare(machine);
  const { point, when } = injection;
  if (point.kind === "write") {
    const gate = await testBed.gate.close(prepared.id, point.number);
    const finish = () => (when === "before" ? gate.abort() : gate.open());
    return { injection, prepared, reached: gate.reached(), finish };
  }
  const cut = prepared.proxy.cut({
    fault: injection.how === "killed" ? "pause" : injection.how,
    at: (_, index) => connectionOf(prepared) === point.connection && index === point.piece,
    isDelivered: when === "after",
  });
  return { injection, prepared, reached: cut, finish: async () => prepared.proxy.lift() };
}

const REACHED_WITHIN_MS = 60_000;

/**
 * Requests the rotation and waits for the injection point. Returns false if the rotation ends first or stops elsewhere.
 */
async function isReached(testBed: TestBed, { prepared, reached, injection }: Armed): Promise<boolean> {
  const waiting = new AbortController();
  const signal = AbortSignal.any([waiting.signal, AbortSignal.timeout(REACHED_WITHIN_MS)]);
  const asked = testBed.rotate(prepared);
  const over = async () => {
    // A request that is stopped at its first write gets no answer.
    if (injection.point.kind !== "write" || injection.point.number > prepared.writesBefore + 1) await asked;
    else await aborted(signal);
    await testBed.untilOver(prepared, signal);
    return false;
  };
  try {
    return await Promise.race([reached.then(() => true), over().catch(() => false)]);
  } finally {
    waiting.abort();
  }
}

const aborted = (signal: AbortSignal) => new Promise((resolve) => signal.addEventListener("abort", resolve));

export interface InjectionOptions {
  /** The time limit for automatic recovery. */
  timeoutMs: number;
  /** How long a paused connection is silent. */
  pauseMs: number;
}

/**
 * Injects all faults, as many at once as possible. A fault while claiming work blocks all other rotations, so that fault runs
 * alone.
 */
export async function injectAll(
  testBed: TestBed,
  injections: readonly Injection[],
  options: InjectionOptions,
  onResult: (result: InjectionResult) => void = () => {},
): Promise<InjectionResult[]> {
  const isAlone = ({ point }: Injection) => point.kind === "write" && point.what === "claimed";
  const all: InjectionResult[] = [];
  for (const batch of batches(injections, isAlone, testBed.atOnce)) {
    const done = await injectTogether(testBed, batch, options);
    done.forEach(onResult);
    all.push(...done);
  }
  return all;
}

/** Groups equal faults, because pauses take long and a kill hits all rotations at once. */
function batches(
  injections: readonly Injection[],
  isAlone: (injection: Injection) => boolean,
  atOnce: number,
): Injection[][] {
  const found: Injection[][] = injections.filter(isAlone).map((injection) => [injection]);
  for (const how of ["killed", "reset", "black-hole", "pause"] as const) {
    const rest = injections.filter((injection) => !isAlone(injection) && injection.how === how);
    for (let begin = 0; begin < rest.length; begin += atOnce) found.push(rest.slice(begin, begin + atOnce));
  }
  return found;
}

async function injectTogether(
  testBed: TestBed,
  batch: readonly Injection[],
  { timeoutMs, pauseMs }: InjectionOptions,
): Promise<InjectionResult[]> {
  const armed = await Promise.all(batch.map((injection, point) => arm(testBed, injection, MACHINES[point]!)));
  const reached = await Promise.all(armed.map((each) => isReached(testBed, each)));
  const started = performance.now();
  const isKill = batch[0]?.how === "killed";
  if (isKill) await testBed.kill();
  else if (batch[0]?.how === "pause") await delay(pauseMs);
  for (const { injection, finish } of armed) if (isKill || injection.how === "pause") await finish();
  if (isKill) {
    await testBed.restart();
    await testBed.gate.expireLeases(armed.map(({ prepared }) => prepared.id));
  }
  const results = await Promise.all(
    armed.map(async ({ injection, prepared }, point): Promise<InjectionResult> => {
      const { problem, remainingTask, overAt } = await testBed.judge(prepared, timeoutMs);
      await prepared.proxy.stop();
      return { injection, problem, remainingTask, seconds: (overAt - started) / 1000, wasReached: reached[point]! };
    }),
  );
  return results;
}
