// Health for machines: whether the process is alive and ready to serve, and its problems.
import { z } from "zod";
import { endpoint } from "./endpoint.ts";

/** `warning`: everything works, but a person should act before it stops working. */
export const CHECK_STATES = ["ok", "warning", "failing"] as const;
export const Health = z.object({
  /** `degraded` when a check warns or fails. */
  status: z.enum(["healthy", "degraded", "sealed"]),
  /** One plain sentence for people, such as "All systems operational". */
  summary: z.string(),
  version: z.string(),
  /** Seconds since this process started. */
  uptime: z.number().int(),
  checks: z.array(z.object({ name: z.string(), state: z.enum(CHECK_STATES), message: z.string().nullable() })),
});
export type Health = z.infer<typeof Health>;

export const readHealth = endpoint({
  method: "GET",
  path: "/api/v1/health",
  aliases: ["/health"],
  summary: "Health of this process and its dependencies; always 200 while it can answer",
  reply: Health,
  needs: "public",
  audit: "none",
  whileSealed: true,
  ignoresUnknownQuery: true,
});

export const readReadiness = endpoint({
  method: "GET",
  path: "/api/v1/health/ready",
  aliases: ["/health/ready"],
  summary: "200 when this process can serve requests, else 503",
  reply: z.object({ status: z.literal("ready") }),
  needs: "public",
  audit: "none",
  whileSealed: true,
  ignoresUnknownQuery: true,
});

export const readLiveness = endpoint({
  method: "GET",
  path: "/api/v1/health/live",
  aliases: ["/health/live"],
  summary: "200 while the process runs",
  reply: z.object({ status: z.literal("alive") }),
  needs: "public",
  audit: "none",
  whileSealed: true,
  ignoresUnknownQuery: true,
});
