// What a list of the trail is narrowed to, and which indexes it then reads (decision 0016).
import type { AuditFilter, AuditResult, AuditStatus, Severity } from "@strongroom/contract";
import { AUDIT_RESULTS } from "@strongroom/contract";

/** What the verification of secrets records when it has ended. */
export const VERIFIED_EVENTS = ["account.validated", "credential.verified"] as const;
/** All that the verification of secrets records. */
const VERIFICATION_EVENTS = [
  ...VERIFIED_EVENTS,
  "verification.started",
  "verification.run-started",
  "verification.run-cancelled",
] as const;

/** Who and what a search found: entries of any of them match. */
export interface Subjects {
  actors: string[];
  targets: string[];
  events: string[];
}

export interface TrailFilter {
  /** Null: any. Never empty, but for a filter that nothing passes. */
  events: readonly string[] | null;
  results: readonly AuditResult[] | null;
  severities: readonly Severity[] | null;
  isJit: boolean | null;
  actorId: string | null;
  targetId: string | null;
  grantId: string | null;
  subjects: Subjects | null;
  /** The one entry whose id was searched for. */
  entryId: string | null;
  /** Both included. */
  from: Date | null;
  to: Date | null;
}

export const STATUS_OF: Record<AuditResult, AuditStatus> = {
  success: "success",
  failure: "failure",
  warning: "pending",
  info: "pending",
};

/** The tab "Critical Failures": what went wrong and is grave. */
const GRAVE: readonly Severity[] = ["critical", "high"];
const WRONG: readonly AuditResult[] = ["failure", "warning"];

/** All but what the search means, which the database has to be asked. */
export function toTrailFilter(query: Omit<AuditFilter, "search" | "search_term">): TrailFilter {
  const { view, scope, status, severity, event, result, actor_id, target_id, grant_id, from, to } = query;
  const isOfVerification = view === "regular" || view === "jit";
  const inView = isOfVerification ? VERIFIED_EVENTS : scope === "verification" ? VERIFICATION_EVENTS : null;
  const ofStatus = status === undefined ? null : AUDIT_RESULTS.filter((each) => STATUS_OF[each] === status);
  const isCritical = view === "critical";
  return {
    events: both(inView, event === undefined ? null : [event]),
    results: both(both(isCritical ? WRONG : null, ofStatus), result === undefined ? null : [result]),
    severities: both(isCritical ? GRAVE : null, severity === undefined ? null : [severity]),
    isJit: view === "jit" ? true : view === "regular" ? false : null,
    actorId: actor_id ?? null,
    targetId: target_id ?? null,
    grantId: grant_id ?? query.session_id ?? null,
    subjects: null,
    entryId: null,
    from: from === undefined ? null : new Date(from),
    to: to === undefined ? null : new Date(to),
  };
}

/** A filter that nothing passes: a critical failure of low severity, an event outside of the tab. */
export const isImpossible = ({ events, results, severities }: TrailFilter): boolean =>
  [events, results, severities].some((each) => each?.length === 0);

function both<T>(one: readonly T[] | null, other: readonly T[] | null): readonly T[] | null {
  if (one === null || other === null) return one ?? other;
  return one.filter((each) => other.includes(each));
}

/** Which index a list reads backwards, at which values; several are merged. */
export type Read =
  | { by: "entry"; ids: readonly string[] }
  | { by: "actor"; ids: readonly string[]; results: readonly AuditResult[] }
  | { by: "target"; ids: readonly string[] }
  | { by: "event"; events: readonly string[]; results: readonly AuditResult[] }
  | { by: "severity"; severities: readonly Severity[] }
  | { by: "result"; results: readonly AuditResult[] }
  | { by: "grant"; id: string | null }
  | { by: "time" };

/** More subjects than this are not looked up one by one: so many match often enough when one reads on from the newest. */
const MOST_LOOKED_UP = 1000;

const isLookedUp = ({ subjects }: TrailFilter): boolean => subjects !== null && countOf(subjects) <= MOST_LOOKED_UP;

/** The narrowest indexes first. What they find is checked against the rest of the filter (`restOf`). */
export function readsOf(filter: TrailFilter): Read[] {
  const { subjects, entryId, targetId, actorId, grantId, isJit, severities, events } = filter;
  const results = filter.results ?? AUDIT_RESULTS;
  if (grantId !== null) return [{ by: "grant", id: grantId }];
  if (targetId !== null) return [{ by: "target", ids: [targetId] }];
  if (actorId !== null) return [{ by: "actor", ids: [actorId], results }];
  if (subjects !== null && isLookedUp(filter)) {
    return [
      { by: "entry", ids: entryId === null ? [] : [entryId] },
      { by: "actor", ids: subjects.actors, results },
      { by: "target", ids: subjects.targets },
      { by: "event", events: subjects.events, results },
    ];
  }
  if (isJit === true) return [{ by: "grant", id: null }];
  // Routine is in no index of severities: nearly everything is.
  if (severities !== null && !severities.includes("low")) return [{ by: "severity", severities }];
  if (events !== null) return [{ by: "event", events, results }];
  if (filter.results !== null && !filter.results.includes("success")) return [{ by: "result", results }];
  return [{ by: "time" }];
}

export const countOf = ({ actors, targets, events }: Subjects): number =>
  actors.length + targets.length + events.length;

/**
 * What is still to be checked of what `read` finds: all but what its place in the index guarantees by itself. A condition that an index already fulfils is left out: the planner
 * would multiply it in once more, expect next to nothing, and sort all that the index holds instead of reading on.
 */
export function restOf(filter: TrailFilter, read: Read): TrailFilter {
  switch (read.by) {
    case "entry":
      return { ...filter, subjects: null };
    case "actor":
      return { ...filter, ...(filter.actorId === null ? { subjects: null } : { actorId: null }), results: null };
    case "target":
      return { ...filter, ...(filter.targetId === null ? { subjects: null } : { targetId: null }) };
    case "event":
      return { ...filter, ...(isLookedUp(filter) ? { subjects: null } : { events: null }), results: null };
    case "severity":
      return { ...filter, severities: null };
    case "result":
      return { ...filter, results: null };
    case "grant":
      return { ...filter, ...(read.id === null ? { isJit: null } : { grantId: null }) };
    case "time":
      return filter;
    default:
      return read satisfies never;
  }
}
