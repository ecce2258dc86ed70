// A real server with an administrator and credentials, for benchmarks.
import { setTimeout as delay } from "node:timers/promises";
import { startServer } from "../../e2e/testing/server.ts";
import type { RunningServer } from "../../e2e/testing/server.ts";

const PASSWORD = "a long enough password";
const EMAIL = "bench@example.com";

export interface BenchServer extends RunningServer {
  pid: number;
  token: string;
  request(method: string, path: string, body?: unknown): Promise<any>;
}

export async function startBenchServer(env: Record<string, string> = {}, folder?: string): Promise<BenchServer> {
  const server = await startServer(
    { STRONGROOM_SETUP_TOKEN: "bench-setup-token-0123", STRONGROOM_LOG_LEVEL: "warn", ...env },
    folder,
  );
  const send = async (method: string, path: string, body: unknown, token?: string) => {
    const answer = await fetch(`${server.url}${path}`, {
      method,
      headers: {
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text.slice(0, 300)}`);
    return JSON.parse(text);
  };
  if (server.setupLink !== null) {
    await send("POST", "/api/v1/auth/register", {
      email: EMAIL,
      password: PASSWORD,
      setup_token: "bench-setup-token-0123",
      sign_up: { sign_up: "open", sign_up_domains: [] },
    });
  }
  const { token } = await send("POST", "/api/v1/auth/login", { email: EMAIL, password: PASSWORD });
  return {
    ...server,
    pid: server.process.pid!,
    token,
    request: (method, path, body) => send(method, path, body, token),
  };
}

/** Creates `count` credentials through the API and returns their ids. */
export function addCredentials(server: BenchServer, count: number): Promise<string[]> {
  return storeCredentials(server, count, (index) => ({
    name: `database ${index}`,
    type: "application",
    username: `user_${index}`,
    value: `secret ${index} ${"x".repeat(16)}`,
  }));
}

/** Like `addCredentials`, with these bodies. */
export async function storeCredentials(
  server: BenchServer,
  count: number,
  bodyOf: (index: number) => object,
): Promise<string[]> {
  const ids: string[] = [];
  const add = async (index: number) => {
    ids[index] = (await server.request("POST", "/api/v1/credentials", bodyOf(index))).id;
  };
  for (let begin = 0; begin < count; begin += 32) {
    await Promise.all(Array.from({ length: Math.min(32, count - begin) }, (_, place) => add(begin + place)));
  }
  return ids;
}

/** Waits for a verification run and returns its duration in seconds. Rejects if a verification failed. */
export const untilEnded = (server: BenchServer, { run_id: id }: { run_id: string }): Promise<number> =>
  untilDone(server, `/api/v1/verification/runs/${id}`, "verified");

/** Like `untilEnded`, for a rotation run. */
export const untilRotated = (server: BenchServer, { run_id: id }: { run_id: string }): Promise<number> =>
  untilDone(server, `/api/v1/rotations/runs/${id}`, "rotated");

async function untilDone(server: BenchServer, path: string, good: "verified" | "rotated"): Promise<number> {
  for (;;) {
    const run = await server.request("GET", path);
    if (run.status === "running") {
      await delay(200);
      continue;
    }
    if (run[good] !== run.total) throw new Error(`${run.total - run[good]} of ${run.total} were not ${good}`);
    return (Date.parse(run.completed_at) - Date.parse(run.started_at)) / 1000;
  }
}
