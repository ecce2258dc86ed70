// Ways out for what this product tells others: one POST, or text poured into a connection. Under the rules of all connections.
import { createPrivateKey, X509Certificate } from "node:crypto";
import type { Duplex } from "node:stream";
import { attempt } from "./attempt.ts";
import type { VerifyContext, VerifyResult } from "./connector.ts";
import { dial, nameOf, type Endpoint } from "./dial.ts";
import { misconfigured, unreachable, verified } from "./finding.ts";
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

/** Over HTTPS the certificate is checked. No redirect is followed. `answer` is null when none came, and `message` says why. */
export async function post(
  { url: address, headers, body, ca }: Post,
  context: VerifyContext,
): Promise<{ answer: PostAnswer; message: string } | { answer: null; message: string }> {
  let answer: PostAnswer | null = null;
  const { message } = await attempt(context, async (current) => {
    const url = URL.parse(address);
    if (url === null || !/^https?:$/.test(url.protocol)) return misconfigured("bad-input", "This is no web address.");
    const tls: TlsSettings = { mode: url.protocol === "https:" ? "verify-full" : "disable", ca, name: null };
    const wish = { url, method: "POST", headers, body, maxReceivedBytes: MOST_ANSWERED, readsBody: true } as const;
    // With the first call: it brings undici along, which no start needs.
    const { exchange } = await import("./http-exchange.ts");
    const answered = await exchange(wish, tls, current);
    if ("failure" in answered) return answered.failure;
    answer = answered;
    return verified(`${url.host} answered with the status ${answered.status}.`);
  });
  return { answer, message };
}

export interface Pouring extends Endpoint {
  /** Null: not encrypted. */
  tls: Omit<TlsSettings, "mode"> | null;
  text: string;
}

/**
 * Sends a text over a connection of its own and closes our side of it. `verified` once the other side has closed as well:
 * it has read everything up to there. Protocols without answers, such as syslog, offer no better word.
 */
export function pour({ host, port, tls, text }: Pouring, context: VerifyContext): Promise<VerifyResult> {
  const endpoint = { host, port };
  return attempt(context, async (current) => {
    const dialled = await dial(endpoint, current);
    if ("failure" in dialled) return dialled.failure;
    try {
      current.waitFor(`${nameOf(endpoint)} to agree on TLS`);
      const secured =
        tls === null ? dialled : await startTls(dialled.stream, { ...tls, mode: "verify-full" }, endpoint);
      if ("failure" in secured) return secured.failure;
      current.waitFor(`${nameOf(endpoint)} to take what was sent`);
      return await pourInto(secured.stream, text, endpoint);
    } finally {
      dialled.stream.destroy();
    }
  });
}

function pourInto(stream: Duplex, text: string, endpoint: Endpoint) {
  const name = nameOf(endpoint);
  const broken = unreachable("connection-lost", `${name} closed the connection before it had taken what was sent.`);
  return new Promise<ReturnType<typeof verified> | typeof broken>((resolve) => {
    let isSent = false;
    stream.on("error", (error) => resolve(tlsFailure(error, endpoint) ?? broken));
    stream.on("end", () => resolve(isSent ? verified(`${name} has taken it.`) : broken));
    stream.on("close", () => resolve(broken));
    // What it says is not read for its meaning; unread it would hold back the end.
    stream.resume();
    stream.write(text, "utf8", (error) => {
      if (error) return;
      isSent = true;
      stream.end();
    });
  });
}

/** Null when a private key fits a certificate, both in PEM form; else what is wrong, as a sentence. */
export function clientCertificateFault(certificate: string, privateKey: string): string | null {
  try {
    const [first] = pemBlocks(certificate);
    if (first === undefined) return "The client certificate is not in PEM form.";
    const fits = new X509Certificate(first.pem).checkPrivateKey(createPrivateKey(privateKey));
    return fits ? null : "The private key does not belong to the client certificate.";
  } catch {
    // node:crypto offers no way to ask before parsing; its words could quote the key.
    return "The client certificate or its private key cannot be read: both are in PEM form, the key without a passphrase.";
  }
}
