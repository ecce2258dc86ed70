// Database queries for the names of users, targets, hosts and events, by which a search finds entries (decision 0016).
import { sql } from "kysely";
import { containing } from "#kernel/db/containing.ts";
import type { Db, Tx } from "#kernel/db/database.ts";
import type { Subjects } from "./trail-filter.ts";

declare module "#kernel/db/tables.ts" {
  interface Tables {
    audit_names: NamedSubject;
  }
}

export interface NamedSubject {
  kind: "actor" | "target" | "event";
  subject: string;
  /** In lower case. */
  name: string;
}

/** Names that are already stored stay unchanged. */
export async function insertNames(tx: Tx, names: readonly NamedSubject[]): Promise<void> {
  if (names.length === 0) return;
  await sql`
    insert into audit_names (kind, subject, name)
    select * from unnest(
      ${names.map(({ kind }) => kind)}::text[],
      ${names.map(({ subject }) => subject)}::text[],
      ${names.map(({ name }) => name)}::text[]
    ) on conflict do nothing`.execute(tx);
}

/** The subjects whose names contain the text; null if there are more than `most`. */
export async function findSubjects(db: Db, text: string, most: number): Promise<Subjects | null> {
  const { rows } = await sql<Pick<NamedSubject, "kind" | "subject">>`
    select distinct kind, subject from audit_names where name like ${containing(text.toLowerCase())}
    limit ${most + 1}`.execute(db);
  if (rows.length > most) return null;
  const of = (kind: NamedSubject["kind"]) => rows.filter((row) => row.kind === kind).map(({ subject }) => subject);
  return { actors: of("actor"), targets: of("target"), events: of("event") };
}

/** The given names that are not stored. */
export async function missingNames(db: Db, names: readonly NamedSubject[]): Promise<NamedSubject[]> {
  if (names.length === 0) return [];
  const { rows } = await sql<NamedSubject>`
    select asked.* from unnest(
      ${names.map(({ kind }) => kind)}::text[],
      ${names.map(({ subject }) => subject)}::text[],
      ${names.map(({ name }) => name)}::text[]
    ) asked (kind, subject, name)
    where not exists (
      select from audit_names known
      where known.kind = asked.kind and known.subject = asked.subject and known.name = asked.name
    )`.execute(db);
  return rows;
}
