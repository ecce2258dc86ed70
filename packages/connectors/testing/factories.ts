// Targets and contexts for tests: the defaults are those of a careful installation.
import type { Target, VerifyContext } from "../src/connector.ts";
import type { FileSearch } from "../src/file-search.ts";
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

/** Everything, within limits that tests do not reach. */
export function aFileSearch(search: Partial<FileSearch>): FileSearch {
  return {
    roots: [],
    names: [],
    excludes: [],
    maxFileSize: 1_000_000,
    maxTotalBytes: 10_000_000,
    maxFiles: 1_000,
    maxLoadPerCore: null,
    history: true,
    known: [],
    ...search,
  };
}
