// A small model of two workers and one target with every fault, for an exhaustive exploration of the journal.
import { applyEvent, nextAction, initialJournal } from "../rotation.policy.ts";
import type { RotationAction, RotationEvent, Journal, Capabilities } from "../rotation.policy.ts";

export interface World {
  journal: Journal;
  /** Number of stored secret versions. */
  stored: number;
  activeVersion: number;
  /** The version that the target accepts. */
  live: number;
  /** Sent changes that the target may still apply, or may never apply. */
  late: readonly number[];
  /** The index of the worker that holds the lease; null: none. */
  holder: number | null;
  workers: readonly Worker[];
  /** Faults that may still happen. */
  faults: number;
  /** Consecutive rejected logins, and login results that were lost with a worker. */
  refusedInRow: number;
  lostLogins: number;
}

/** `performed`: the target has been changed, and the change is not recorded yet. */
export type Worker =
  | { at: "rest" }
  | { at: "holding" }
  | { at: "performing"; act: RotationAction }
  | { at: "performed"; event: RotationEvent };

export const IDLE: Worker = { at: "rest" };

export function startOf(faults: number): World {
  return {
    journal: initialJournal(1, "account"),
    stored: 1,
    activeVersion: 1,
    live: 1,
    late: [],
    holder: null,
    workers: [IDLE, IDLE],
    faults,
    refusedInRow: 0,
    lostLogins: 0,
  };
}

export interface Rules {
  means: Capabilities;
  /** The number of consecutive candidates that the target refuses. */
  refusals: number;
}

/** Yields every world that a single event can produce next. */
export function* successors(world: World, rules: Rules): Generator<World> {
  for (const [index, worker] of world.workers.entries()) {
    yield* stepsOf(world, rules, index, worker);
    if (world.faults > 0 && worker.at !== "rest") {
      yield { ...withFault(forgetting(world, worker)), ...putting(world, index, IDLE), holder: released(world, index) };
    }
  }
  // The lease of a live but slow worker expires.
  if (world.faults > 0 && world.holder !== null) yield { ...withFault(world), holder: null };
  for (const [index, version] of world.late.entries()) {
    yield { ...world, late: world.late.toSpliced(index, 1), live: version };
  }
}

function* stepsOf(world: World, rules: Rules, index: number, worker: Worker): Generator<World> {
  const { journal } = world;
  switch (worker.at) {
    case "rest":
      if (world.holder === null && nextAction(journal, rules.means) !== null) {
        yield { ...world, ...putting(world, index, { at: "holding" }), holder: index };
      }
      return;
    case "holding": {
      if (world.holder !== index) {
        yield { ...world, ...putting(world, index, IDLE) };
        return;
      }
      const act = nextAction(journal, rules.means);
      if (act === null) yield { ...world, ...putting(world, index, IDLE), holder: null };
      else yield begin(world, index, act);
      return;
    }
    case "performing":
      for (const [outcome, event] of performances(world, rules, worker.act)) {
        yield { ...outcome, ...putting(outcome, index, { at: "performed", event }) };
      }
      return;
    case "performed":
      yield record(world, index, worker.event);
  }
}

/** Records the task before it is performed. */
function begin(world: World, index: number, act: RotationAction): World {
  const performing = putting(world, index, { at: "performing", act });
  switch (act.do) {
    case "store": {
      const stored = world.stored + 1;
      const journal = applyEvent(world.journal, { kind: "stored", version: stored });
      return { ...world, stored, journal, ...putting(world, index, { at: "holding" }) };
    }
    case "send":
      return { ...world, journal: applyEvent(world.journal, { kind: "sending", by: act.by }), ...performing };
    case "give-up": {
      const journal = applyEvent(world.journal, { kind: "gave-up", code: act.code });
      return { ...world, journal, ...putting(world, index, { at: "holding" }) };
    }
    case "end": {
      const journal = applyEvent(world.journal, { kind: "retired" });
      return { ...world, journal, ...putting(world, index, { at: "holding" }) };
    }
    case "look-again": {
      const journal = applyEvent(world.journal, { kind: "looks-again" });
      return { ...world, journal, ...putting(world, index, { at: "holding" }) };
    }
    case "probe":
    case "retire":
      return { ...world, ...performing };
  }
}

type Performance = [World, RotationEvent];

function performances(world: World, rules: Rules, act: RotationAction): Performance[] {
  switch (act.do) {
    case "send":
      return sendings(world, rules, act.by === "account" ? world.journal.old : null);
    case "probe":
      return probes(world, act.version);
    default:
      return [
        [world, { kind: "retired" }],
        ...(world.faults > 0
          ? [
              [
                { ...world, faults: world.faults - 1 },
                { kind: "not-retired", mayPass: true },
              ] as Performance,
            ]
          : []),
      ];
  }
}

/** `login` is the version used to log in; null: the reconcile account's own secret. */
function sendings(world: World, rules: Rules, login: number | null): Performance[] {
  // The worker sends the candidate that existed when it began; no other worker generates one without the lease.
  const version = world.journal.candidate ?? world.stored;
  const results: Performance[] = [];
  if (login !== null && login !== world.live) {
    results.push([
      { ...world, refusedInRow: world.refusedInRow + 1 },
      { kind: "unsent", why: "refused" },
    ]);
  } else if (version - 1 <= rules.refusals) {
    results.push([
      { ...world, refusedInRow: 0 },
      { kind: "refused", code: "password-rules" },
    ]);
  } else {
    const accepted = { ...world, live: version, refusedInRow: 0 };
    results.push([accepted, { kind: "changed" }]);
    if (world.faults > 0) results.push([withFault(accepted), { kind: "unknown" }]);
  }
  if (world.faults > 0) {
    const broken = withFault(world);
    results.push([broken, { kind: "unsent", why: "unreachable" }], [broken, { kind: "unknown" }]);
    if ((login === null || login === world.live) && version - 1 > rules.refusals) {
      results.push([{ ...broken, late: [...broken.late, version] }, { kind: "unknown" }]);
    }
  }
  return results;
}

function probes(world: World, version: number): Performance[] {
  const isLive = version === world.live;
  const refusedInRow = isLive ? 0 : world.refusedInRow + 1;
  const answered: Performance = [
    { ...world, refusedInRow },
    { kind: "probed", version, says: isLive ? "live" : "dead" },
  ];
  return world.faults > 0 ? [answered, [withFault(world), { kind: "probed", version, says: "unclear" }]] : [answered];
}

/** Only the lease holder writes. */
function record(world: World, index: number, event: RotationEvent): World {
  if (world.holder !== index) return { ...forgetting(world, world.workers[index]!), ...putting(world, index, IDLE) };
  const journal = applyEvent(world.journal, event);
  const isPromoted = event.kind === "probed" && event.says === "live" && event.version !== world.journal.old;
  return {
    ...world,
    journal,
    ...(isPromoted ? { activeVersion: event.version } : {}),
    ...putting(world, index, { at: "holding" }),
  };
}

const putting = ({ workers }: World, index: number, worker: Worker) => ({ workers: workers.with(index, worker) });
const withFault = (world: World): World => ({ ...world, faults: world.faults - 1 });
const released = ({ holder }: World, index: number) => (holder === index ? null : holder);

/** A rejected login that was not recorded will be tried again. */
function forgetting(world: World, worker: Worker): World {
  const isLost = worker.at === "performed" && (worker.event.kind === "probed" || worker.event.kind === "unsent");
  return isLost ? { ...world, lostLogins: world.lostLogins + 1 } : world;
}
