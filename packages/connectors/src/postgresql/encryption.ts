// PostgreSQL's TLS negotiation: request it, read one byte, and only then start (PostgreSQL manual, "SSL Session
// Encryption").
import type { BoundedStream } from "../bounded-stream.ts";
import type { Failure } from "../connector.ts";
import { connectionFailure, type Endpoint } from "../dial.ts";
import { startTls, type Secured } from "../start-tls.ts";
import { tlsRefusal } from "../tls-failure.ts";
import type { TlsSettings } from "../tls-settings.ts";

/** SSLRequest: length 8, code 80877103. */
const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);

/** Nothing more is sent to a server that does not answer exactly `S`: a fallback would be unencrypted. */
export async function encrypt(stream: BoundedStream, settings: TlsSettings, endpoint: Endpoint): Promise<Secured> {
  stream.write(SSL_REQUEST);
  const answer = await firstChunk(stream, endpoint);
  if ("failure" in answer) return answer;
  // More than one byte would be plain text injected before the encrypted part (CVE-2021-23222).
  if (answer.chunk.toString("latin1") !== "S") return { failure: tlsRefusal("not-offered", endpoint) };
  return startTls(stream, settings, endpoint);
}

function firstChunk(stream: BoundedStream, endpoint: Endpoint): Promise<{ chunk: Buffer } | { failure: Failure }> {
  return new Promise((resolve) => {
    const fail = (error: unknown) => resolve({ failure: connectionFailure(error, endpoint) });
    stream.once("error", fail);
    stream.once("close", () => fail(null));
    stream.once("data", (chunk: Buffer) => {
      stream.removeListener("error", fail);
      stream.pause();
      resolve({ chunk });
    });
  });
}
