// Sends one batch of entries, one checkpoint or a test message to a sink of any kind.
import { parseCheckpoint } from "@strongroom/auditlog";
import type { LoggedEntry } from "@strongroom/auditlog";
import { appendFile } from "./append-file.ts";
import type { SinkRow } from "../audit-sinks.store.ts";
import { lineOf, syslogOf, testEntry } from "./lines.ts";
import { sendToWitness } from "./send-witness.ts";
import type { Witnessed } from "./send-witness.ts";
import { openSecrets } from "../sink-secrets.ts";
import { post, sendText } from "@strongroom/connectors";
import type { AuditSinkConfig } from "@strongroom/contract";
import { createHmac } from "node:crypto";
import type { SinkSecrets } from "../sink-secrets.ts";
import { envelopeContextOf } from "../context.ts";
import type { Outcome, AuditSinkContext } from "../context.ts";

interface HttpBatch {
  type: string;
  body: string;
  /** An id derived from the content, so that a receiver can drop duplicates. */
  delivery: string;
}

const LINE_TYPES = {
  json: "application/x-ndjson",
  ocsf: "application/x-ndjson",
  cef: "text/plain; charset=utf-8",
  rfc5424: "text/plain; charset=utf-8",
} as const;

/** Rejects with SealedError while the vault is sealed. */
export async function sendEntries(
  context: AuditSinkContext,
  sink: SinkRow,
  entries: readonly LoggedEntry[],
  signal: AbortSignal,
): Promise<Outcome> {
  const { config, format, id } = sink;
  const { sender } = context;
  const secrets = await openSecrets(context.kernel.keys, sink);
  if (config.kind === "syslog") {
    const messages = entries.map((logged) => syslogOf(logged, format, sender));
    return sendSyslog(context, config, secrets, messages, signal);
  }
  const body = entries.map((logged) => `${lineOf(logged, format, sender)}\n`).join("");
  if (config.kind === "file") return appendFile(context.folder, config, body);
  if (config.kind !== "http") return { isTaken: false, message: "A witness receives checkpoints only." };
  const delivery = `${id}/${entries[0]?.index ?? "test"}-${entries.at(-1)?.index ?? "test"}`;
  return sendHttp(context, config, secrets, { type: LINE_TYPES[format], body, delivery }, signal);
}

export type Published = Witnessed | ({ outcome: "published" } & Outcome);

/** `size` is the checkpoint's; `seen` is the size of the last one that the sink received. */
export async function sendCheckpoint(
  context: AuditSinkContext,
  sink: SinkRow,
  checkpoint: { note: string; size: number; seen: number },
  signal: AbortSignal,
): Promise<Published> {
  const { config } = sink;
  const { note, size } = checkpoint;
  if (config.kind === "witness") return sendToWitness(context, config, checkpoint, signal);
  if (config.kind === "file")
    return { outcome: "published", ...(await appendFile(context.folder, config, `${note}\n`)) };
  if (config.kind === "syslog") return { outcome: "failed", message: "Syslog receives entries only." };
  const secrets = await openSecrets(context.kernel.keys, sink);
  const parcel = { type: "text/plain; charset=utf-8", body: note, delivery: `${sink.id}/checkpoint-${size}` };
  return { outcome: "published", ...(await sendHttp(context, config, secrets, parcel, signal)) };
}

/**
 * Sends a message marked as a test. A sink for checkpoints gets the newest one, which a receiver can accept repeatedly.
 */
export async function sendTest(context: AuditSinkContext, sink: SinkRow, signal: AbortSignal): Promise<Outcome> {
  const { clock, database } = context.kernel;
  if (sink.content === "entries") return sendEntries(context, sink, [testEntry(sink.name, clock.now())], signal);
  const newest = await context.outlet.newestCheckpoint(database.db);
  if (newest === undefined || parseCheckpoint(newest.note) === null)
    return { isTaken: false, message: "There is no checkpoint yet." };
  const seen = Math.min(sink.cursor, newest.size);
  const sent = await sendCheckpoint(context, sink, { note: newest.note, size: newest.size, seen }, signal);
  const isTaken = sent.outcome === "published" ? sent.isTaken : sent.outcome === "cosigned";
  return { isTaken, message: sent.message };
}

async function sendHttp(
  context: AuditSinkContext,
  config: Extract<AuditSinkConfig, { kind: "http" }>,
  secrets: SinkSecrets,
  { type, body, delivery }: HttpBatch,
  signal: AbortSignal,
): Promise<Outcome> {
  const timestamp = String(Math.floor(context.kernel.clock.now().getTime() / 1000));
  const headers: Record<string, string> = {
    "content-type": type,
    "strongroom-delivery": delivery,
    "strongroom-timestamp": timestamp,
  };
  const { hmac_key: key, authorization } = secrets;
  if (key !== undefined) headers["strongroom-signature"] = `sha256=${signatureOf(key, timestamp, body)}`;
  if (authorization !== undefined) headers["authorization"] = authorization;
  const { answer, message } = await post(
    { url: config.url, headers, body, ca: config.ca },
    envelopeContextOf(context, signal),
  );
  return { isTaken: answer !== null && answer.status >= 200 && answer.status < 300, message };
}

/** Covers the timestamp too, so that a receiver can refuse replayed requests. */
export const signatureOf = (key: string, timestamp: string, body: string): string =>
  createHmac("sha256", key).update(`${timestamp}.${body}`, "utf8").digest("hex");

/**
 * Syslog has no acknowledgements. One connection per batch, closed in an orderly way by both sides, shows at least that
 * the receiver has read the whole batch. Data that it loses afterwards is sent again after a break (`settle`).
 */
async function sendSyslog(
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
    .replace('into the additional parameter "ca".', 'into the field "CA certificate".')
    .replace('or as the additional parameter "servername".', 'or as "Name in the certificate".')
    .replace("Connection closed during login", "Connection closed before anything was sent");
