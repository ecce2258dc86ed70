// A small world in which the journal is explored exhaustively: two workers, one target, and everything that can go wrong.
import { after, nextAct, planned } from "../rotation.policy.ts";
import type { Act, Happening, Journal, Means } from "../rotation.policy.ts";

export interface World {
  journal: Journal;
  /** Secret versions that are stored. */
  stored: number;
  inForce: number;
  /** The version that the target takes. */
  live: number;
  /** Changes on their way that the target may still make, or never. */
  late: readonly number[];
  /** Who holds the lease; null: nobody. */
  holder: number | null;
  workers: readonly Worker[];
  /** Faults that may still happen. */
  faults: number;
  /** Logins that were refused in a row, and results of logins that were lost with a worker. */
  refusedInRow: number;
  lostLogins: number;
}

/** `performed`: it has happened on the target, and is not on record yet. */
export type Worker =
  | { at: "rest" }
  | { at: "holding" }
  | { at: "performing"; act: Act }
  | { at: "performed"; happening: Happening };

export const REST: Worker = { at: "rest" };

export function startOf(faults: number): World {
  return {
    journal: planned(1, "account"),
    stored: 1,
    inForce: 1,
    live: 1,
    late: [],
    holder: null,
    workers: [REST, REST],
    faults,
    refusedInRow: 0,
    lostLogins: 0,
  };
}

export interface Rules {
  means: Means;
  /** The target refuses so many candidates, one after the other. */
  refusals: number;
}

/** Every world that can follow this one by a single thing that happens. */
export function* successors(world: World, rules: Rules): Generator<World> {
  for (const [index, worker] of world.workers.entries()) {
    yield* stepsOf(world, rules, index, worker);
    if (world.faults > 0 && worker.at !== "rest") {
      yield { ...withFault(forgetting(world, worker)), ...putting(world, index, REST), holder: released(world, index) };
    }
  }
  // A lease runs out although its worker lives: it was merely slow.
  if (world.faults > 0 && world.holder !== null) yield { ...withFault(world), holder: null };
  for (const [index, version] of world.late.entries()) {
    yield { ...world, late: world.late.toSpliced(index, 1), live: version };
  }
}

function* stepsOf(world: World, rules: Rules, index: number, worker: Worker): Generator<World> {
  const { journal } = world;
  switch (worker.at) {
    case "rest":
      if (world.holder === null && nextAct(journal, rules.means) !== null) {
        yield { ...world, ...putting(world, index, { at: "holding" }), holder: index };
      }
      return;
    case "holding": {
      if (world.holder !== index) {
        yield { ...world, ...putting(world, index, REST) };
        return;
      }
      const act = nextAct(journal, rules.means);
      if (act === null) yield { ...world, ...putting(world, index, REST), holder: null };
      else yield begin(world, index, act);
      return;
    }
    case "performing":
      for (const [outcome, happening] of performances(world, rules, worker.act)) {
        yield { ...outcome, ...putting(outcome, index, { at: "performed", happening }) };
      }
      return;
    case "performed":
      yield record(world, index, worker.happening);
  }
}

/** What is on record before an act is performed. */
function begin(world: World, index: number, act: Act): World {
  const performing = putting(world, index, { at: "performing", act });
  switch (act.do) {
    case "store": {
      const stored = world.stored + 1;
      const journal = after(world.journal, { kind: "stored", version: stored });
      return { ...world, stored, journal, ...putting(world, index, { at: "holding" }) };
    }
    case "send":
      return { ...world, journal: after(world.journal, { kind: "sending", by: act.by }), ...performing };
    case "give-up": {
      const journal = after(world.journal, { kind: "gave-up", code: act.code });
      return { ...world, journal, ...putting(world, index, { at: "holding" }) };
    }
    case "end": {
      const journal = after(world.journal, { kind: "retired" });
      return { ...world, journal, ...putting(world, index, { at: "holding" }) };
    }
    case "look-again": {
      const journal = after(world.journal, { kind: "looks-again" });
      return { ...world, journal, ...putting(world, index, { at: "holding" }) };
    }
    case "probe":
    case "retire":
      return { ...world, ...performing };
  }
}

type Performance = [World, Happening];

function performances(world: World, rules: Rules, act: Act): Performance[] {
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

/** `login` is the version that it logs in with; null: the reconcile account's own. */
function sendings(world: World, rules: Rules, login: number | null): Performance[] {
  // What leaves a worker is what was its candidate when it began; in between nobody else makes one up without the lease.
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
  const told: Performance = [
    { ...world, refusedInRow },
    { kind: "probed", version, says: isLive ? "live" : "dead" },
  ];
  return world.faults > 0 ? [told, [withFault(world), { kind: "probed", version, says: "unclear" }]] : [told];
}

/** Only who holds the lease writes. */
function record(world: World, index: number, happening: Happening): World {
  if (world.holder !== index) return { ...forgetting(world, world.workers[index]!), ...putting(world, index, REST) };
  const journal = after(world.journal, happening);
  const isPromoted =
    happening.kind === "probed" && happening.says === "live" && happening.version !== world.journal.old;
  return {
    ...world,
    journal,
    ...(isPromoted ? { inForce: happening.version } : {}),
    ...putting(world, index, { at: "holding" }),
  };
}

const putting = ({ workers }: World, index: number, worker: Worker) => ({ workers: workers.with(index, worker) });
const withFault = (world: World): World => ({ ...world, faults: world.faults - 1 });
const released = ({ holder }: World, index: number) => (holder === index ? null : holder);

/** A refused login that is not on record will be tried again. */
function forgetting(world: World, worker: Worker): World {
  const isLost =
    worker.at === "performed" && (worker.happening.kind === "probed" || worker.happening.kind === "unsent");
  return isLost ? { ...world, lostLogins: world.lostLogins + 1 } : world;
}
