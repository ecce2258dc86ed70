// What every feature is handed: the database, the clock, the keys, the log, and the way to bind calls.
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
  /** Set once by the feature that knows sessions; until then nobody is signed in. */
  authenticator: { current: Authenticator };
  /** How browsers reach this server, for links. Known once it listens. */
  publicUrl(): string;
}
