// Test helpers for sign-in and sign-up: attempts, a settable clock, and access to audit entries and metrics.
import { SessionId, login, register } from "@strongroom/contract";
import { decodeJwt } from "jose";
import assert from "node:assert/strict";
import type { Clock } from "#kernel/clock.ts";
import { testApp } from "#testing/test-app.ts";
import type { TestApp, TestAppOptions } from "#testing/test-app.ts";

export const PASSWORD = "a long enough password";
export const SETUP_TOKEN = "test-setup-token-0123";
export const SECOND = 1000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

export interface TestClock extends Clock {
  advance(milliseconds: number): void;
}

/** A clock that only moves when the test advances it. */
export function fixedClock(start = new Date("2026-11-21T09:00:00.000Z")): TestClock {
  let now = start.getTime();
  return {
    now: () => new Date(now),
    advance(milliseconds) {
      now += milliseconds;
    },
  };
}

/** Starts a second server on the same database and keys. Stop it with `stopOnly`. */
export function anotherProcess(app: TestApp, options: TestAppOptions = {}): Promise<TestApp> {
  const { database, dataFolder } = app;
  const shared = { database, connection: database.connection, drop: async () => {} };
  return testApp({ ...options, database: shared, dataFolder });
}

let count = 0;

/** A new address that belongs to no user. */
export const newEmail = (): string => `stranger${(count += 1)}@example.com`;

export interface Attempt {
  password?: string;
  from?: string;
  remember?: boolean;
  headers?: Record<string, string>;
}

export const tryToSignIn = (app: TestApp, email: string, attempt: Attempt = {}) =>
  app.call(login, {
    body: { email, password: attempt.password ?? PASSWORD, remember_me: attempt.remember ?? false },
    from: attempt.from ?? "127.0.0.1",
    ...(attempt.headers === undefined ? {} : { headers: attempt.headers }),
  });

/** Returns the token. */
export async function signedIn(app: TestApp, email: string, attempt: Attempt = {}): Promise<string> {
  const reply = await tryToSignIn(app, email, attempt);
  assert.equal(reply.status, 200, reply.text);
  assert.ok(reply.body.token !== undefined, "a second step is asked for");
  return reply.body.token;
}

export const sessionOf = (token: string): SessionId => SessionId.parse(decodeJwt(token)["sid"]);

export interface SignUp {
  email?: string;
  password?: string;
  role?: string;
  name?: string;
  setup_token?: string;
}

export const trySignUp = (app: TestApp, body: SignUp = {}) =>
  app.call(register, { body: { email: newEmail(), password: PASSWORD, ...body } });

/** The `code` of a refused call. */
export const codeOf = (reply: { body: unknown }): string | undefined => (reply.body as { code?: string }).code;

/** The statuses are sorted, because concurrent calls finish in any order. */
export const statusesOf = (replies: readonly { status: number }[]): number[] =>
  replies.map((reply) => reply.status).toSorted((one, other) => one - other);

/** The number of password hashes this process has computed. */
export async function hashesOf(app: TestApp): Promise<number> {
  const line = /^strongroom_password_hashes_total (\d+)$/m.exec(await app.kernel.metrics.render());
  return Number(line?.[1] ?? "0");
}

/** A problem document without the request id, which differs in every reply. */
export function withoutRequestId(text: string): unknown {
  const { request_id: _different, ...same } = JSON.parse(text) as Record<string, unknown>;
  return same;
}

export interface StoredEntry {
  actor: Record<string, string>;
  target?: Record<string, string>;
  result: string;
  severity?: string;
  reason?: string;
  request?: Record<string, string>;
  details?: Record<string, unknown>;
}

/** The stored audit entries of one event, oldest first. */
export async function entriesOf(app: TestApp, event: string): Promise<StoredEntry[]> {
  const { rows } = await app.database.pool.query<{ text: string }>(
    "select convert_from(canonical, 'UTF8') as text from audit_entries where event = $1 order by at, id",
    [event],
  );
  return rows.map((row) => JSON.parse(row.text) as StoredEntry);
}

/** Resolves when a statement in this test's database waits for another transaction. */
export async function untilSomeoneWaits(app: TestApp): Promise<void> {
  const waiting = "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
  while ((await app.database.pool.query(waiting)).rows.length === 0) await new Promise(setImmediate);
}
