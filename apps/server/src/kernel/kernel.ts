// The kernel that every feature receives: database, clock, keys, log, and the parts for binding calls.
import type { KeyRing } from "@strongroom/keys";
import type { FastifyInstance } from "fastify";
import type { Authority } from "./authz/authorise.ts";
import type { Authenticator } from "./http/authenticate.ts";
import type { RateLimits } from "./http/rate-limits.ts";
import type { Clock } from "./clock.ts";
import type { Config } from "./config.ts";
import type { Database } from "./db/database.ts";
import type { Events } from "./events/events.ts";
import type { Jobs } from "./jobs/jobs.ts";
import type { Log } from "./log.ts";
import type { Metrics } from "./metrics.ts";

export interface Kernel {
  config: Config;
  log: Log;
  clock: Clock;
  database: Database;
  keys: KeyRing;
  events: Events;
  jobs: Jobs;
  metrics: Metrics;
  http: FastifyInstance;
  authority: Authority;
  rateLimits: RateLimits;
  /** Set once by the sign-in feature. Until then, every caller is anonymous. */
  authenticator: { current: Authenticator };
  /** The URL that browsers use, for links. Known once the server listens. */
  publicUrl(): string;
}

/** The parts that exist even in a process without HTTP, such as a session gateway. */
export type ProcessKernel = Pick<Kernel, "config" | "log" | "clock" | "database" | "keys" | "events" | "jobs">;
