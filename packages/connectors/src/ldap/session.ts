// One connection of the ldapts driver over a stream of ours, encrypted before the driver says anything.
import { Client, InvalidAsn1Error, MessageParserError, ResultCodeError } from "ldapts";
import type { Attempt } from "../attempt.ts";
import { MAX_RECEIVED_BYTES, TooMuchData, type BoundedStream } from "../bounded-stream.ts";
import type { ChangeFinding, Failure } from "../connector.ts";
import { connectionFailure, dial, nameOf, type Endpoint } from "../dial.ts";
import { misconfigured, unknown, unreachable } from "../finding.ts";
import { startTls } from "../start-tls.ts";
import { tlsRefusal } from "../tls-failure.ts";
import type { DirectoryAddress } from "./address.ts";

export interface Session {
  /** Not bound yet. It follows no referral and never connects again. */
  client: Client;
  /** What failed when the driver rejected: its own words are never passed on. */
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
  current.waitFor(`${nameOf(address)} to answer the LDAP log-in`);
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

/** Null when the server is ready for TLS. Whatever else it says, nothing more goes out unencrypted. */
async function askForTls(stream: BoundedStream, endpoint: Endpoint): Promise<Failure | null> {
  stream.write(START_TLS);
  return new Promise((resolve) => {
    const fail = (error: unknown) => resolve(connectionFailure(error, endpoint));
    stream.once("error", fail);
    stream.once("close", () => fail(null));
    stream.once("data", (chunk: Buffer) => {
      stream.removeListener("error", fail);
      stream.pause();
      resolve(saysYes(chunk) ? null : tlsRefusal("not-offered", endpoint));
    });
  });
}

/** Exactly one message, an ExtendedResponse with the result `success`; more would be text in front of the encrypted part. */
function saysYes(chunk: Buffer): boolean {
  const text = chunk.toString("hex");
  return chunk.length === 2 + (chunk[1] ?? 0) && /^30[0-7].02010178[0-7].0a0100/.test(text);
}

/** The LDAP result code (RFC 4511 §4.1.9), when the server answered with one. */
export function resultCodeOf(error: unknown): number | null {
  return error instanceof ResultCodeError ? error.code : null;
}

function failureOf(error: unknown, stream: BoundedStream, endpoint: Endpoint): Failure {
  const where = nameOf(endpoint);
  const code = resultCodeOf(error);
  if (code === 51 || code === 52)
    return unreachable("not-ready", `${where} is busy or not ready (LDAP result ${code}).`);
  if (code === 10)
    return misconfigured("redirected", `${where} refers to another server for this. Nothing was sent there.`);
  if (code !== null) return unreachable("server-error", `${where} could not answer (LDAP result ${code}).`);
  if (error instanceof InvalidAsn1Error || error instanceof MessageParserError) {
    return misconfigured("protocol-error", `${where} does not speak LDAP as it should. Is it the right port?`);
  }
  return connectionFailure(stream.errored instanceof TooMuchData ? stream.errored : null, endpoint);
}

/** The answer to a change was none that says whether it happened. */
export function lost(endpoint: Endpoint): ChangeFinding {
  return unknown(`The change was sent to ${nameOf(endpoint)}, and no clear answer came.`);
}
