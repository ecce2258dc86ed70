// A login by password at a RADIUS server: one request, repeated until an authentic answer arrives.
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

/** Repeats the same request, so that a lost datagram is not a failure; the server counts it once (RFC 5080 §2.2.2). */
const RETRY_MS = 2_000;

interface RadiusRequest extends Endpoint {
  username: string;
  password: string;
  sharedSecret: string;
  needsProtection: boolean;
}

export async function verifyLogin(target: Target, secret: string, current: Attempt): Promise<Finding> {
  const radiusRequest = radiusRequestOf(target, secret);
  if ("failure" in radiusRequest) return radiusRequest.failure;
  current.waitFor(`the address of ${radiusRequest.host}`);
  const permitted = await permittedAddresses(current.context.network, radiusRequest.host);
  if ("failure" in permitted) return permitted.failure;
  const [address] = permitted.addresses;
  if (address === undefined) return unreachable("dns-failure", `The name ${radiusRequest.host} has no address.`);

  current.waitFor(
    `${nameOf(radiusRequest)} to answer. RADIUS servers do not answer when the shared secret is wrong or this machine is not a known client`,
  );
  try {
    return meaningOf(await ask(radiusRequest, address, current.signal), radiusRequest);
  } catch (error) {
    return connectionFailure(error, radiusRequest);
  }
}

/** The stored secret has two parts: a RADIUS client shares a secret with the server. */
function radiusRequestOf(target: Target, secret: string): RadiusRequest | { failure: Failure } {
  const { host, port, username, additionalParams } = target;
  if (!host) return refuse("The host is missing.");
  if (!username) return refuse("The user name is missing.");
  const texts = textsOf(secret);
  if (texts === null) {
    return refuse(
      'For RADIUS, the secret must be JSON with two non-empty strings: {"password": …, "shared_secret": …}.',
    );
  }
  const [password, sharedSecret] = texts;
  if (Buffer.byteLength(password) > MAX_PASSWORD_BYTES) return refuse("A RADIUS password can have at most 128 bytes.");
  if (password.includes("\0")) return refuse("RADIUS does not allow a NUL character in a password.");
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
    // Node cannot check this before parsing.
    return null;
  }
}

/** Rejects with the socket's error. Without an answer it never settles: the attempt's time limit ends it. */
function ask(radiusRequest: RadiusRequest, address: string, signal: AbortSignal): Promise<AccessAnswer> {
  const request = encodeRequest({ ...radiusRequest, id: randomBytes(1).readUInt8(), authenticator: randomBytes(16) });
  const { promise, resolve, reject } = Promise.withResolvers<AccessAnswer>();
  const socket = createSocket(isIPv6(address) ? "udp6" : "udp4");
  const send = () => socket.send(request);
  const timer = setInterval(() => isConnected(socket) && send(), RETRY_MS);
  socket.on("error", reject);
  socket.on("message", (datagram) => {
    const answer = decodeAnswer(datagram, request, radiusRequest.sharedSecret);
    if (answer !== null) resolve(answer);
  });
  // The socket is connected, so datagrams from other hosts are dropped, and a closed port is reported.
  socket.connect(radiusRequest.port, address, send);
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
    // The socket is not connected yet.
    return false;
  }
}

function meaningOf({ code, isProtected }: AccessAnswer, radiusRequest: RadiusRequest): Finding {
  const where = nameOf(radiusRequest);
  const { username } = radiusRequest;
  if (!isProtected && radiusRequest.needsProtection) {
    return misconfigured(
      "insecure-authentication",
      `${where} answers without a Message-Authenticator, so the answer could be forged (CVE-2024-3596). Update the server, or set the additional parameter "require_message_authenticator" to false.`,
    );
  }
  switch (code) {
    case ACCESS_ACCEPT:
      return verified(`${where} accepted the password of ${username}.`, { isProtected });
    case ACCESS_REJECT:
      return rejected(
        "wrong-password",
        `${where} did not accept the password for ${username}. Possible causes: wrong password, unknown name, or a locked or expired account.`,
      );
    case ACCESS_CHALLENGE:
      return misconfigured("second-factor", `${where} asks ${username} for more than a password.`);
    default:
      return misconfigured("protocol-error", `${where} sent an invalid RADIUS response. Check the port.`);
  }
}

function refuse(message: string): { failure: Failure } {
  return { failure: misconfigured("bad-input", message) };
}
