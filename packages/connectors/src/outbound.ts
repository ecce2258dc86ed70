// Outgoing notifications and exports: one POST, or text sent over a connection. The network policy applies to both.
import { createPrivateKey, X509Certificate } from "node:crypto";
import type { Duplex } from "node:stream";
import { attempt } from "./attempt.ts";
import type { VerifyContext, VerifyResult } from "./connector.ts";
import { dial, nameOf, type Endpoint } from "./dial.ts";
import { misconfigured, rejected, unreachable, verified } from "./finding.ts";
import { pemBlocks } from "./private-key/pem.ts";
import { startTls } from "./start-tls.ts";
import { tlsFailure } from "./tls-failure.ts";
import type { TlsSettings } from "./tls-settings.ts";

export interface Post {
  url: string;
  headers: Record<string, string>;
  body: string;
  /** PEM certificates to trust instead of Node's list. */
  ca: string | null;
}

export interface PostAnswer {
  status: number;
  body: string;
}

const MOST_ANSWERED = 128 * 1024;

/**
 * Checks the certificate over HTTPS. Follows no redirect. `answer` is null without a response, and `message` gives the
 * reason.
 */
export async function post(
  { url: address, headers, body, ca }: Post,
  context: VerifyContext,
): Promise<{ answer: PostAnswer; message: string } | { answer: null; message: string }> {
  let answer: PostAnswer | null = null;
  const { message } = await attempt(context, async (current) => {
    const url = URL.parse(address);
    if (url === null || !/^https?:$/.test(url.protocol)) return misconfigured("bad-input", "This is not a valid URL.");
    const tls: TlsSettings = { mode: url.protocol === "https:" ? "verify-full" : "disable", ca, name: null };
    const httpRequest = {
      url,
      method: "POST",
      headers,
      body,
      maxReceivedBytes: MOST_ANSWERED,
      readsBody: true,
    } as const;
    // Loads undici on the first call, to keep startup fast.
    const { exchange } = await import("./http-exchange.ts");
    const answered = await exchange(httpRequest, tls, current);
    if ("failure" in answered) return answered.failure;
    answer = answered;
    return verified(`${url.host} answered with status ${answered.status}.`);
  });
  return { answer, message };
}

export interface TextToSend extends Endpoint {
  /** Null if the connection is not encrypted. */
  tls: Omit<TlsSettings, "mode"> | null;
  text: string;
}

/**
 * Sends a text over its own connection and closes our side of it. `verified` once the other side has closed as well:
 * it has read everything. Protocols without answers, such as syslog, offer no better confirmation.
 */
export function sendText({ host, port, tls, text }: TextToSend, context: VerifyContext): Promise<VerifyResult> {
  const endpoint = { host, port };
  return attempt(context, async (current) => {
    const dialled = await dial(endpoint, current);
    if ("failure" in dialled) return dialled.failure;
    try {
      current.waitFor(`${nameOf(endpoint)} to complete the TLS handshake`);
      const secured =
        tls === null ? dialled : await startTls(dialled.stream, { ...tls, mode: "verify-full" }, endpoint);
      if ("failure" in secured) return secured.failure;
      current.waitFor(`${nameOf(endpoint)} to receive the text`);
      return await writeAll(secured.stream, text, endpoint);
    } finally {
      dialled.stream.destroy();
    }
  });
}

function writeAll(stream: Duplex, text: string, endpoint: Endpoint) {
  const name = nameOf(endpoint);
  const broken = unreachable("connection-lost", `${name} closed the connection before it had received everything.`);
  return new Promise<ReturnType<typeof verified> | typeof broken>((resolve) => {
    let isSent = false;
    stream.on("error", (error) => resolve(tlsFailure(error, endpoint) ?? broken));
    stream.on("end", () => resolve(isSent ? verified(`${name} received it.`) : broken));
    stream.on("close", () => resolve(broken));
    // The reply is discarded; left unread, it would block the end of the connection.
    stream.resume();
    stream.write(text, "utf8", (error) => {
      if (error) return;
      isSent = true;
      stream.end();
    });
  });
}

/** Null when a private key matches a certificate, both in PEM form; else the error as a sentence. */
export function clientCertificateFault(certificate: string, privateKey: string): string | null {
  try {
    const [first] = pemBlocks(certificate);
    if (first === undefined) return "The client certificate is not in PEM format.";
    const fits = new X509Certificate(first.pem).checkPrivateKey(createPrivateKey(privateKey));
    return fits ? null : "The private key does not match the client certificate.";
  } catch {
    // node:crypto cannot check before parsing; its own message could quote the key.
    return "The client certificate or its private key cannot be read. Both must be in PEM format, the key without a passphrase.";
  }
}

/**
 * One signed POST. `verified`: the response had a status of 200 to 299. Checks the certificate over HTTPS. Follows no
 * redirect.
 */
export function sendNotice(
  address: string,
  body: string,
  headers: Record<string, string>,
  context: VerifyContext,
): Promise<VerifyResult> {
  return attempt(context, async (current) => {
    const url = URL.parse(address);
    if (url === null || !/^https?:$/.test(url.protocol)) return misconfigured("bad-input", "This is not a valid URL.");
    const tls: TlsSettings = { mode: url.protocol === "https:" ? "verify-full" : "disable", ca: null, name: null };
    const sent = { ...headers, "content-type": "application/json" };
    // Loads undici on the first call, to keep startup fast.
    const { exchange } = await import("./http-exchange.ts");
    const answer = await exchange({ url, method: "POST", headers: sent, body }, tls, current);
    if ("failure" in answer) return answer.failure;
    if (answer.status >= 200 && answer.status < 300) return verified(`${url.host} was notified.`);
    return rejected("no-permission", `${url.host} answered with status ${answer.status}.`);
  });
}
