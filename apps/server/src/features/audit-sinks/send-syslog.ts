// Syslog messages over TLS or plain TCP: each with its length before it (RFC 6587 §3.4.1, RFC 5425 §4.3).
import { pour } from "@strongroom/connectors";
import type { AuditSinkConfig } from "@strongroom/contract";
import type { SinkSecrets } from "./sink-secrets.ts";
import { contextOf } from "./site.ts";
import type { Outcome, Site } from "./site.ts";

/**
 * Syslog has no answers. One connection for each batch, and its orderly end at both sides, says at least that the receiver
 * has read all of it; what it may lose after that is sent again after a break (`settle`).
 */
export async function sendSyslog(
  site: Site,
  config: Extract<AuditSinkConfig, { kind: "syslog" }>,
  { client_key: privateKey }: SinkSecrets,
  messages: readonly string[],
  signal: AbortSignal,
): Promise<Outcome> {
  const { host, port, transport, ca, server_name: name, client_certificate: certificate } = config;
  const client = certificate === null || privateKey === undefined ? null : { certificate, privateKey };
  const tls = transport === "tcp" ? null : { ca, name, client };
  const { outcome, message } = await pour(
    { host, port, tls, text: messages.map(framed).join("") },
    contextOf(site, signal),
  );
  return { isTaken: outcome === "verified", message: inOurWords(message) };
}

const framed = (message: string): string => `${Buffer.byteLength(message, "utf8")} ${message}`;

/** Connectors call a field by the name that it has with them. */
const inOurWords = (message: string): string =>
  message
    .replace("into the additional parameter ca.", 'into the field "CA certificate".')
    .replace("or as the additional parameter servername.", 'or as "Name in the certificate".')
    .replace("before the log-in was answered", "before anything was sent");
