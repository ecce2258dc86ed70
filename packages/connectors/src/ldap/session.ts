// One connection of the ldapts driver over our own stream, encrypted before the driver sends anything.
import { BerReader, Client, InvalidAsn1Error, MessageParserError, ResultCodeError } from "ldapts";
import type { Attempt } from "../attempt.ts";
import { MAX_RECEIVED_BYTES, TooMuchData, type BoundedStream } from "../bounded-stream.ts";
import type { ChangeFinding, Failure } from "../connector.ts";
import { connectionFailure, dial, nameOf, type Endpoint } from "../dial.ts";
import { misconfigured, unanswered, unreachable } from "../finding.ts";
import { startTls } from "../start-tls.ts";
import { tlsRefusal } from "../tls-failure.ts";
import type { DirectoryAddress } from "./address.ts";

export interface Session {
  /** A client that has not bound yet. It follows no referral and never reconnects. */
  client: Client;
  /** The failure behind the driver's rejection; the driver's own text is never passed on. */
  failureOf(error: unknown): Failure;
  close(): void;
}

export async function openSession(
  address: DirectoryAddress,
  current: Attempt,
  maxReceivedBytes = MAX_RECEIVED_BYTES,
): Promise<Session | { failure: Failure }> {
  const dialled = await dial(address, current, maxReceivedBytes);
  if ("failure" in dialled) return dialled;
  current.waitFor(`${nameOf(address)} to answer the LDAP login`);
  const refusal = address.isTlsFromStart ? null : await askForTls(dialled.stream, address);
  if (refusal !== null) return { failure: refusal };
  const secured = await startTls(dialled.stream, address.tls, address);
  if ("failure" in secured) return secured;
  let isUsed = false;
  const client = new Client({
    url: "ldap://directory",
    createConnection: () => {
      if (isUsed) throw new Error("The connection ended");
      isUsed = true;
      return secured.stream;
    },
  });
  return {
    client,
    failureOf: (error) => failureOf(error, dialled.stream, address),
    close: () => dialled.stream.destroy(),
  };
}

/** StartTLS (RFC 4511 §4.14.1) as message 1. */
const START_TLS = Buffer.from("\x30\x1d\x02\x01\x01\x77\x18\x80\x161.3.6.1.4.1.1466.20037", "latin1");

/** Null when the server is ready for TLS. After any other answer nothing more is sent unencrypted. */
async function askForTls(stream: BoundedStream, endpoint: Endpoint): Promise<Failure | null> {
  const { promise, resolve } = Promise.withResolvers<Failure | null>();
  let received: Buffer = Buffer.alloc(0);
  const fail = (error: unknown) => resolve(connectionFailure(error, endpoint));
  const read = (chunk: Buffer) => {
    received = Buffer.concat([received, chunk]);
    const isReady = isStartTlsSuccess(received);
    if (isReady !== null) resolve(isReady ? null : tlsRefusal("not-offered", endpoint));
  };
  stream.on("error", fail);
  stream.once("close", () => fail(null));
  stream.on("data", read);
  stream.write(START_TLS);
  const refusal = await promise;
  stream.removeListener("error", fail);
  stream.removeListener("data", read);
  stream.pause();
  return refusal;
}

/**
 * True for exactly one message, an ExtendedResponse with the result `success`; more bytes would be plain text injected
 * before the encrypted part. Null while the message is incomplete.
 */
export function isStartTlsSuccess(bytes: Buffer): boolean | null {
  const reader = new BerReader(bytes);
  try {
    if (reader.readSequence(MESSAGE) === null || reader.remain < reader.length) return null;
    if (reader.remain > reader.length || reader.readInt() !== 1) return false;
    return reader.readSequence(EXTENDED_RESPONSE) !== null && reader.readEnumeration() === 0;
  } catch (error) {
    if (error instanceof InvalidAsn1Error) return false;
    throw error;
  }
}

const MESSAGE = 0x30;
const EXTENDED_RESPONSE = 0x78;

/** The LDAP result code (RFC 4511 §4.1.9), if the server returned one. */
export function resultCodeOf(error: unknown): number | null {
  return error instanceof ResultCodeError ? error.code : null;
}

function failureOf(error: unknown, stream: BoundedStream, endpoint: Endpoint): Failure {
  const where = nameOf(endpoint);
  const code = resultCodeOf(error);
  if (code === 51 || code === 52)
    return unreachable("not-ready", `${where} is busy or not ready (LDAP result ${code}). Try again later.`);
  if (code === 10) return misconfigured("redirected", `${where} refers to another server. Nothing was sent there.`);
  if (code !== null) return unreachable("server-error", `${where} could not answer (LDAP result ${code}).`);
  if (error instanceof InvalidAsn1Error || error instanceof MessageParserError) {
    return misconfigured("protocol-error", `${where} sent an invalid LDAP response. Check the port.`);
  }
  return connectionFailure(stream.errored instanceof TooMuchData ? stream.errored : null, endpoint);
}

/** The result of a change leaves open whether it happened. */
export function lost(endpoint: Endpoint): ChangeFinding {
  return unanswered(nameOf(endpoint));
}
