// Limits the calls per minute of each client and each user, per process.
import rateLimit from "@fastify/rate-limit";
import type { Endpoint } from "@strongroom/contract";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { isIPv6 } from "node:net";
import { plainAddress } from "./client-address.ts";
import { refuse } from "./refuse.ts";

export interface RateLimits {
  /** Throws a 429 refusal with `retryAfter` if the address has made too many calls. */
  countClient(request: FastifyRequest): Promise<void>;
  /** Counts sessions per user, and each API token separately. */
  countAccount(request: FastifyRequest, id: string): Promise<void>;
  /** For calls that have a separate limit per user. */
  countPerson(request: FastifyRequest, endpoint: Endpoint, id: string): Promise<void>;
  /** For expensive calls that need no sign-in: sign-in, registration, password reset, unseal. */
  countVisitor(request: FastifyRequest): Promise<void>;
}

/** IPv6 clients own at least a /64, so each /64 is counted as one client. */
export function clientKey(address: string): string {
  const ip = plainAddress(address);
  if (!isIPv6(ip)) return ip;
  const [head = "", tail] = ip.split("::");
  const groups = head.split(":").filter((group) => group !== "");
  if (tail === undefined || groups.length >= 4) return groups.slice(0, 4).join(":");
  const after = tail.split(":").filter((group) => group !== "");
  const zeros = Array<string>(Math.max(0, 8 - groups.length - after.length)).fill("0");
  return [...groups, ...zeros, ...after].slice(0, 4).join(":");
}

/** Calls without sign-in that one client may make per minute. */
export const visitorsPerMinute = (perMinute: number): number => Math.max(5, Math.ceil(perMinute / 20));

const accounts = new WeakMap<FastifyRequest, string>();

/** Registers the limiter. `perMinute` 0 turns it off. */
export async function installRateLimits(http: FastifyInstance, perMinute: number): Promise<RateLimits> {
  const off = async () => {};
  if (perMinute === 0) return { countClient: off, countAccount: off, countPerson: off, countVisitor: off };
  await http.register(rateLimit, { global: false });
  const limiter = (max: number, keyGenerator: (request: FastifyRequest) => string) => {
    const check = http.createRateLimit({ max, timeWindow: 60_000, keyGenerator });
    return async (request: FastifyRequest) => {
      const state = await check(request);
      if (state.isAllowed || !state.isExceeded) return;
      throw refuse(429, "request.too-many", `Rate limit exceeded. Retry in ${state.ttlInSeconds} seconds.`, {
        retryAfter: Math.max(1, state.ttlInSeconds),
      });
    };
  };
  const client = limiter(perMinute, (request) => `c:${clientKey(request.ip)}`);
  const visitor = limiter(visitorsPerMinute(perMinute), (request) => `v:${clientKey(request.ip)}`);
  const account = limiter(perMinute, (request) => `a:${accounts.get(request) ?? ""}`);
  const ofCalls = new Map<string, (request: FastifyRequest) => Promise<void>>();
  return {
    countClient: client,
    countVisitor: visitor,
    async countPerson(request, { path, perMinute: most }, id) {
      if (most === undefined) return;
      accounts.set(request, id);
      const count = ofCalls.get(path) ?? limiter(most, (each) => `p:${path}:${accounts.get(each) ?? ""}`);
      ofCalls.set(path, count);
      await count(request);
    },
    async countAccount(request, id) {
      accounts.set(request, id);
      await account(request);
    },
  };
}
