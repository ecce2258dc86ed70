// The trail as lists show it: narrowed, searched, page after page, and counted.
import type { AuditFilter, AuditLog, ReplyOf, countAuditEntries, listAuditEntries } from "@strongroom/contract";
import { MOST_AUDIT_COUNTED } from "@strongroom/contract";
import type { Db } from "#kernel/db/database.ts";
import type { Call } from "#kernel/http/call.ts";
import { refuse } from "#kernel/http/refuse.ts";
import { actorIdsOf, toAuditLog } from "./audit-words.ts";
import type { FoundEntry } from "./audit.store.ts";
import { pageOf, placeBefore } from "./audit.ts";
import type { EmailsOf } from "./audit.ts";
import { countKept } from "./counts.store.ts";
import type { RequestsAbout } from "./evidence-bundle.ts";
import { findSubjects } from "./names.store.ts";
import { isImpossible, toTrailFilter } from "./trail-filter.ts";
import type { TrailFilter } from "./trail-filter.ts";
import { countTrail, findPlace, findTrail } from "./trail.store.ts";

/** What the trail asks of those who know people. */
export interface People {
  emailsOf: EmailsOf;
  /** Ids of those whose address holds the text. */
  idsByEmail: (db: Db, text: string) => Promise<string[]>;
  requestsAbout: RequestsAbout;
}

export async function listTrail(
  call: Call<typeof listAuditEntries>,
  db: Db,
  people: People,
): Promise<ReplyOf<typeof listAuditEntries>> {
  const { limit, cursor, offset } = call.query;
  const filter = await filterOf(db, call.query, people);
  const counted = offset === undefined ? {} : await totalOf(db, filter);
  const before = offset === undefined ? placeBefore(cursor) : await placeAfter(db, filter, offset);
  if (before === undefined || isImpossible(filter)) return { logs: [], ...counted, next_cursor: null };
  const found = await findTrail(db, filter, { limit: limit + 1, before });
  const { shown, next_cursor } = pageOf(found, limit);
  return { logs: await toAuditLogs(db, shown, people), ...counted, next_cursor };
}

async function totalOf(db: Db, filter: TrailFilter) {
  const { total, is_exact } = await countOf(db, filter);
  return { total, is_exact };
}

/** Where a page begins that leaves out so many; null: with the newest. Undefined: there are not so many. */
async function placeAfter(db: Db, filter: TrailFilter, offset: number): Promise<string | null | undefined> {
  if (offset === 0 || isImpossible(filter)) return null;
  return (await findPlace(db, filter, offset)) ?? undefined;
}

export async function countMatching(
  call: Call<typeof countAuditEntries>,
  db: Db,
  people: People,
): Promise<ReplyOf<typeof countAuditEntries>> {
  return countOf(db, await filterOf(db, call.query, people));
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

/** The message tells what helps: nothing is wrong with the search itself. */
export const searchTooLong = () =>
  refuse(422, "audit.search-too-long", "This search takes too long. Narrow it by a time, an event or a person.");

export type Search = (page: { limit: number; before: string | null }) => Promise<FoundEntry[]>;

/** Finds out once what the filter means; the answer reads pages of it, newest first. */
export async function createSearch(db: Db, query: AuditFilter, people: People): Promise<Search> {
  const filter = await filterOf(db, query, people);
  return async (page) => (isImpossible(filter) ? [] : findTrail(db, filter, page));
}

export async function toAuditLogs(db: Db, found: readonly FoundEntry[], { emailsOf }: People): Promise<AuditLog[]> {
  const emails = await emailsOf(db, actorIdsOf(found));
  return found.map((entry) => toAuditLog(entry, emails));
}

/** So many names a search looks up at the most. */
const MOST_SUBJECTS = 20_000;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

async function filterOf(db: Db, query: AuditFilter, { idsByEmail }: People): Promise<TrailFilter> {
  const filter = toTrailFilter(query);
  const search = query.search ?? query.search_term ?? "";
  if (search === "") return filter;
  if (UUID.test(search)) {
    const id = search.toLowerCase();
    return { ...filter, entryId: id, subjects: { actors: [id], targets: [id], events: [] } };
  }
  const [subjects, ids] = await Promise.all([findSubjects(db, search, MOST_SUBJECTS), idsByEmail(db, search)]);
  if (subjects === null) {
    const many = MOST_SUBJECTS.toLocaleString("en");
    throw refuse(
      400,
      "search.too-broad",
      `More than ${many} people and things are called that. Write more of the name.`,
    );
  }
  const actors = [...new Set([...subjects.actors, ...ids])];
  // A person is the actor of some entries and the thing that others are about.
  const targets = [...new Set([...subjects.targets, ...ids])];
  return { ...filter, subjects: { ...subjects, actors, targets } };
}
