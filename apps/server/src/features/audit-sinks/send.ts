// Sends one batch of entries, one checkpoint or a test to a sink, whatever its kind.
import { parseCheckpoint } from "@strongroom/auditlog";
import type { Logged } from "@strongroom/auditlog";
import { appendFile } from "./append-file.ts";
import type { SinkRow } from "./audit-sinks.store.ts";
import { lineOf, syslogOf, testEntry } from "./lines.ts";
import { sendHttp } from "./send-http.ts";
import { sendSyslog } from "./send-syslog.ts";
import { sendToWitness } from "./send-witness.ts";
import type { Witnessed } from "./send-witness.ts";
import { openSecrets } from "./sink-secrets.ts";
import type { Outcome, Site } from "./site.ts";

const LINE_TYPES = {
  json: "application/x-ndjson",
  ocsf: "application/x-ndjson",
  cef: "text/plain; charset=utf-8",
  rfc5424: "text/plain; charset=utf-8",
} as const;

/** Rejects with SealedError while the vault is sealed. */
export async function sendEntries(
  site: Site,
  sink: SinkRow,
  entries: readonly Logged[],
  signal: AbortSignal,
): Promise<Outcome> {
  const { config, format, id } = sink;
  const { sender } = site;
  const secrets = await openSecrets(site.kernel.keys, sink);
  if (config.kind === "syslog") {
    const messages = entries.map((logged) => syslogOf(logged, format, sender));
    return sendSyslog(site, config, secrets, messages, signal);
  }
  const body = entries.map((logged) => `${lineOf(logged, format, sender)}\n`).join("");
  if (config.kind === "file") return appendFile(site.folder, config, body);
  if (config.kind !== "http") return { isTaken: false, message: "A witness is sent checkpoints." };
  const delivery = `${id}/${entries[0]?.index ?? "test"}-${entries.at(-1)?.index ?? "test"}`;
  return sendHttp(site, config, secrets, { type: LINE_TYPES[format], body, delivery }, signal);
}

export type Published = Witnessed | ({ outcome: "published" } & Outcome);

/** `size` is the checkpoint's; `seen` the size of the one that the sink had last. */
export async function sendCheckpoint(
  site: Site,
  sink: SinkRow,
  checkpoint: { note: string; size: number; seen: number },
  signal: AbortSignal,
): Promise<Published> {
  const { config } = sink;
  const { note, size } = checkpoint;
  if (config.kind === "witness") return sendToWitness(site, config, checkpoint, signal);
  if (config.kind === "file") return { outcome: "published", ...(await appendFile(site.folder, config, `${note}\n`)) };
  if (config.kind === "syslog") return { outcome: "failed", message: "Syslog is sent entries." };
  const secrets = await openSecrets(site.kernel.keys, sink);
  const parcel = { type: "text/plain; charset=utf-8", body: note, delivery: `${sink.id}/checkpoint-${size}` };
  return { outcome: "published", ...(await sendHttp(site, config, secrets, parcel, signal)) };
}

/** A message that says that it is a test; checkpoints are tested by the newest one, which any receiver may see again. */
export async function sendTest(site: Site, sink: SinkRow, signal: AbortSignal): Promise<Outcome> {
  const { clock, database } = site.kernel;
  if (sink.content === "entries") return sendEntries(site, sink, [testEntry(sink.name, clock.now())], signal);
  const newest = await site.outlet.newestCheckpoint(database.db);
  if (newest === undefined || parseCheckpoint(newest.note) === null)
    return { isTaken: false, message: "There is no checkpoint yet." };
  const seen = Math.min(sink.cursor, newest.size);
  const sent = await sendCheckpoint(site, sink, { note: newest.note, size: newest.size, seen }, signal);
  const isTaken = sent.outcome === "published" ? sent.isTaken : sent.outcome === "cosigned";
  return { isTaken, message: sent.message };
}
