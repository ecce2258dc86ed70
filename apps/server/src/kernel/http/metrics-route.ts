// `/metrics`, for a collector on this machine or one that holds the metrics token.
import { timingSafeEqual } from "node:crypto";
import type { FastifyInstance } from "fastify";
import type { Config } from "../config.ts";
import type { Metrics } from "../metrics.ts";
import { clientAddress } from "./client-address.ts";
import { refuse } from "./refuse.ts";

const LOOPBACK = new Set(["127.0.0.1", "::1"]);

export function serveMetrics(http: FastifyInstance, config: Config, metrics: Metrics): void {
  http.get("/metrics", async (request, reply) => {
    // A client behind a proxy always has a forwarded address, so a loopback address really means this machine.
    const isLocal = LOOPBACK.has(clientAddress(request)) && request.headers["x-forwarded-for"] === undefined;
    if (!isLocal && !holdsToken(request.headers.authorization, config.metricsToken)) {
      throw refuse(404, "endpoint.not-found", "No such endpoint.");
    }
    return reply.type("text/plain; version=0.0.4; charset=utf-8").send(await metrics.render());
  });
}

function holdsToken(header: string | undefined, token: string | null): boolean {
  if (token === null || header === undefined) return false;
  const given = Buffer.from(header);
  const wanted = Buffer.from(`Bearer ${token}`);
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}
