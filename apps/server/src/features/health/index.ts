// Health checks for probes and for the note in the sidebar.
import { readHealth, readLiveness, readReadiness } from "@strongroom/contract";
import type { Health } from "@strongroom/contract";
import { createWriteProbe } from "#kernel/db/write-probe.ts";
import { implement } from "#kernel/http/implement.ts";
import { refuse } from "#kernel/http/refuse.ts";
import type { Kernel } from "#kernel/kernel.ts";
import { withTimeLimit, clockCheck, databaseCheck, diskChecks } from "./own-checks.ts";
import type { Check } from "./own-checks.ts";

export interface HealthCheck {
  name: string;
  /** Null if there is no problem, else one plain sentence. */
  problem: () => Promise<string | null>;
  /** Whether a problem makes the process not ready, so that it gets no requests. */
  isEssential?: true;
}

export interface HealthFeature {
  /** The reply to a probe. Settles within 2.5 seconds. */
  examine(): Promise<Health>;
  stop(): void;
}

export function installHealth(kernel: Kernel, version: string, others: readonly HealthCheck[]): HealthFeature {
  const probe = createWriteProbe(kernel.database, kernel.clock);
  const disks = withTimeLimit(() => diskChecks(kernel.config), DISKS_UNKNOWN);
  const essential = others.filter((check) => check.isEssential === true).map(asked);
  const all = [...essential, ...others.filter((check) => check.isEssential !== true).map(asked)];

  async function examine(): Promise<Health> {
    const [written, rooms, ...rest] = await Promise.all([probe.write(), disks(), ...all.map((check) => check())]);
    const checks = [databaseCheck(written), ...rest, clockCheck(written), ...rooms];
    const worst = checks.find(({ state }) => state === "failing") ?? checks.find(({ state }) => state === "warning");
    const isSealed = kernel.keys.isSealed;
    return {
      status: isSealed ? "sealed" : worst === undefined ? "healthy" : "degraded",
      summary: isSealed ? "The vault is sealed" : (worst?.message ?? "All systems operational"),
      version,
      uptime: Math.floor(process.uptime()),
      checks,
    };
  }

  implement(kernel, readHealth, () => examine());

  implement(kernel, readReadiness, async () => {
    if (kernel.keys.isSealed) throw refuse(503, "sealed", "The vault is sealed.");
    const [written, ...rest] = await Promise.all([probe.write(), ...essential.map((check) => check())]);
    const failing = [databaseCheck(written), ...rest].find((check) => check.state === "failing");
    if (failing === undefined) return { status: "ready" };
    throw refuse(503, "health.not-ready", failing.message ?? "Not ready.", { retryAfter: RETRY_AFTER_SECONDS });
  });

  implement(kernel, readLiveness, async () => ({ status: "alive" }));
  return { examine, stop: () => probe.close() };
}

const RETRY_AFTER_SECONDS = 5;
const DISKS_UNKNOWN: Check[] = [
  { name: "disk of the data folder", state: "failing", message: "The disk of the data folder does not respond" },
];

/** Limits the time of a check: most checks query the database, and may block on the problem they should report. */
function asked({ name, problem }: HealthCheck): () => Promise<Check> {
  return withTimeLimit<Check>(
    async () => {
      const message = await problem().catch(() => `The check of ${name} failed`);
      return { name, state: message === null ? "ok" : "failing", message };
    },
    { name, state: "failing", message: `The check of ${name} took longer than 2 seconds` },
  );
}
