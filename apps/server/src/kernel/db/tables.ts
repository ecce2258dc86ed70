// Types of the database's tables. Each feature adds its own.
import type { ColumnType, Generated, JSONColumnType } from "kysely";
import type { Audience } from "#kernel/events/audience.ts";

/** A `timestamptz`: read as a `Date`, written as a `Date` or as ISO 8601 text, and filled in by the database if omitted. */
export type DefaultedTime = ColumnType<Date, Date | string | undefined, Date | string>;

/** Any JSON value, written as text from `JSON.stringify`. */
export type JsonColumn<T extends object | null = object> = JSONColumnType<T>;

export interface SettingsTable {
  name: string;
  value: ColumnType<unknown, string, string>;
  changed_at: DefaultedTime;
}

export interface EventsTable {
  transaction_id: Generated<string>;
  id: Generated<number>;
  type: string;
  audience: ColumnType<Audience, string, string>;
  data: ColumnType<Record<string, unknown>, string, string>;
  occurred_at: DefaultedTime;
}

export type JobState = "queued" | "running" | "completed" | "failed" | "cancelled";

export interface JobRunsTable {
  id: string;
  name: string;
  state: Generated<JobState>;
  done: Generated<number>;
  total: number | null;
  cancel_requested_at: Date | null;
  created_at: DefaultedTime;
  started_at: Date | null;
  ended_at: Date | null;
}

/**
 * Features extend this interface: `declare module "#kernel/db/tables.ts" { interface Tables { credentials: CredentialsTable } }`.
 */
export interface Tables {
  settings: SettingsTable;
  events: EventsTable;
  job_runs: JobRunsTable;
}
