// Values, validation (the contract's rules) and request body of the sink form. Pure.
import {
  ChangedAuditSink,
  NewAuditSink,
  type AuditSink,
  type AuditSinkFormat,
  type AuditSinkKind,
} from "@strongroom/contract";
import { isCallError } from "#shared/api/call-error.ts";
import { firstObjections } from "#shared/api/field-errors.ts";
import type { ChangedSinkFields, NewSinkFields } from "./audit-sinks.queries.ts";

const SECRETS = ["hmac_key", "authorization", "client_key"] as const;
export type SecretField = (typeof SECRETS)[number];

export interface SinkFormValues {
  kind: AuditSinkKind;
  name: string;
  content: AuditSink["content"];
  format: AuditSinkFormat;
  starts: "beginning" | "now";
  every_seconds: string;
  host: string;
  port: string;
  transport: "tls" | "tcp";
  server_name: string;
  client_certificate: string;
  url: string;
  ca: string;
  /** For a file sink. */
  file: string;
  rotate_megabytes: string;
  keep_files: string;
  witness_key: string;
  /** Empty keeps the stored value. */
  hmac_key: string;
  authorization: string;
  client_key: string;
  /** The stored secrets to remove. */
  removed: Record<SecretField, boolean>;
}

export const EMPTY_SINK: SinkFormValues = {
  kind: "syslog",
  name: "",
  content: "entries",
  format: "rfc5424",
  starts: "beginning",
  every_seconds: "60",
  host: "",
  port: "6514",
  transport: "tls",
  server_name: "",
  client_certificate: "",
  url: "https://",
  ca: "",
  file: "audit.jsonl",
  rotate_megabytes: "100",
  keep_files: "10",
  witness_key: "",
  hmac_key: "",
  authorization: "",
  client_key: "",
  removed: { hmac_key: false, authorization: false, client_key: false },
};

/** Default values after changing the kind; values the user typed are kept. */
export function asKind(values: SinkFormValues, kind: AuditSinkKind): Partial<SinkFormValues> {
  const content = kind === "witness" ? "checkpoints" : kind === "syslog" ? "entries" : values.content;
  return { kind, content, format: kind === "syslog" ? "rfc5424" : "json" };
}

export function formOf(sink: AuditSink): SinkFormValues {
  const { config, name, content, format, every_seconds } = sink;
  const common = { ...EMPTY_SINK, kind: config.kind, name, content, format, every_seconds: String(every_seconds) };
  const ca = "ca" in config ? (config.ca ?? "") : "";
  switch (config.kind) {
    case "syslog": {
      const { host, port, transport, server_name, client_certificate } = config;
      const texts = { server_name: server_name ?? "", client_certificate: client_certificate ?? "" };
      return { ...common, ...texts, host, port: String(port), transport, ca };
    }
    case "http":
      return { ...common, url: config.url, ca };
    case "file": {
      const { rotate_megabytes, keep_files } = config;
      const sizes = { rotate_megabytes: String(rotate_megabytes), keep_files: String(keep_files) };
      return { ...common, file: config.name, ...sizes };
    }
    case "witness":
      return { ...common, url: config.url, ca, witness_key: config.witness_key };
  }
}

const orNull = (text: string): string | null => (text.trim() === "" ? null : text.trim());
/** NaN for an empty field, where `Number` would return zero. */
const count = (text: string): number => (text.trim() === "" ? NaN : Number(text));

function configOf(values: SinkFormValues): NewSinkFields["config"] {
  const ca = orNull(values.ca);
  switch (values.kind) {
    case "syslog": {
      const { host, transport } = values;
      const isTls = transport === "tls";
      return {
        kind: "syslog",
        host: host.trim(),
        port: count(values.port),
        transport,
        ca: isTls ? ca : null,
        server_name: isTls ? orNull(values.server_name) : null,
        client_certificate: isTls ? orNull(values.client_certificate) : null,
      };
    }
    case "http":
      return { kind: "http", url: values.url.trim(), ca };
    case "file": {
      const [rotate_megabytes, keep_files] = [count(values.rotate_megabytes), count(values.keep_files)];
      return { kind: "file", name: values.file.trim(), rotate_megabytes, keep_files };
    }
    case "witness":
      return { kind: "witness", url: values.url.trim(), ca, witness_key: values.witness_key.trim() };
  }
}

const KINDS_OF_SECRETS: Record<SecretField, AuditSinkKind> = {
  hmac_key: "http",
  authorization: "http",
  client_key: "syslog",
};

/** Omits the secrets that stay as stored. */
function secretsOf(values: SinkFormValues): Partial<Record<SecretField, string | null>> {
  const sent: Partial<Record<SecretField, string | null>> = {};
  for (const name of SECRETS) {
    if (KINDS_OF_SECRETS[name] !== values.kind) continue;
    if (values.removed[name]) sent[name] = null;
    else if (values[name] !== "") sent[name] = values[name];
  }
  return sent;
}

export function changedOf(values: SinkFormValues): ChangedSinkFields {
  const { name, content, format } = values;
  const every_seconds = content === "checkpoints" ? count(values.every_seconds) : 60;
  return { name, content, format, every_seconds, config: configOf(values), ...secretsOf(values) };
}

export const newOf = (values: SinkFormValues): NewSinkFields => ({ ...changedOf(values), starts: values.starts });

export type SinkErrors = Partial<Record<keyof SinkFormValues, string>>;

/** Maps a path of the contract to a form field. */
function fieldAt(path: readonly PropertyKey[], kind: AuditSinkKind): string {
  const [first, second] = path.map(String);
  if (first !== "config") return first ?? "name";
  return second === "name" && kind === "file" ? "file" : (second ?? "kind");
}

export function checkSink(values: SinkFormValues, isNew: boolean): SinkErrors {
  const [schema, sent] = isNew ? [NewAuditSink, newOf(values)] : [ChangedAuditSink, changedOf(values)];
  return firstObjections(schema, sent, (path) => fieldAt(path, values.kind));
}

export function objectionsTo(kind: AuditSinkKind, error: unknown): SinkErrors {
  if (!isCallError(error)) return {};
  const found = error.errors.map(({ path, msg }) => [fieldAt(path.replace(/^body\./, "").split("."), kind), msg]);
  return Object.fromEntries(found) as SinkErrors;
}
