// Logs in to Redis and interprets its answers by the first word of an error, never by the rest.
import { randomBytes } from "node:crypto";
import type { Attempt } from "../attempt.ts";
import { databaseAddress } from "../connection-string.ts";
import type { Failure, Finding, Target } from "../connector.ts";
import { connectionFailure, dial, nameOf, type Endpoint } from "../dial.ts";
import { misconfigured, rejected, unreachable, verified } from "../finding.ts";
import { startTls } from "../start-tls.ts";
import { mayCarryClearText, tlsSettings, type TlsSettings } from "../tls-settings.ts";
import { askOver, NotRedis, RedisError, type Ask, type Reply } from "./resp.ts";

export interface RedisSession {
  ask: Ask;
  endpoint: Endpoint;
  username: string;
  tls: TlsSettings;
  close(): void;
}

/** The user of a connection that has not authenticated. */
const DEFAULT_USER = "default";

/** The caller closes the connection. */
export async function logIn(
  target: Target,
  password: string,
  current: Attempt,
  maxReceivedBytes?: number,
): Promise<RedisSession | { failure: Failure }> {
  const endpoint = databaseAddress({ ...target, username: target.username || DEFAULT_USER }, ["rediss", "redis"], 6379);
  if ("failure" in endpoint) return endpoint;
  const { username, scheme } = endpoint;
  if (password === "") return refuse("The password is empty.");
  if (/[\s\0]/.test(username)) return refuse("A Redis user name cannot contain spaces or a NUL character.");
  const tls = tlsSettings({ ...target, sslEnabled: target.sslEnabled || scheme === "rediss" }, endpoint.tlsMode);
  if ("failure" in tls) return tls;
  if (!mayCarryClearText(tls)) return { failure: insecure(endpoint) };

  const dialled = await dial(endpoint, current, maxReceivedBytes);
  if ("failure" in dialled) return dialled;
  current.waitFor(`${nameOf(endpoint)} to answer the Redis login`);
  const secured = await startTls(dialled.stream, tls, endpoint);
  if ("failure" in secured) return secured;
  const close = () => dialled.stream.destroy();
  const login = { ask: askOver(secured.stream), endpoint, username, tls, close };
  const failure = await authenticate(login, password);
  if (failure === null) return login;
  close();
  return { failure };
}

async function authenticate({ ask, endpoint, username }: RedisSession, password: string): Promise<Failure | null> {
  try {
    // A server whose default user has no password answers PING before the login.
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

/**
 * A user with the flag `nopass` gets in with any password. A user without permission to read its flags tries a
 * certainly wrong one.
 */
async function needsPassword({ ask, username }: RedisSession): Promise<boolean> {
  if (username === DEFAULT_USER) return true;
  const flags = flagsOf(await ask("ACL", "GETUSER", username));
  if (flags !== null) return !flags.includes("nopass");
  return (await ask("AUTH", username, randomBytes(24).toString("hex"))) !== "OK";
}

/** The flags in the answer to ACL GETUSER, which alternates names and values. Null for any other answer. */
function flagsOf(reply: Reply): Reply[] | null {
  if (!Array.isArray(reply)) return null;
  const flags = reply[reply.indexOf("flags") + 1];
  return Array.isArray(flags) ? flags : null;
}

/** Null when the login was accepted. */
function refusalOf(reply: Reply, endpoint: Endpoint, username: string): Failure | null {
  const where = nameOf(endpoint);
  if (reply === "OK") return null;
  if (!(reply instanceof RedisError)) return protocolError(endpoint);
  switch (reply.code) {
    case "WRONGPASS":
      return rejected(
        "wrong-password",
        `${where} did not accept the password for ${username}. Possible causes: wrong password, unknown user, or disabled user.`,
      );
    case "LOADING":
    case "BUSY":
    case "MASTERDOWN":
      return unreachable("not-ready", `${where} is busy or still loading its data.`);
    case "DENIED":
      return misconfigured("no-permission", `${where} accepts connections only from its own machine (protected mode).`);
    default:
  }
  if (reply.text.startsWith("ERR max number of clients")) {
    return unreachable("too-many-connections", `${where} has no free connections.`);
  }
  // "AUTH <password> called without any password configured for the default user".
  if (reply.text.includes("without any password configured")) return notChecked(endpoint, username);
  return protocolError(endpoint);
}

export function failureOf(error: unknown, endpoint: Endpoint): Failure {
  return error instanceof NotRedis ? protocolError(endpoint) : connectionFailure(error, endpoint);
}

export function protocolError(endpoint: Endpoint): Failure {
  return misconfigured("protocol-error", `${nameOf(endpoint)} sent an invalid Redis response. Check the port.`);
}

function notChecked(endpoint: Endpoint, username: string): Failure {
  return misconfigured(
    "password-not-checked",
    `${nameOf(endpoint)} lets ${username} in with any password or none, so the stored one was not verified.`,
  );
}

function insecure(endpoint: Endpoint): Failure {
  return misconfigured(
    "insecure-authentication",
    `Redis sends the password in clear text, so ${nameOf(endpoint)} needs TLS with a verified certificate. The password was not sent: enable SSL/TLS.`,
  );
}

function refuse(message: string): { failure: Failure } {
  return { failure: misconfigured("bad-input", message) };
}
