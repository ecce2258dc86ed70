// Maps list filters to conditions, and chooses the indexes that the list reads (decision 0016).
import type { AuditFilter, AuditResult, AuditStatus, Severity, VerificationEventType } from "@strongroom/contract";
import { AUDIT_RESULTS } from "@strongroom/contract";
import { ANY_SEQ } from "../order.store.ts";
import type { SeqRange } from "../order.store.ts";

/** The events recorded at the end of a verification. */
export const VERIFIED_EVENTS = ["account.validated", "credential.verified"] as const;
/** The event recorded at the start of a verification. */
export const STARTED_EVENT = "verification.started";
/** All events of a verification. */
export const VERIFICATION_EVENTS = [
  ...VERIFIED_EVENTS,
  STARTED_EVENT,
  "verification.run-started",
  "verification.run-cancelled",
] as const;

/** Events that administrators see without searching: the filter `notable`. */
const NOTABLE_EVENTS = [
  "access-control.review-closed",
  "access-request.broken-glass",
  "access-request.reviewed",
  "account.deleted",
  "account.exported",
  "account.host-key-accepted",
  "account.imported",
  "account.moved",
  "admin-reset.confirmed",
  "admin-reset.requested",
  "audit-sink.deleted",
  "audit-sink.delivery-failing",
  "audit-sink.switched",
  "audit.contradiction-accepted",
  "audit.exported",
  "audit.tampering-found",
  "backup.restored",
  "discovery.network-allowed",
  "factor.removed",
  "factor.reset",
  "group.deleted",
  "group.member-added",
  "group.member-removed",
  "identity-provider.created",
  "identity-provider.deleted",
  "identity-provider.updated",
  "machine-identity.created",
  "password-reset.link-issued",
  "platform.deleted",
  "platform.updated",
  "policy.changed",
  "privileged-session.risk-raised",
  "privileged-session.terminated",
  "recording.deleted",
  "restore.found",
  "rotation.stopped",
  "safe.deleted",
  "safe.member-added",
  "safe.member-removed",
  "safe.member-updated",
  "seal.rekeyed",
  "seal.sealed",
  "seal.signing-key-replaced",
  "seal.unsealed",
  "sign-in.spraying-suspected",
  "token.created",
  "token.policy-changed",
  "user.activated",
  "user.deleted",
  "user.invited",
  "user.role-changed",
  "user.status-changed",
  "vault.opened",
] as const;

/** The subjects that a search found: entries of any of them match. */
export interface Subjects {
  actors: string[];
  targets: string[];
  events: string[];
}

export interface TrailFilter {
  /** Null means any event. Empty only for a filter that no entry passes. */
  events: readonly string[] | null;
  /** Events that lists exclude, even where `events` is null. */
  withoutEvents: readonly string[];
  /** Whether to exclude failed verifications of critical severity. */
  withoutCritical: boolean;
  results: readonly AuditResult[] | null;
  severities: readonly Severity[] | null;
  isJit: boolean | null;
  actorId: string | null;
  targetId: string | null;
  grantId: string | null;
  subjects: Subjects | null;
  /** The id of a single entry, if the search is an id. */
  entryId: string | null;
  /** Both ends included. */
  from: Date | null;
  to: Date | null;
  /** The `seq` range that can contain entries of this period. */
  range: SeqRange;
}

export const STATUS_OF: Record<AuditResult, AuditStatus> = {
  success: "success",
  failure: "failure",
  warning: "pending",
  info: "pending",
};

/** The severities of the tab "Critical Failures". */
const GRAVE: readonly Severity[] = ["critical", "high"];
const WRONG: readonly AuditResult[] = ["failure", "warning"];

type Query = Omit<AuditFilter, "search" | "search_term"> & { attempts?: "separate" | "grouped" };

type OfType = Pick<TrailFilter, "events" | "results" | "severities" | "isJit" | "withoutCritical">;
const ANY_TYPE: OfType = { events: null, results: null, severities: null, isJit: null, withoutCritical: false };
/** AUDIT-14: the conditions by which `eventTypeOf` classifies an entry. */
const OF_TYPE: Record<VerificationEventType, OfType> = {
  account_verification: { ...ANY_TYPE, events: VERIFICATION_EVENTS, isJit: false },
  jit_account_verification: { ...ANY_TYPE, events: VERIFICATION_EVENTS, isJit: true, withoutCritical: true },
  jit_critical_verification_failure: {
    ...ANY_TYPE,
    events: VERIFIED_EVENTS,
    isJit: true,
    results: ["failure"],
    severities: ["critical"],
  },
};

/**
 * Builds the filter, except for the meaning of the search and the `seq` range of the period: both need the database.
 */
export function toTrailFilter(query: Query, now: Date): TrailFilter {
  const { view, scope, status, severity, event, event_type, result, actor_id, target_id, grant_id } = query;
  const isOfVerification = view === "regular" || view === "jit";
  const inView = isOfVerification ? VERIFIED_EVENTS : scope === "verification" ? VERIFICATION_EVENTS : null;
  const ofStatus = status === undefined ? null : AUDIT_RESULTS.filter((each) => STATUS_OF[each] === status);
  const isCritical = view === "critical";
  const ofType = event_type === undefined ? ANY_TYPE : OF_TYPE[event_type];
  const ofView = view === "jit" ? true : view === "regular" ? false : null;
  // An entry is either under a grant or not, so a tab and a type that contradict each other match no entry.
  const isImpossible = ofView !== null && ofType.isJit !== null && ofView !== ofType.isJit;
  const chosen = both(query.notable === true ? NOTABLE_EVENTS : null, event === undefined ? null : [event]);
  const events = isImpossible ? [] : both(both(inView, ofType.events), chosen);
  const ofResult = both(both(isCritical ? WRONG : null, ofStatus), result === undefined ? null : [result]);
  const results = both(ofResult, ofType.results);
  // A list filtered by event or result may ask for start entries, so it is not grouped.
  const isGrouped = query.attempts === "grouped" && event === undefined && results === null;
  const withoutEvents = isGrouped ? [STARTED_EVENT] : [];
  const { from, to } = periodOf(query, now);
  return {
    events: events?.filter((each) => !withoutEvents.includes(each)) ?? null,
    withoutEvents: events === null ? withoutEvents : [],
    withoutCritical: ofType.withoutCritical,
    results,
    severities: both(both(isCritical ? GRAVE : null, severity === undefined ? null : [severity]), ofType.severities),
    isJit: ofView ?? ofType.isJit,
    actorId: actor_id ?? null,
    targetId: target_id ?? null,
    grantId: grant_id ?? query.session_id ?? null,
    subjects: null,
    entryId: null,
    from,
    to,
    range: ANY_SEQ,
  };
}

const HOUR = 3_600_000;
const PERIODS: Record<string, number> = { "24h": 24 * HOUR, "7d": 7 * 24 * HOUR, "30d": 30 * 24 * HOUR };

/** The period from `from`, `to` and `date_range` together. */
function periodOf({ from, to, date_range: range }: Query, now: Date): { from: Date | null; to: Date | null } {
  const length = range === undefined ? undefined : PERIODS[range];
  const [start, end] =
    length === undefined ? (range?.split("/") ?? []) : [new Date(now.getTime() - length).toISOString()];
  const times = (...all: (string | undefined)[]) =>
    all.flatMap((each) => (each === undefined ? [] : [Date.parse(each)]));
  const [starts, ends] = [times(from, start), times(to, end)];
  return {
    from: starts.length === 0 ? null : new Date(Math.max(...starts)),
    to: ends.length === 0 ? null : new Date(Math.min(...ends)),
  };
}

/**
 * Whether no entry can pass the filter, such as a critical failure of low severity or an event that the tab excludes.
 */
export const isImpossible = ({ events, results, severities }: TrailFilter): boolean =>
  [events, results, severities].some((each) => each?.length === 0);

function both<T>(one: readonly T[] | null, other: readonly T[] | null): readonly T[] | null {
  if (one === null || other === null) return one ?? other;
  return one.filter((each) => other.includes(each));
}

/** The index that a list reads backwards, and its values; several reads are merged. */
export type IndexRead =
  | { by: "entry"; ids: readonly string[] }
  | { by: "actor"; ids: readonly string[]; results: readonly AuditResult[] }
  | { by: "target"; ids: readonly string[] }
  | { by: "event"; events: readonly string[]; results: readonly AuditResult[] }
  | { by: "severity"; severities: readonly Severity[] }
  | { by: "result"; results: readonly AuditResult[] }
  | { by: "grant"; id: string | null }
  | { by: "time" };

/**
 * With more subjects than this, the list scans from the newest entry instead of looking up each subject: entries of
 * that many subjects are frequent.
 */
const MOST_LOOKED_UP = 1000;

const isLookedUp = ({ subjects }: TrailFilter): boolean => subjects !== null && countOf(subjects) <= MOST_LOOKED_UP;

/** The indexes to read, narrowest first. Their results are checked against the rest of the filter (`restOf`). */
export function readsOf(filter: TrailFilter): IndexRead[] {
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
  // The severity index excludes routine entries, because nearly all entries are routine.
  if (severities !== null && !severities.includes("low")) return [{ by: "severity", severities }];
  if (events !== null) return [{ by: "event", events, results }];
  if (filter.results !== null && !filter.results.includes("success")) return [{ by: "result", results }];
  return [{ by: "time" }];
}

export const countOf = ({ actors, targets, events }: Subjects): number =>
  actors.length + targets.length + events.length;

/**
 * The part of the filter that `read` does not already guarantee. Conditions that the index guarantees are left out: the
 * planner would count their selectivity twice, expect almost no rows, and sort the whole index range instead of
 * scanning it in order.
 */
export function restOf(filter: TrailFilter, read: IndexRead): TrailFilter {
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
