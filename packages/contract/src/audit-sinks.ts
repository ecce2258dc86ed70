// Audit sinks: destinations that audit entries or checkpoints are exported to, and acting as a witness.
import { z } from "zod";
import { completeBody } from "./complete-body.ts";
import { endpoint } from "./endpoint.ts";
import { Message, Moment, oneLine } from "./fields.ts";
import { holdsSecret } from "./secret-names.ts";

export const AuditSinkId = z.uuid().brand<"AuditSinkId">();
export type AuditSinkId = z.infer<typeof AuditSinkId>;
export const WitnessedLogId = z.uuid().brand<"WitnessedLogId">();
export type WitnessedLogId = z.infer<typeof WitnessedLogId>;

export const AUDIT_SINK_KINDS = ["syslog", "http", "file", "witness"] as const;
export type AuditSinkKind = (typeof AUDIT_SINK_KINDS)[number];
export const AUDIT_SINK_FORMATS = ["json", "rfc5424", "cef", "ocsf"] as const;
export const AuditSinkFormat = z.enum(AUDIT_SINK_FORMATS);
export type AuditSinkFormat = z.infer<typeof AuditSinkFormat>;

const Certificates = z
  .string()
  .trim()
  .max(64_000)
  .includes("-----BEGIN CERTIFICATE-----", { message: "Must be a certificate in PEM format" });
const HostName = oneLine()
  .min(1)
  .max(253)
  .regex(/^[A-Za-z0-9_.:-]+$/, "Must be a host name or an IP address");
const WebAddress = z
  .url({ protocol: /^https?$/, error: "Must be a URL that begins with https:// or http://" })
  .max(1000)
  .refine((text) => !text.includes("#"), "The URL must not contain a fragment (#)")
  .refine((text) => !holdsSecret(text), "Put secrets in the Authorization field, not in the URL");

/** The destination of a sink, by kind. INVARIANT: none of these settings is a secret. */
export const AuditSinkConfig = z.discriminatedUnion("kind", [
  /** RFC 5424 messages, each prefixed with its length (RFC 6587), over TLS (RFC 5425) unless `tcp` was chosen. */
  z.strictObject({
    kind: z.literal("syslog"),
    host: HostName,
    port: z.number().int().min(1).max(65_535).default(6514),
    transport: z.enum(["tls", "tcp"]).default("tls"),
    /** Certificates to trust instead of the system's, in PEM form. */
    ca: Certificates.nullable().default(null),
    /** The host name in the certificate, if it differs from the host. */
    server_name: HostName.nullable().default(null),
    /** Presented to a server that requests a client certificate; its key is a secret of the sink. */
    client_certificate: Certificates.nullable().default(null),
  }),
  /** POSTs batches of lines, signed with HMAC-SHA-256 when there is a key. */
  z.strictObject({
    kind: z.literal("http"),
    url: WebAddress,
    ca: Certificates.nullable().default(null),
  }),
  /** A file in the server's folder for sinks, appended to. */
  z.strictObject({
    kind: z.literal("file"),
    name: oneLine()
      .min(1)
      .max(80)
      .regex(
        /^[A-Za-z0-9][A-Za-z0-9_-]*(\.[A-Za-z][A-Za-z0-9_-]*)?$/,
        "Must be a file name such as audit.jsonl, without a folder",
      ),
    /** Starts a new file above this size. */
    rotate_megabytes: z.number().int().min(1).max(10_240).default(100),
    /** Older files kept beside the newest. */
    keep_files: z.number().int().min(1).max(1000).default(10),
  }),
  /** The operator of another log who verifies that every checkpoint extends the previous one (C2SP tlog-witness). */
  z.strictObject({
    kind: z.literal("witness"),
    /** The part before `/add-checkpoint`. */
    url: WebAddress,
    ca: Certificates.nullable().default(null),
    /** Verifies the witness's cosignatures. */
    witness_key: oneLine().min(1).max(500),
  }),
]);
export type AuditSinkConfig = z.infer<typeof AuditSinkConfig>;

export const AuditSinkStatus = z.object({
  /** `failing`: the last attempt failed. `behind`: the sink works but has more to send. */
  state: z.enum(["disabled", "current", "behind", "failing"]),
  /** Leaf index of the next entry, or the size of the newest delivered checkpoint. */
  cursor: z.number().int(),
  behind_entries: z.number().int(),
  /** Age of the oldest undelivered item. */
  behind_seconds: z.number().int(),
  delivered: z.number().int(),
  last_success_at: Moment.nullable(),
  last_error: z.string().nullable(),
  last_error_at: Moment.nullable(),
  next_attempt_at: Moment.nullable(),
});
export type AuditSinkStatus = z.infer<typeof AuditSinkStatus>;

const CONTENTS = ["entries", "checkpoints"] as const;

export const AuditSink = z.object({
  id: AuditSinkId,
  name: z.string(),
  content: z.enum(CONTENTS),
  format: AuditSinkFormat,
  /** For checkpoints: the minimum number of seconds between two. */
  every_seconds: z.number().int(),
  config: AuditSinkConfig,
  /** Whether each secret of the sink is stored. */
  has_hmac_key: z.boolean(),
  has_authorization: z.boolean(),
  has_client_key: z.boolean(),
  is_enabled: z.boolean(),
  status: AuditSinkStatus,
  /** For a witness: the newest checkpoint with its cosignature, for use with `audit verify --kept`. */
  cosigned_checkpoint: z.string().nullable(),
  created_at: Moment,
  updated_at: Moment,
});
export type AuditSink = z.infer<typeof AuditSink>;

/** If omitted, the secret stays unchanged; null removes it. */
const secret = (least: number, most: number) => z.string().min(least).max(most).nullable().optional();

const fields = {
  name: oneLine().min(1).max(100),
  content: z.enum(CONTENTS).default("entries"),
  format: AuditSinkFormat.default("json"),
  every_seconds: z.number().int().min(1).max(86_400).default(60),
  config: AuditSinkConfig,
  /** The key of the webhook's signature. */
  hmac_key: secret(16, 500),
  /** The webhook's Authorization header, such as `Splunk …`; over HTTPS only. */
  authorization: secret(1, 4000).refine(
    (text) => text === undefined || text === null || /^[\x21-\x7e]+( [\x21-\x7e]+)*$/.test(text),
    "Must be one line of printable characters",
  ),
  /** The private key of the client certificate, in PEM form, without a passphrase. */
  client_key: secret(1, 64_000),
};

interface SinkFields {
  content: (typeof CONTENTS)[number];
  config: AuditSinkConfig;
  authorization?: string | null | undefined;
}

function checkTogether({ content, config, authorization }: SinkFields, context: z.RefinementCtx): void {
  const object = (path: string[], message: string) => context.addIssue({ code: "custom", path, message });
  if (config.kind === "witness" && content !== "checkpoints")
    object(["content"], "A witness receives checkpoints only");
  if (config.kind === "syslog" && content !== "entries")
    object(["content"], "Checkpoints can be sent only to a file, a URL or a witness");
  const isPlain = config.kind === "http" && !config.url.startsWith("https://");
  if (isPlain && typeof authorization === "string") object(["authorization"], "Authorization is sent over HTTPS only");
}

export const NewAuditSink = z
  .strictObject({
    ...fields,
    /** `now` skips everything recorded before. */
    starts: z.enum(["beginning", "now"]).default("beginning"),
    is_enabled: z.boolean().default(true),
  })
  .superRefine(checkTogether);
export type NewAuditSink = z.infer<typeof NewAuditSink>;
export const ChangedAuditSink = z.strictObject(fields).superRefine(checkTogether);
export type ChangedAuditSink = z.infer<typeof ChangedAuditSink>;

const byId = z.object({ id: AuditSinkId });

export const listAuditSinks = endpoint({
  method: "GET",
  path: "/api/v1/audit/sinks",
  summary: "The audit sinks, and the progress of each",
  reply: z.object({
    sinks: z.array(AuditSink),
    /** The number of entries that have an index in the tree. */
    size: z.number().int(),
    /** The folder of sinks of the kind `file`, on the server. */
    folder: z.string(),
  }),
  needs: "audit-sink.read",
  audit: "none",
});

export const createAuditSink = endpoint({
  method: "POST",
  path: "/api/v1/audit/sinks",
  summary: "Add a sink for the audit trail or its checkpoints",
  body: NewAuditSink,
  reply: AuditSink,
  status: 201,
  needs: "audit-sink.manage",
  audit: "audit-sink.created",
  gives: "secret",
  stepUp: true,
  givesByToken: "audit-sink.manage",
});

export const updateAuditSink = endpoint({
  method: "PUT",
  path: "/api/v1/audit/sinks/:id",
  summary: "Change a sink; it continues from its current position",
  params: byId,
  body: completeBody(ChangedAuditSink, { entity: AuditSink, fixed: ["id", "is_enabled", "created_at"] }),
  reply: AuditSink,
  needs: "audit-sink.manage",
  audit: "audit-sink.updated",
  gives: "secret",
  stepUp: true,
  givesByToken: "audit-sink.manage",
  thing: "audit-sink",
});

export const switchAuditSink = endpoint({
  method: "POST",
  path: "/api/v1/audit/sinks/:id/state",
  summary: "Enable or disable a sink; when enabled again, it continues from its position",
  params: byId,
  body: z.strictObject({ is_enabled: z.boolean() }),
  reply: AuditSink,
  needs: "audit-sink.manage",
  audit: "audit-sink.switched",
  gives: "secret",
  stepUp: true,
  givesByToken: "audit-sink.manage",
  thing: "audit-sink",
});

export const testAuditSink = endpoint({
  method: "POST",
  path: "/api/v1/audit/sinks/:id/test",
  summary: "Send a test message to a sink",
  params: byId,
  reply: z.object({ has_arrived: z.boolean(), message: z.string() }),
  needs: "audit-sink.manage",
  audit: "audit-sink.tested",
  gives: "nothing",
  thing: "audit-sink",
});

export const deleteAuditSink = endpoint({
  method: "DELETE",
  path: "/api/v1/audit/sinks/:id",
  summary: "Delete a sink",
  params: byId,
  reply: Message,
  needs: "audit-sink.manage",
  audit: "audit-sink.deleted",
  gives: "nothing",
  stepUp: true,
  thing: "audit-sink",
});

/** Another party's log whose checkpoints this Strongroom verifies and cosigns. */
export const WitnessedLog = z.object({
  id: WitnessedLogId,
  name: z.string(),
  origin: z.string(),
  verifier_key: z.string(),
  /** The size of the newest cosigned checkpoint; 0 before the first. */
  size: z.number().int(),
  /** The newest cosigned checkpoint, as signed by its log: an auditor compares an export with this checkpoint. */
  checkpoint: z.string().nullable(),
  cosigned_at: Moment.nullable(),
  /** The last signed checkpoint that did not extend the newest one: the log was rewritten. */
  contradiction: z.object({ checkpoint: z.string(), message: z.string(), at: Moment }).nullable(),
});
export type WitnessedLog = z.infer<typeof WitnessedLog>;

export const readWitness = endpoint({
  method: "GET",
  path: "/api/v1/audit/witness",
  summary: "This Strongroom as a witness: its key, and the logs that it watches",
  reply: z.object({
    /** Verifies this Strongroom's cosignatures. */
    witness_key: z.string(),
    logs: z.array(WitnessedLog),
  }),
  needs: "audit-sink.read",
  audit: "none",
});

export const addWitnessedLog = endpoint({
  method: "POST",
  path: "/api/v1/audit/witness/logs",
  summary: "Start witnessing another log",
  body: z.strictObject({
    name: oneLine().min(1).max(100),
    /** The output of `strongroom audit key` at the other installation. */
    verifier_key: oneLine().min(1).max(500),
  }),
  reply: WitnessedLog,
  status: 201,
  needs: "audit-sink.manage",
  audit: "audit-witness.log-added",
  gives: "nothing",
  stepUp: true,
});

export const removeWitnessedLog = endpoint({
  method: "DELETE",
  path: "/api/v1/audit/witness/logs/:id",
  summary: "Stop witnessing a log and delete its checkpoints",
  params: z.object({ id: WitnessedLogId }),
  reply: Message,
  needs: "audit-sink.manage",
  audit: "audit-witness.log-removed",
  gives: "nothing",
  stepUp: true,
  thing: "witnessed-log",
});

/**
 * C2SP tlog-witness: `old <size>`, the consistency proof in lines of base64, an empty line, the checkpoint; as text.
 * Returns the cosignature as a line of a signed note. Not called by people: the log's own signature authenticates the
 * call.
 */
export const addCheckpoint = endpoint({
  method: "POST",
  path: "/api/v1/audit/witness/add-checkpoint",
  summary: "Cosign a checkpoint of a watched log (C2SP tlog-witness)",
  body: z.string().min(1).max(65_536),
  reply: { stream: "text/plain" },
  needs: "public",
  audit: "none",
  gives: "nothing",
});
