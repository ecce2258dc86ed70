// Sends one batch of entries, one checkpoint or a test message to a sink of any kind.
import { parseCheckpoint } from "@strongroom/auditlog";
import type { LoggedEntry } from "@strongroom/auditlog";
import { appendFile } from "./append-file.ts";
import type { SinkRow } from "../audit-sinks.store.ts";
import { lineOf, syslogOf, testEntry } from "./lines.ts";
import { sendHttp } from "./send-http.ts";
import { sendSyslog } from "./send-syslog.ts";
import { sendToWitness } from "./send-witness.ts";
import type { Witnessed } from "./send-witness.ts";
import { openSecrets } from "../sink-secrets.ts";
import type { Outcome, AuditSinkContext } from "../context.ts";

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
