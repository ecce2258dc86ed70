// Health for machines and for the note in the sidebar.
import { readHealth, readLiveness, readReadiness } from "@strongroom/contract";
import type { Health } from "@strongroom/contract";
import { sql } from "kysely";
import type { Db } from "#kernel/db/database.ts";
import { implement } from "#kernel/http/implement.ts";
import { refuse } from "#kernel/http/refuse.ts";
import type { Kernel } from "#kernel/kernel.ts";

type Check = Health["checks"][number];

export interface HealthCheck {
  name: string;
  /** Null when all is well, else one plain sentence. */
  problem: () => Promise<string | null>;
  /** With a problem here this process should be asked nothing: it is not ready. */
  isEssential?: true;
}

export interface HealthFeature {
  /** What a probe is told. */
  examine(db: Db): Promise<Health>;
}

export function installHealth(kernel: Kernel, version: string, checks: readonly HealthCheck[]): HealthFeature {
  async function examine(db: Db): Promise<Health> {
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
  }

  implement(kernel, readHealth, (_call, db) => examine(db));

  implement(kernel, readReadiness, async (_call, db) => {
    if (kernel.keys.isSealed) throw refuse(503, "sealed", "The vault is sealed.");
    const essential = checks.filter((check) => check.isEssential === true);
    const results = await Promise.all([databaseCheck(db), ...essential.map(run)]);
    const failing = results.find((check) => check.state === "failing");
    if (failing !== undefined) throw refuse(503, "health.not-ready", failing.message ?? "Not ready.");
    return { status: "ready" };
  });

  implement(kernel, readLiveness, async () => ({ status: "alive" }));
  return { examine };
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
