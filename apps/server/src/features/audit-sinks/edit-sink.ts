// Creates, changes, enables, disables and deletes sinks.
import { clientCertificateFault, isPemCertificate } from "@strongroom/connectors";
import { parseWitnessKey } from "@strongroom/auditlog";
import type {
  AuditSink,
  AuditSinkConfig,
  ChangedAuditSink,
  createAuditSink,
  deleteAuditSink,
  switchAuditSink,
  updateAuditSink,
} from "@strongroom/contract";
import type { Db, Tx } from "#kernel/db/database.ts";
import type { Call } from "#kernel/http/call.ts";
import { refuse } from "#kernel/http/refuse.ts";
import { newId } from "#kernel/id.ts";
import { notFound, showSink } from "./audit-sinks.ts";
import { changeSink, insertSink, listSinks, lockSink, lockSinks, removeSink } from "./audit-sinks.store.ts";
import type { SinkRow } from "./audit-sinks.store.ts";
import { targetOf } from "./delivery/deliver.ts";
import { SECRET_NAMES, openSecrets, sealSecrets } from "./sink-secrets.ts";
import type { SinkSecrets } from "./sink-secrets.ts";
import type { AuditSinkContext } from "./context.ts";

export async function addSink(
  context: AuditSinkContext,
  call: Call<typeof createAuditSink>,
  tx: Tx,
): Promise<AuditSink> {
  const { name, content, format, every_seconds, config, starts, is_enabled } = call.body;
  await lockSinks(tx);
  await requireFree(tx, call.body, null);
  const id = newId();
  const secrets = withGiven({}, call.body);
  requireUsable(config, secrets);
  const { size, signed } = await context.outlet.reach(tx);
  const now = context.kernel.clock.now();
  const cursor = starts === "beginning" ? 0 : content === "entries" ? size : signed;
  const row = await insertSink(tx, {
    id,
    name,
    content,
    format,
    every_seconds,
    is_enabled,
    config: JSON.stringify(config),
    sealed_secrets: await sealSecrets(context.kernel.keys, id, secrets),
    secret_names: Object.keys(secrets),
    cursor,
    settled: cursor,
    created_at: now,
    updated_at: now,
  });
  call.note({ target: targetOf(row), details: { ...factsOf(row), starts } });
  return showSink(context, tx, row);
}

export async function editSink(
  context: AuditSinkContext,
  call: Call<typeof updateAuditSink>,
  tx: Tx,
): Promise<AuditSink> {
  await lockSinks(tx);
  const before = await requireSink(tx, call.params.id);
  const { name, content, format, every_seconds, config } = call.body;
  await requireFree(tx, call.body, before.id);
  if (config.kind !== before.config.kind || content !== before.content)
    throw refuse(
      409,
      "audit-sink.other-kind",
      "The kind of a sink cannot be changed. Add another sink and delete this one.",
    );
  const stored = await openSecrets(context.kernel.keys, before);
  requireGivenAnew(before.config, call.body, stored);
  const secrets = withGiven(stored, call.body);
  requireUsable(config, secrets);
  const row = await changeSink(tx, before.id, {
    name,
    format,
    every_seconds,
    config: JSON.stringify(config),
    sealed_secrets: await sealSecrets(context.kernel.keys, before.id, secrets),
    secret_names: Object.keys(secrets),
    updated_at: context.kernel.clock.now(),
  });
  const given = SECRET_NAMES.filter((each) => call.body[each] !== undefined);
  call.note({ target: targetOf(row), details: { ...factsOf(row), secrets_given: given } });
  return showSink(context, tx, row);
}

export async function switchSink(
  context: AuditSinkContext,
  call: Call<typeof switchAuditSink>,
  tx: Tx,
): Promise<AuditSink> {
  const before = await requireSink(tx, call.params.id);
  const { is_enabled } = call.body;
  const row = await changeSink(tx, before.id, { is_enabled, updated_at: context.kernel.clock.now() });
  call.note({ target: targetOf(row), details: { is_enabled } });
  return showSink(context, tx, row);
}

export async function deleteSink(call: Call<typeof deleteAuditSink>, tx: Tx): Promise<{ message: string }> {
  const row = await requireSink(tx, call.params.id);
  await removeSink(tx, row.id);
  call.note({ target: targetOf(row), details: { ...factsOf(row), cursor: row.cursor } });
  return { message: "Audit sink deleted" };
}

async function requireSink(tx: Tx, id: string): Promise<SinkRow> {
  const row = await lockSink(tx, id);
  if (row === undefined) throw notFound();
  return row;
}

async function requireFree(db: Db, { name, config }: ChangedAuditSink, besides: string | null): Promise<void> {
  const others = (await listSinks(db)).filter(({ id }) => id !== besides);
  if (others.some((other) => other.name.toLowerCase() === name.toLowerCase()))
    throw refuse(409, "audit-sink.name-taken", "An audit sink with this name already exists.");
  if (config.kind !== "file") return;
  const file = config.name.toLowerCase();
  if (others.some((other) => other.config.kind === "file" && other.config.name.toLowerCase() === file))
    throw refuse(409, "audit-sink.file-taken", "Another sink writes to this file.");
}

/** The stored secrets with the given changes; null deletes a secret. */
function withGiven(
  stored: SinkSecrets,
  given: Partial<Record<keyof SinkSecrets, string | null | undefined>>,
): SinkSecrets {
  const all = SECRET_NAMES.map((name) => [name, given[name] === undefined ? stored[name] : given[name]] as const);
  return Object.fromEntries(all.filter((pair): pair is [(typeof pair)[0], string] => typeof pair[1] === "string"));
}

/**
 * INVARIANT: a stored secret is never sent to a destination other than the one for which it was entered, or to one
 * vouched for by a different authority. This applies to all secrets: a signature by a stored key tells a receiver that
 * the message comes from this server.
 */
function requireGivenAnew(before: AuditSinkConfig, given: ChangedAuditSink, stored: SinkSecrets): void {
  if (destinationOf(before) === destinationOf(given.config)) return;
  const missing = SECRET_NAMES.find((name) => stored[name] !== undefined && given[name] === undefined);
  if (missing === undefined) return;
  throw objection(missing, "The destination or its trusted certificate changed. Enter this again.");
}

/** The address of the destination, and the authority that vouches for it. */
function destinationOf(config: AuditSinkConfig): string {
  switch (config.kind) {
    case "syslog":
      return JSON.stringify([config.host, config.port, config.transport, config.ca, config.server_name]);
    case "http":
      return JSON.stringify([new URL(config.url).origin, config.ca]);
    case "witness":
    case "file":
      return "";
  }
}

function requireUsable(config: AuditSinkConfig, { client_key: clientKey, authorization }: SinkSecrets): void {
  const ca = "ca" in config ? config.ca : null;
  if (ca !== null && !isPemCertificate(ca)) throw objection("config.ca", "This certificate cannot be read.");
  if (config.kind === "witness" && parseWitnessKey(config.witness_key) === null)
    throw objection("config.witness_key", "Not a valid witness key (name+hash+base64).");
  if (config.kind === "http" && authorization !== undefined && !config.url.startsWith("https://"))
    throw objection("authorization", "Authorization is sent over HTTPS only");
  if (config.kind !== "syslog" || (config.client_certificate === null && clientKey === undefined)) return;
  if (config.client_certificate === null)
    throw objection("config.client_certificate", "The key's certificate is missing.");
  if (clientKey === undefined) throw objection("client_key", "The certificate's private key is missing.");
  const fault = clientCertificateFault(config.client_certificate, clientKey);
  if (fault !== null) throw objection("client_key", fault);
}

const objection = (path: string, msg: string) => refuse(400, "request.invalid", msg, { errors: [{ path, msg }] });

/** The sink's settings for the audit trail, without secrets. */
function factsOf({ content, format, config }: SinkRow) {
  const { kind } = config;
  const place =
    kind === "syslog" ? `${config.host}:${config.port}` : kind === "file" ? config.name : new URL(config.url).origin;
  return { content, format, kind, place, ...(kind === "syslog" ? { transport: config.transport } : {}) };
}
