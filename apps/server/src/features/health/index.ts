// Health for machines and for the note in the sidebar.
import { readHealth, readLiveness, readReadiness } from "@strongroom/contract";
import type { Health } from "@strongroom/contract";
import { sql } from "kysely";
import type { Db } from "#kernel/db/database.ts";
import { implement } from "#kernel/http/implement.ts";
import { refuse } from "#kernel/http/refuse.ts";
import type { Kernel } from "#kernel/kernel.ts";

type Check = Health["checks"][number];

/** A feature's own view of its health: null when all is well, else one plain sentence. */
export type HealthCheck = { name: string; problem: () => Promise<string | null> };

export function installHealth(kernel: Kernel, version: string, checks: readonly HealthCheck[]): void {
  implement(kernel, readHealth, async (_call, db) => {
    const results = await Promise.all([databaseCheck(db), ...checks.map(run)]);
    const failing = results.filter((check) => check.state === "failing");
    const isSealed = kernel.keys.isSealed;
    const status: Health["status"] = isSealed ? "sealed" : failing.length > 0 ? "degraded" : "healthy";
    return {
      status,
      summary: isSealed ? "The vault is sealed" : (failing[0]?.message ?? "All systems operational"),
      version,
      uptime: Math.floor(process.uptime()),
      checks: results,
    };
  });

  implement(kernel, readReadiness, async (_call, db) => {
    if (kernel.keys.isSealed) throw refuse(503, "sealed", "The vault is sealed.");
    const check = await databaseCheck(db);
    if (check.state === "failing") throw refuse(503, "health.not-ready", check.message ?? "Not ready.");
    return { status: "ready" };
  });

  implement(kernel, readLiveness, async () => ({ status: "alive" }));
}

async function databaseCheck(db: Db): Promise<Check> {
  const isThere = await sql`select 1`.execute(db).then(
    () => true,
    () => false,
  );
  return isThere
    ? { name: "database", state: "ok", message: null }
    : { name: "database", state: "failing", message: "The database does not answer" };
}

async function run(check: HealthCheck): Promise<Check> {
  const problem = await check.problem().catch(() => `The check of ${check.name} failed`);
  return { name: check.name, state: problem === null ? "ok" : "failing", message: problem };
}
