// A session on a Unix host: logs in as the entry's user or as another account.
import type { Client } from "ssh2";
import type { Attempt } from "../attempt.ts";
import { MAX_RECEIVED_BYTES } from "../bounded-stream.ts";
import type { Failure, ReconcileLogin, Target } from "../connector.ts";
import { dial, nameOf, type Endpoint } from "../dial.ts";
import { misconfigured } from "../finding.ts";
import { logIn, type LoggedIn } from "./login.ts";
import { loginSecret, type LoginSecret } from "./login-secret.ts";
import type { Renewal } from "./password-prompts.ts";

export interface Session {
  client: Client;
  login: LoggedIn;
  endpoint: Endpoint;
  /** `host:port`, for messages. */
  where: string;
  username: string;
  secret: LoginSecret;
}

export interface SessionOptions {
  maxReceivedBytes?: number;
  /** Answers a server that asks for a new password during the login. */
  renewal?: Renewal;
}

/** Opens the stored secret, dials and logs in. The session ends with the attempt. */
export async function openSession(
  target: Target,
  value: string,
  current: Attempt,
  { maxReceivedBytes = MAX_RECEIVED_BYTES, renewal }: SessionOptions = {},
): Promise<{ session: Session } | { failure: Failure }> {
  const { host, username } = target;
  if (!host) return { failure: misconfigured("bad-input", "The host is missing.") };
  if (!username) return { failure: misconfigured("bad-input", "The user name is missing.") };
  const secret = await loginSecret(value, target.type === "ssh", current.signal);
  if ("failure" in secret) return secret;

  const endpoint = { host, port: target.port ?? 22 };
  const dialled = await dial(endpoint, current, maxReceivedBytes);
  if ("failure" in dialled) return dialled;

  const where = nameOf(endpoint);
  current.waitFor(`${where} to answer the SSH login`);
  const pinned = target.knownHostKey ?? null;
  const login = await logIn(dialled.stream, { endpoint, username, secret, pinned, renewal: renewal ?? null });
  if ("failure" in login) return login;
  return { session: { client: login.loggedIn.client, login: login.loggedIn, endpoint, where, username, secret } };
}

/** Like `openSession`, for the platform's reconcile account at the target's own address. */
export function openSessionBy(target: Target, by: ReconcileLogin, current: Attempt) {
  // Whatever kind of secret the entry has, the reconcile account has a password or a key.
  return openSession({ ...target, type: "server", username: by.username }, by.secret.reveal(), current);
}
