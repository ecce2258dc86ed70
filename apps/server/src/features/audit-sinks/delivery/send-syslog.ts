// Sends syslog messages over TLS or plain TCP, each preceded by its length (RFC 6587 §3.4.1, RFC 5425 §4.3).
import { sendText } from "@strongroom/connectors";
import type { AuditSinkConfig } from "@strongroom/contract";
import type { SinkSecrets } from "../sink-secrets.ts";
import { envelopeContextOf } from "../context.ts";
import type { Outcome, AuditSinkContext } from "../context.ts";

/**
 * Syslog has no acknowledgements. One connection per batch, closed in an orderly way by both sides, shows at least that
 * the receiver has read the whole batch. Data that it loses afterwards is sent again after a break (`settle`).
 */
export async function sendSyslog(
  context: AuditSinkContext,
  config: Extract<AuditSinkConfig, { kind: "syslog" }>,
  { client_key: privateKey }: SinkSecrets,
  messages: readonly string[],
  signal: AbortSignal,
): Promise<Outcome> {
  const { host, port, transport, ca, server_name: name, client_certificate: certificate } = config;
  const client = certificate === null || privateKey === undefined ? null : { certificate, privateKey };
  const tls = transport === "tcp" ? null : { ca, name, client };
  const { outcome, message } = await sendText(
    { host, port, tls, text: messages.map(framed).join("") },
    envelopeContextOf(context, signal),
  );
  return { isTaken: outcome === "verified", message: syslogErrorText(message) };
}

const framed = (message: string): string => `${Buffer.byteLength(message, "utf8")} ${message}`;

/** Replaces the connectors' field names with those of the sink form. */
const syslogErrorText = (message: string): string =>
  message
    .replace("into the additional parameter ca.", 'into the field "CA certificate".')
    .replace("or as the additional parameter servername.", 'or as "Name in the certificate".')
    .replace("Connection closed during login", "Connection closed before anything was sent");
