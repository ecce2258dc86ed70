// Targets and contexts for tests: the defaults are those of a careful installation.
import type { Target, VerifyContext } from "../src/connector.ts";
import { networkPolicy } from "../src/network-policy.ts";

export function aTarget(target: Partial<Target>): Target {
  return {
    type: "password",
    host: null,
    port: null,
    username: null,
    databaseName: null,
    schemaName: null,
    connectionString: null,
    sslEnabled: false,
    additionalParams: {},
    knownHostKey: null,
    ...target,
  };
}

/** Loopback is allowed, because that is where test targets are. */
export function aContext(context: Partial<VerifyContext> = {}): VerifyContext {
  return {
    timeoutMs: 20_000,
    signal: new AbortController().signal,
    network: networkPolicy({ allowLoopback: true }),
    now: () => new Date(),
    ...context,
  };
}
