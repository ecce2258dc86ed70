// A real server on its own data folder, with an administrator, and the commands that work on the same folder.
import {
  completePasswordReset,
  createCredential,
  login,
  pathOf,
  register,
  revealCredential,
} from "@strongroom/contract";
import type { CredentialId, Endpoint, InputOf, ReplyOf } from "@strongroom/contract";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startServer } from "../../../e2e/testing/server.ts";
import type { RunningServer } from "../../../e2e/testing/server.ts";
import { strongroom } from "./strongroom.ts";
import type { RunResult, RunOptions } from "./strongroom.ts";

export const ADMIN = { email: "admin@example.com", password: "a long enough password" };
const SETUP_TOKEN = "test-setup-token-0123";

export interface Answer<E extends Endpoint> {
  status: number;
  /** For a refused call, the problem details; check `status` first. */
  body: ReplyOf<E>;
}

export async function call<E extends Endpoint>(
  { url }: { url: string },
  endpoint: E,
  { params, body, as }: InputOf<E> & { as?: string } = {},
): Promise<Answer<E>> {
  const answer = await fetch(new URL(pathOf(endpoint.path, params as Record<string, unknown>), url), {
    method: endpoint.method,
    headers: {
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...(as === undefined ? {} : { authorization: `Bearer ${as}` }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: answer.status, body: (await answer.json()) as ReplyOf<E> };
}

export async function signIn(server: { url: string }, person: { email: string; password: string }): Promise<string> {
  const { status, body } = await call(server, login, { body: person });
  if (status !== 200 || body.token === undefined) throw new Error(JSON.stringify(body));
  return body.token;
}

/** Sets the password with a link, as its recipient does. */
export async function useResetLink(server: { url: string }, link: string, password: string): Promise<number> {
  const token = decodeURIComponent(new URL(link).hash.replace("#token=", ""));
  return (await call(server, completePasswordReset, { body: { token, password } })).status;
}

export async function storeSecret(server: { url: string }, as: string, value: string): Promise<CredentialId> {
  const { status, body } = await call(server, createCredential, {
    as,
    body: { name: "Billing database", type: "password", username: "billing", value },
  });
  if (status !== 201) throw new Error(JSON.stringify(body));
  return body.id;
}

export async function reveal(server: { url: string }, as: string, id: CredentialId): Promise<string> {
  const { status, body } = await call(server, revealCredential, { as, params: { id }, body: {} });
  if (status !== 200) throw new Error(JSON.stringify(body));
  return body.value;
}

export interface Installation {
  /** Contains the data folder. Tests may put other files into it. */
  folder: string;
  dataFolder: string;
  /** Starts the server on this data folder. Can be called repeatedly. */
  start(env?: Record<string, string>): Promise<RunningServer>;
  /** Creates the first administrator and returns their token. */
  setUp(server: { url: string }): Promise<string>;
  /** Runs a command in the server's environment. */
  run(words: readonly string[], options?: RunOptions): Promise<RunResult>;
  remove(): Promise<void>;
}

/** A Strongroom installation. The variables in `forCommands` are set for commands, but not for the server. */
export function anInstallation(forCommands: Record<string, string> = {}): Installation {
  const folder = mkdtempSync(join(tmpdir(), "strongroom-cli-"));
  // The database's server may run as a different user than the tests.
  chmodSync(folder, 0o755);
  const dataFolder = join(folder, "data");
  const common = { STRONGROOM_DATA: dataFolder, STRONGROOM_SETUP_TOKEN: SETUP_TOKEN };
  const servers: RunningServer[] = [];
  return {
    folder,
    dataFolder,
    async start(more = {}) {
      const server = await startServer({ ...common, ...more }, dataFolder);
      servers.push(server);
      return server;
    },
    async setUp(server) {
      const { status, body } = await call(server, register, { body: { ...ADMIN, setup_token: SETUP_TOKEN } });
      if (status !== 201) throw new Error(JSON.stringify(body));
      return signIn(server, ADMIN);
    },
    run: (words, options = {}) => strongroom(words, { ...options, env: { ...common, ...forCommands, ...options.env } }),
    async remove() {
      for (const server of servers) await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
