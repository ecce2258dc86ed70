// A log-in to Redis, and what its answers mean: decided by the first word of an error, never by the rest.
import { randomBytes } from "node:crypto";
import type { Attempt } from "../attempt.ts";
import { databaseAddress } from "../connection-string.ts";
import type { Failure, Finding, Target } from "../connector.ts";
import { connectionFailure, dial, nameOf, type Endpoint } from "../dial.ts";
import { misconfigured, rejected, unreachable, verified } from "../finding.ts";
import { startTls } from "../start-tls.ts";
import { mayCarryClearText, tlsSettings, type TlsSettings } from "../tls-settings.ts";
import { askOver, NotRedis, RedisError, type Ask, type Reply } from "./resp.ts";

export interface Login {
  ask: Ask;
  endpoint: Endpoint;
  username: string;
  tls: TlsSettings;
  close(): void;
}

/** The user that a connection is before it says who it is. */
const DEFAULT_USER = "default";

/** Whoever calls closes the connection. */
export async function logIn(
  target: Target,
  password: string,
  current: Attempt,
  maxReceivedBytes?: number,
): Promise<Login | { failure: Failure }> {
  const endpoint = databaseAddress({ ...target, username: target.username || DEFAULT_USER }, ["rediss", "redis"], 6379);
  if ("failure" in endpoint) return endpoint;
  const { username, scheme } = endpoint;
  if (password === "") return refuse("The password is empty.");
  if (/[\s\0]/.test(username)) return refuse("A user name of Redis holds no spaces and no NUL character.");
  const tls = tlsSettings({ ...target, sslEnabled: target.sslEnabled || scheme === "rediss" }, endpoint.tlsMode);
  if ("failure" in tls) return tls;
  if (!mayCarryClearText(tls)) return { failure: insecure(endpoint) };

  const dialled = await dial(endpoint, current, maxReceivedBytes);
  if ("failure" in dialled) return dialled;
  current.waitFor(`${nameOf(endpoint)} to answer the Redis log-in`);
  const secured = await startTls(dialled.stream, tls, endpoint);
  if ("failure" in secured) return secured;
  const close = () => dialled.stream.destroy();
  const login = { ask: askOver(secured.stream), endpoint, username, tls, close };
  const failure = await authenticate(login, password);
  if (failure === null) return login;
  close();
  return { failure };
}

async function authenticate({ ask, endpoint, username }: Login, password: string): Promise<Failure | null> {
  try {
    // A server without a password for everybody answers this before the log-in.
    if (username === DEFAULT_USER && (await ask("PING")) === "PONG") return notChecked(endpoint, username);
    const words = username === DEFAULT_USER ? [password] : [username, password];
    return refusalOf(await ask("AUTH", ...words), endpoint, username);
  } catch (error) {
    return failureOf(error, endpoint);
  }
}

export async function verifyLogin(target: Target, password: string, current: Attempt): Promise<Finding> {
  const login = await logIn(target, password, current);
  if ("failure" in login) return login.failure;
  const { endpoint, username, tls } = login;
  try {
    if (!(await needsPassword(login))) return notChecked(endpoint, username);
    return verified(`Logged in to ${nameOf(endpoint)} as ${username}.`, { tls: { mode: tls.mode } });
  } catch (error) {
    return failureOf(error, endpoint);
  } finally {
    login.close();
  }
}

/** A user with the flag `nopass` gets in with any password. Who may not read the own flags tries one that is wrong for sure. */
async function needsPassword({ ask, username }: Login): Promise<boolean> {
  if (username === DEFAULT_USER) return true;
  const flags = flagsOf(await ask("ACL", "GETUSER", username));
  if (flags !== null) return !flags.includes("nopass");
  return (await ask("AUTH", username, randomBytes(24).toString("hex"))) !== "OK";
}

/** Of the answer to ACL GETUSER: names and values in turn. Null when it is none. */
function flagsOf(reply: Reply): Reply[] | null {
  if (!Array.isArray(reply)) return null;
  const flags = reply[reply.indexOf("flags") + 1];
  return Array.isArray(flags) ? flags : null;
}

/** Null when the log-in was accepted. */
function refusalOf(reply: Reply, endpoint: Endpoint, username: string): Failure | null {
  const where = nameOf(endpoint);
  if (reply === "OK") return null;
  if (!(reply instanceof RedisError)) return protocolError(endpoint);
  switch (reply.code) {
    case "WRONGPASS":
      return rejected(
        "wrong-password",
        `${where} did not accept the password for ${username}: it is wrong, or the user does not exist or is off.`,
      );
    case "LOADING":
    case "BUSY":
    case "MASTERDOWN":
      return unreachable("not-ready", `${where} is busy or still loading its data.`);
    case "DENIED":
      return misconfigured("no-permission", `${where} takes connections of its own machine only (protected mode).`);
    default:
  }
  if (reply.text.startsWith("ERR max number of clients")) {
    return unreachable("too-many-connections", `${where} has no connection left.`);
  }
  // "AUTH <password> called without any password configured for the default user".
  if (reply.text.includes("without any password configured")) return notChecked(endpoint, username);
  return protocolError(endpoint);
}

export function failureOf(error: unknown, endpoint: Endpoint): Failure {
  return error instanceof NotRedis ? protocolError(endpoint) : connectionFailure(error, endpoint);
}

export function protocolError(endpoint: Endpoint): Failure {
  return misconfigured(
    "protocol-error",
    `${nameOf(endpoint)} does not speak the Redis protocol as it should. Is it the right port?`,
  );
}

function notChecked(endpoint: Endpoint, username: string): Failure {
  return misconfigured(
    "password-not-checked",
    `${nameOf(endpoint)} lets ${username} in with any password or none, so the stored one proves nothing.`,
  );
}

function insecure(endpoint: Endpoint): Failure {
  return misconfigured(
    "insecure-authentication",
    `Redis takes the password in clear text, so ${nameOf(endpoint)} gets it only over TLS with a checked certificate. It was not sent: enable SSL/TLS.`,
  );
}

function refuse(message: string): { failure: Failure } {
  return { failure: misconfigured("bad-input", message) };
}
