// Lists the trail: filtered, searched, paged and counted.
import type { AuditFilter, AuditLog, ReplyOf, countAuditEntries, listAuditEntries } from "@strongroom/contract";
import { MOST_AUDIT_COUNTED } from "@strongroom/contract";
import type { Db } from "#kernel/db/database.ts";
import type { Call } from "#kernel/http/call.ts";
import { refuse } from "#kernel/http/refuse.ts";
import type { Kernel } from "#kernel/kernel.ts";
import { actorIdsOf, attemptOf, toAuditLog, toLogEntry } from "../audit-labels.ts";
import { findStarts } from "../audit.store.ts";
import type { FoundEntry } from "../audit.store.ts";
import { pageOf, placeBefore } from "../audit.ts";
import type { EmailsOf } from "../audit.ts";
import { countKept } from "./counts.store.ts";
import type { RequestsAbout, SessionsAbout } from "../evidence/evidence-bundle.ts";
import { findSubjects } from "./names.store.ts";
import { seqRangeOf } from "../order.store.ts";
import type { SeqRange } from "../order.store.ts";
import { STARTED_EVENT, VERIFIED_EVENTS, isImpossible, toTrailFilter } from "./trail-filter.ts";
import type { TrailFilter } from "./trail-filter.ts";
import { countTrail, findPlace, findTrail } from "./trail.store.ts";
import type { Counted } from "./trail.store.ts";

/** User lookups, provided by the users feature. */
export interface People {
  emailsOf: EmailsOf;
  /** Ids of users whose address contains the text. */
  idsByEmail: (db: Db, text: string) => Promise<string[]>;
  requestsAbout: RequestsAbout;
  sessionsAbout: SessionsAbout;
}

export async function listTrail(
  call: Call<typeof listAuditEntries>,
  db: Db,
  people: People,
  now: Date,
): Promise<ReplyOf<typeof listAuditEntries>> {
  const { limit, cursor, offset } = call.query;
  const filter = await filterOf(db, call.query, people, now);
  const counted = offset === undefined ? {} : await totalOf(db, filter);
  const before = offset === undefined ? placeBefore(cursor) : await placeAfter(db, filter, offset);
  if (before === undefined || isImpossible(filter)) return { logs: [], ...counted, next_cursor: null };
  const found = await findTrail(db, filter, { limit: limit + 1, before });
  const { shown, next_cursor } = pageOf(found, limit);
  const logs = await toAuditLogs(db, shown, people);
  if (call.query.attempts === "separate") return { logs, ...counted, next_cursor };
  return { logs: await withStarts(db, shown, logs, people), ...counted, next_cursor };
}

/** Adds the start entry to each verification result. */
async function withStarts(
  db: Db,
  found: readonly FoundEntry[],
  logs: readonly AuditLog[],
  { emailsOf }: People,
): Promise<AuditLog[]> {
  const results = found.filter((_, index) => VERIFIED_EVENTS.some((event) => event === logs[index]?.event));
  const attempts = new Map(results.map((result) => [result.id, attemptOf(result)]));
  const near = await findStarts(db, [...attempts.keys()]);
  const starts = near.filter(
    (start) => attemptOf(start) !== null && attemptOf(start) === attempts.get(start.result_id),
  );
  const emails = await emailsOf(db, actorIdsOf(starts));
  return logs.map((log) => {
    const start = starts.find(({ result_id }) => result_id === log.id);
    return { ...log, started: start === undefined ? null : toLogEntry(start, emails) };
  });
}

async function totalOf(db: Db, filter: TrailFilter) {
  const { total, is_exact } = await countOf(db, filter);
  return { total, is_exact };
}

/**
 * The `seq` before which a page with this offset begins; null for the newest entry; undefined if there are fewer
 * entries.
 */
async function placeAfter(db: Db, filter: TrailFilter, offset: number): Promise<number | null | undefined> {
  if (offset === 0 || isImpossible(filter)) return null;
  return (await findPlace(db, filter, offset)) ?? undefined;
}

export async function countMatching(
  call: Call<typeof countAuditEntries>,
  db: Db,
  people: People,
  now: Date,
): Promise<ReplyOf<typeof countAuditEntries>> {
  return countOf(db, await filterOf(db, call.query, people, now));
}

async function countOf(db: Db, filter: TrailFilter): Promise<ReplyOf<typeof countAuditEntries>> {
  if (isImpossible(filter)) return { total: 0, successful: 0, failed: 0, jit: 0, is_exact: true };
  const { subjects, actorId, targetId, grantId } = filter;
  if (subjects === null && actorId === null && targetId === null && grantId === null) {
    return { ...(await countKept(db, filter)), is_exact: true };
  }
  const counted = await countTrail(db, filter, MOST_AUDIT_COUNTED + 1);
  return {
    ...counted,
    total: Math.min(counted.total, MOST_AUDIT_COUNTED),
    is_exact: counted.total <= MOST_AUDIT_COUNTED,
  };
}

/**
 * Counts the entries of a `seq` range that match the filter, up to `MOST_AUDIT_COUNTED` + 1. Throws a refusal if the
 * search is too broad.
 */
export async function countRecorded(
  db: Db,
  query: Query,
  { people, now, range }: { people: People; now: Date; range: SeqRange },
): Promise<Counted> {
  const filter = { ...(await filterOf(db, query, people, now)), range };
  if (isImpossible(filter)) return { total: 0, successful: 0, failed: 0, jit: 0 };
  return countTrail(db, filter, MOST_AUDIT_COUNTED + 1);
}

/** The message suggests how to narrow the search, because the search itself is valid. */
const searchTooLong = () =>
  refuse(422, "audit.search-too-long", "This search takes too long. Filter by time, event or user.");

/** The time limit of a search, for `within`. */
export const searchLimits = ({ database, config }: Pick<Kernel, "database" | "config">) => ({
  database,
  seconds: config.auditSearchSeconds,
  tooLong: searchTooLong,
});

export interface Search {
  /** Newest first; `before` is a `seq`. */
  find(page: { limit: number; before: number | null }): Promise<FoundEntry[]>;
  /** The `seq` before which a page with this offset begins; undefined if there are fewer entries. */
  placeAfter(offset: number): Promise<number | null | undefined>;
}

/** Resolves the filter once and reads any number of pages with it. */
export async function createSearch(db: Db, query: AuditFilter, people: People, now: Date): Promise<Search> {
  const filter = await filterOf(db, query, people, now);
  return {
    find: async (page) => (isImpossible(filter) ? [] : findTrail(db, filter, page)),
    placeAfter: (offset) => placeAfter(db, filter, offset),
  };
}

export async function toAuditLogs(db: Db, found: readonly FoundEntry[], { emailsOf }: People): Promise<AuditLog[]> {
  const emails = await emailsOf(db, actorIdsOf(found));
  return found.map((entry) => toAuditLog(entry, emails));
}

/** The maximum number of names that a search looks up. */
const MOST_SUBJECTS = 20_000;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

type Query = AuditFilter & { attempts?: "separate" | "grouped" };

async function filterOf(db: Db, query: Query, { idsByEmail }: People, now: Date): Promise<TrailFilter> {
  const anyRange = toTrailFilter(query, now);
  const filter = { ...anyRange, range: await seqRangeOf(db, anyRange.from, anyRange.to) };
  // A search for the id of a start event must find that event.
  const ungrouped = { ...toTrailFilter({ ...query, attempts: "separate" }, now), range: filter.range };
  const search = query.search ?? query.search_term ?? "";
  if (search === "") return filter;
  if (UUID.test(search)) {
    const id = search.toLowerCase();
    return { ...ungrouped, entryId: id, subjects: { actors: [id], targets: [id], events: [] } };
  }
  const [subjects, ids] = await Promise.all([findSubjects(db, search, MOST_SUBJECTS), idsByEmail(db, search)]);
  if (subjects === null) {
    const many = MOST_SUBJECTS.toLocaleString("en");
    throw refuse(400, "search.too-broad", `More than ${many} names match. Enter more of the name.`);
  }
  const actors = [...new Set([...subjects.actors, ...ids])];
  // A user is the actor of some entries and the target of others.
  const targets = [...new Set([...subjects.targets, ...ids])];
  const found = subjects.events.includes(STARTED_EVENT) ? ungrouped : filter;
  return { ...found, subjects: { ...subjects, actors, targets } };
}
