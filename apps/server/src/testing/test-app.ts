// The complete server on a separate database, called over HTTP, for tests.
import { pathOf } from "@strongroom/contract";
import type { Endpoint, InputOf, ReplyOf } from "@strongroom/contract";
import type { InjectOptions } from "fastify";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import type { HashParameters } from "#features/sign-in/index.ts";
import type { Clock } from "#kernel/clock.ts";
import { readConfig } from "#kernel/config.ts";
import type { Config } from "#kernel/config.ts";
import type { Embedded } from "#kernel/embedded/embedded.ts";
import { testDatabase } from "#kernel/testing/test-database.ts";
import { compose } from "../compose.ts";

export interface Reply<Body> {
  status: number;
  /** For a refused call, the problem details; check `status` first. */
  body: Body;
  text: string;
  headers: Record<string, string | string[] | number | undefined>;
}

export interface CallOptions<E extends Endpoint> extends InputOf<E> {
  /** A token, as `signIn` returns it. */
  as?: string | undefined;
  headers?: Record<string, string>;
  /** The client's address. */
  from?: string;
}

/** The cost of a password hash in tests, unless they specify another. */
export const CHEAP_HASHING: HashParameters = { memoryKiB: 1024, passes: 1, lanes: 1 };

export type TestApp = Awaited<ReturnType<typeof testApp>>;

export interface TestAppOptions {
  config?: Partial<Config>;
  clock?: Clock;
  /** Reuses a database, to simulate a second process or a restart. */
  database?: Awaited<ReturnType<typeof testDatabase>>;
  dataFolder?: string;
  /** The database server for backups. */
  embedded?: Pick<Embedded, "administration">;
  /** Cost of a password hash; by default argon2id at a low cost for tests. */
  hashing?: HashParameters;
}

/** Starts everything but the listening socket. Rate limits are off unless the options say otherwise. */
export async function testApp(options: TestAppOptions = {}) {
  const dataFolder = options.dataFolder ?? mkdtempSync(join(tmpdir(), "strongroom-test-"));
  const own = options.database ?? (await testDatabase());
  const logLines: string[] = [];
  const log = pino({ level: "debug" }, { write: (line: string) => void logLines.push(line) });
  const config: Config = {
    ...readConfig({
      STRONGROOM_DATA: dataFolder,
      STRONGROOM_SETUP_TOKEN: "test-setup-token-0123",
      STRONGROOM_RATE_LIMIT: "0",
      STRONGROOM_SSH_PORT: "0",
    }),
    allowLoopbackTargets: true,
    ...options.config,
  };
  const app = await compose({
    config,
    log,
    database: own.database,
    webFolder: null,
    ...(options.embedded === undefined ? {} : { embedded: options.embedded }),
    hashing: options.hashing ?? CHEAP_HASHING,
    ...(options.clock === undefined ? {} : { clock: options.clock }),
  });
  await app.start();
  await app.http.ready();

  async function call<E extends Endpoint>(endpoint: E, given: CallOptions<E> = {}): Promise<Reply<ReplyOf<E>>> {
    const url = pathOf(endpoint.path, given.params as Record<string, unknown>);
    const query = Object.entries((given.query ?? {}) as Record<string, unknown>).filter(
      ([, value]) => value !== undefined,
    );
    const search = new URLSearchParams(
      query.map(([name, value]) => [name, String(value)] as [string, string]),
    ).toString();
    const request: InjectOptions = {
      method: endpoint.method,
      url: search === "" ? url : `${url}?${search}`,
      headers: {
        ...(given.body === undefined ? {} : { "content-type": "application/json" }),
        ...(given.as === undefined ? {} : { authorization: `Bearer ${given.as}` }),
        ...given.headers,
      },
      ...(given.body === undefined ? {} : { payload: JSON.stringify(given.body) }),
      remoteAddress: given.from ?? "127.0.0.1",
    };
    const answer = await app.http.inject(request);
    const isJson = String(answer.headers["content-type"]).includes("json;") || answer.body.startsWith("{");
    return {
      status: answer.statusCode,
      body: (isJson && !String(answer.headers["content-type"]).includes("jsonl")
        ? JSON.parse(answer.body)
        : answer.body) as ReplyOf<E>,
      text: answer.body,
      headers: answer.headers,
    };
  }

  return {
    ...app,
    config,
    call,
    database: own.database,
    dataFolder,
    /** All log lines. */
    logLines,
    /** Stops the server and keeps the database and the data folder, for a restart on them. */
    async stopOnly() {
      await app.stop();
      return { database: own, dataFolder };
    },
    async close() {
      await app.stop();
      await own.drop();
      rmSync(dataFolder, { recursive: true, force: true });
    },
  };
}
