// The audit feature on a real database with real keys and a real HTTP server. The token identifies the signed-in user.
import { exportAudit, pathOf } from "@strongroom/contract";
import type { Endpoint, InputOf, ReplyOf, Role, SessionId, UserId } from "@strongroom/contract";
import { sql } from "kysely";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import { appendAudit } from "#kernel/audit/append.ts";
import { systemEntry } from "#kernel/audit/entry.ts";
import type { AuditNote } from "#kernel/audit/entry.ts";
import { createAuthority } from "#kernel/authz/authorise.ts";
import { readConfig } from "#kernel/config.ts";
import { createEvents } from "#kernel/events/events.ts";
import { installRateLimits } from "#kernel/http/rate-limits.ts";
import { createHttpServer } from "#kernel/http/server.ts";
import { newId } from "#kernel/id.ts";
import { createJobs } from "#kernel/jobs/jobs.ts";
import type { Kernel } from "#kernel/kernel.ts";
import { openKeyRing } from "#kernel/keys/open-key-ring.ts";
import { createMetrics } from "#kernel/metrics.ts";
import { testDatabase } from "#kernel/testing/test-database.ts";
import type { TestDatabase } from "#kernel/testing/test-database.ts";
import { installAudit } from "#features/audit/index.ts";
import { notifyOf } from "#features/notifications/notify.ts";

export const ADA = { id: "0190c0de-0000-7000-8000-0000000000ad" as UserId, name: "Ada", email: "ada@example.com" };

export interface AuditedOptions {
  /** Reuses the database of another process, or of the one before a restart. */
  test?: TestDatabase;
  dataFolder?: string;
}

export type Audited = Awaited<ReturnType<typeof audited>>;

export async function audited(options: AuditedOptions = {}) {
  const dataFolder = options.dataFolder ?? mkdtempSync(join(tmpdir(), "strongroom-audit-"));
  const test = options.test ?? (await testDatabase());
  const { database } = test;
  const logLines: string[] = [];
  const log = pino({ level: "info" }, { write: (line: string) => void logLines.push(line) });
  const config = readConfig({ STRONGROOM_DATA: dataFolder, STRONGROOM_RATE_LIMIT: "0" });
  const metrics = createMetrics();
  const http = await createHttpServer(config, log, metrics);
  const keyRing = await openKeyRing(config, database, log);
  let now = new Date("2026-11-21T09:00:00.000Z");
  const kernel: Kernel = {
    config,
    log,
    clock: { now: () => now },
    database,
    keys: keyRing.ring,
    events: createEvents(database, log),
    jobs: createJobs(database, log),
    metrics,
    http,
    authority: createAuthority(),
    rateLimits: await installRateLimits(http, config.rateLimit),
    authenticator: {
      current: async ({ bearer }) =>
        bearer === null
          ? null
          : {
              ...ADA,
              role: bearer as Role,
              sessionId: newId() as SessionId,
              provedUntil: new Date("2100-01-01T00:00:00Z"),
              isPending: false,
              closure: null,
              token: null,
            },
    },
    publicUrl: () => "http://localhost",
  };
  const audit = installAudit(
    kernel,
    {
      emailsOf: async (_db, ids) => new Map(ids.includes(ADA.id) ? [[ADA.id, ADA.email]] : []),
      idsByEmail: async (_db, text) => (ADA.email.includes(text) ? [ADA.id] : []),
      requestsAbout: async () => [],
      sessionsAbout: async () => [],
    },
    { notify: notifyOf(kernel), views: { findView: async () => null, keepView: async () => null } },
  );

  return {
    kernel,
    audit,
    test,
    database,
    dataFolder,
    logLines,
    checkpointPath: join(dataFolder, "audit", "checkpoint"),
    at: (time: string) => void (now = new Date(time)),

    /** Records entries in one transaction; returns their ids. */
    async record(count = 1, note: AuditNote = {}, event = "credential.revealed"): Promise<string[]> {
      const entries = Array.from({ length: count }, (_, i) =>
        systemEntry(event, "rotation", { details: { number: i }, ...note }, now),
      );
      await database.transaction((tx) => appendAudit(tx, entries));
      return entries.map(({ id }) => id);
    },

    /** Records and sequences, so that there is a checkpoint after each of these numbers of entries. */
    async recordInBatches(...counts: number[]): Promise<void> {
      for (const count of counts) {
        await this.record(count);
        await audit.sequence();
      }
    },

    /** Writes to the tables like an attacker with the database's password, bypassing the triggers. */
    async spoil(...statements: string[]): Promise<void> {
      const tables = ["audit_entries", "audit_leaves", "audit_nodes"];
      await database.transaction(async (tx) => {
        for (const table of tables) await sql.raw(`alter table ${table} disable trigger user`).execute(tx);
        for (const statement of statements) await sql.raw(statement).execute(tx);
        for (const table of tables) await sql.raw(`alter table ${table} enable trigger user`).execute(tx);
      });
    },

    /** The result of a full check. */
    async said(): Promise<string[]> {
      const { findings } = await audit.verify();
      return findings.map(({ kind, index, message }) => `${kind} ${index ?? "-"}: ${message}`);
    },

    async call<E extends Endpoint>(endpoint: E, given: InputOf<E> & { as?: Role } = {}) {
      const search = new URLSearchParams(Object.entries(given.query ?? {})).toString();
      const url = pathOf(endpoint.path, given.params as Record<string, unknown>);
      const answer = await http.inject({
        method: endpoint.method,
        url: search === "" ? url : `${url}?${search}`,
        headers: given.as === undefined ? {} : { authorization: `Bearer ${given.as}` },
      });
      const isJson = /application\/(problem\+)?json;/.test(String(answer.headers["content-type"]));
      const body = (isJson ? JSON.parse(answer.body) : null) as ReplyOf<E>;
      return { status: answer.statusCode, text: answer.body, headers: answer.headers, body };
    },

    /** The lines of a complete export. */
    async exported(): Promise<string[]> {
      const { text } = await this.call(exportAudit, { as: "admin" });
      return text.trimEnd().split("\n");
    },

    async close(): Promise<void> {
      await audit.stop();
      await http.close();
      await test.drop();
      rmSync(dataFolder, { recursive: true, force: true });
    },
  };
}

/** Stops this process and starts another one on the same database and folder. */
export async function restarted(trail: Audited): Promise<Audited> {
  await trail.audit.stop();
  await trail.kernel.http.close();
  return audited({ test: trail.test, dataFolder: trail.dataFolder });
}
