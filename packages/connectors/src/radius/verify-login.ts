// A log-in by password at a RADIUS server: one request, sent again until an answer comes that its owner alone can make.
import { randomBytes } from "node:crypto";
import { createSocket, type Socket } from "node:dgram";
import { isIPv6 } from "node:net";
import type { Attempt } from "../attempt.ts";
import type { Failure, Finding, Target } from "../connector.ts";
import { connectionFailure, nameOf, type Endpoint } from "../dial.ts";
import { misconfigured, rejected, unreachable, verified } from "../finding.ts";
import { permittedAddresses } from "../network-policy.ts";
import {
  ACCESS_ACCEPT,
  ACCESS_CHALLENGE,
  ACCESS_REJECT,
  decodeAnswer,
  encodeRequest,
  MAX_NAME_BYTES,
  MAX_PASSWORD_BYTES,
  type AccessAnswer,
} from "./packet.ts";

/** The same request again, so that a lost datagram is no failure; the server counts it once (RFC 5080 §2.2.2). */
const AGAIN_MS = 2_000;

interface Wish extends Endpoint {
  username: string;
  password: string;
  sharedSecret: string;
  needsProtection: boolean;
}

export async function verifyLogin(target: Target, secret: string, current: Attempt): Promise<Finding> {
  const wish = wishOf(target, secret);
  if ("failure" in wish) return wish.failure;
  current.waitFor(`the address of ${wish.host}`);
  const permitted = await permittedAddresses(current.context.network, wish.host);
  if ("failure" in permitted) return permitted.failure;
  const [address] = permitted.addresses;
  if (address === undefined) return unreachable("dns-failure", `The name ${wish.host} has no address.`);

  current.waitFor(
    `${nameOf(wish)} to answer. RADIUS servers stay silent when the shared secret is not theirs, or when they do not know this machine`,
  );
  try {
    return meaningOf(await ask(wish, address, current.signal), wish);
  } catch (error) {
    return connectionFailure(error, wish);
  }
}

/** The stored secret holds two: whoever asks a RADIUS server needs one of its own, shared with the server. */
function wishOf(target: Target, secret: string): Wish | { failure: Failure } {
  const { host, port, username, additionalParams } = target;
  if (!host) return refuse("There is no host.");
  if (!username) return refuse("There is no user name.");
  const texts = textsOf(secret);
  if (texts === null) {
    return refuse(
      'For RADIUS the secret is JSON with two texts that are not empty: {"password": …, "shared_secret": …}.',
    );
  }
  const [password, sharedSecret] = texts;
  if (Buffer.byteLength(password) > MAX_PASSWORD_BYTES) return refuse("RADIUS takes passwords of 128 bytes at most.");
  if (password.includes("\0")) return refuse("RADIUS takes no NUL character in a password.");
  if (Buffer.byteLength(username) > MAX_NAME_BYTES) return refuse("The user name is too long for RADIUS.");
  const needsProtection = additionalParams["require_message_authenticator"] !== false;
  return { host, port: port ?? 1812, username, password, sharedSecret, needsProtection };
}

function textsOf(secret: string): [string, string] | null {
  try {
    const value: unknown = JSON.parse(secret);
    const { password, shared_secret } = Object(value) as Record<string, unknown>;
    const isComplete = typeof password === "string" && typeof shared_secret === "string";
    return isComplete && password !== "" && shared_secret !== "" ? [password, shared_secret] : null;
  } catch {
    // node offers no way to ask before parsing.
    return null;
  }
}

/** Rejects with the socket's error; never by itself for silence, which the attempt ends. */
function ask(wish: Wish, address: string, signal: AbortSignal): Promise<AccessAnswer> {
  const request = encodeRequest({ ...wish, id: randomBytes(1).readUInt8(), authenticator: randomBytes(16) });
  const { promise, resolve, reject } = Promise.withResolvers<AccessAnswer>();
  const socket = createSocket(isIPv6(address) ? "udp6" : "udp4");
  const send = () => socket.send(request);
  const timer = setInterval(() => isConnected(socket) && send(), AGAIN_MS);
  socket.on("error", reject);
  socket.on("message", (datagram) => {
    const answer = decodeAnswer(datagram, request, wish.sharedSecret);
    if (answer !== null) resolve(answer);
  });
  // Connected: datagrams of others do not arrive, and a closed port is told.
  socket.connect(wish.port, address, send);
  signal.addEventListener("abort", () => reject(new Error("over")), { once: true });
  return promise.finally(() => {
    clearInterval(timer);
    socket.close();
  });
}

function isConnected(socket: Socket): boolean {
  try {
    return socket.remoteAddress().port > 0;
  } catch {
    // Not yet.
    return false;
  }
}

function meaningOf({ code, isProtected }: AccessAnswer, wish: Wish): Finding {
  const where = nameOf(wish);
  const { username } = wish;
  if (!isProtected && wish.needsProtection) {
    return misconfigured(
      "insecure-authentication",
      `${where} answers without a Message-Authenticator, so the answer could be somebody else's (CVE-2024-3596). Update it, or set the additional parameter require_message_authenticator to false.`,
    );
  }
  switch (code) {
    case ACCESS_ACCEPT:
      return verified(`${where} accepted the password of ${username}.`, { isProtected });
    case ACCESS_REJECT:
      return rejected(
        "wrong-password",
        `${where} did not accept the password for ${username}. RADIUS answers the same for a wrong password, a name that does not exist and an account that is locked or has expired.`,
      );
    case ACCESS_CHALLENGE:
      return misconfigured("second-factor", `${where} asks ${username} for more than a password.`);
    default:
      return misconfigured("protocol-error", `${where} does not speak RADIUS as it should. Is it the right port?`);
  }
}

function refuse(message: string): { failure: Failure } {
  return { failure: misconfigured("bad-input", message) };
}
