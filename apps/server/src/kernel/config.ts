// Reads and validates the environment variables once at start.
import { isIP } from "node:net";
import { resolve } from "node:path";
import { z } from "zod";
import { StartError } from "./start-error.ts";

const flag = z
  .enum(["0", "1", "true", "false", ""])
  .default("0")
  .transform((text) => text === "1" || text === "true");

const list = z
  .string()
  .default("")
  .transform((text) =>
    text
      .split(",")
      .map((part) => part.trim())
      .filter((part) => part !== ""),
  );

const Environment = z.object({
  NODE_ENV: z.string().default("production"),
  PORT: z.coerce.number().int().min(0).max(65535).default(3000),
  HOST: z.string().min(1).default("127.0.0.1"),
  STRONGROOM_DATA: z.string().min(1).default("data"),
  DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/ }).optional(),
  STRONGROOM_SETUP_TOKEN: z.string().min(16, "must have at least 16 characters").max(200).optional(),
  STRONGROOM_SINK_FOLDER: z.string().min(1).optional(),
  STRONGROOM_SEAL: z.enum(["key-file", "passphrase"]).default("key-file"),
  STRONGROOM_KEY_FILE: z.string().min(1).optional(),
  STRONGROOM_PASSPHRASE_FILE: z.string().min(1).optional(),
  STRONGROOM_PUBLIC_URL: z
    .url({ protocol: /^https?$/ })
    .refine((text) => !/[?#@]/.test(text), "must be a URL without user, query or fragment")
    .transform((text) => text.replace(/\/+$/, ""))
    .optional(),
  STRONGROOM_TRUST_PROXY: list.refine(
    (parts) => parts.every(isAddressOrNetwork),
    "must be a comma-separated list of addresses or networks such as 10.0.0.0/8",
  ),
  STRONGROOM_ALLOW_LOOPBACK: flag,
  STRONGROOM_ALLOWED_NETWORKS: list,
  STRONGROOM_DISCOVERY_SCANS_PER_NETWORK: z.coerce.number().int().min(1).max(1000).default(32),
  STRONGROOM_RATE_LIMIT: z.coerce.number().int().min(0).default(1200),
  STRONGROOM_ROTATIONS_PER_MINUTE: z.coerce.number().int().min(1).max(100_000).default(600),
  STRONGROOM_SESSIONS_PER_USER: z.coerce.number().int().min(1).max(10_000).default(100),
  STRONGROOM_SESSIONS_PER_GATEWAY: z.coerce.number().int().min(1).max(100_000).default(1000),
  STRONGROOM_SSH_PORT: z.coerce.number().int().min(0).max(65535).default(2022),
  STRONGROOM_SSH_ADDRESS: z
    .string()
    .regex(/^[^\s/@?#]+$/, "must be a host name, or a host name and a port")
    .optional(),
  STRONGROOM_RELAY_PORT: z.coerce.number().int().min(0).max(65535).default(0),
  STRONGROOM_RELAY_ADDRESS: z
    .string()
    .regex(/^[^\s/@?#]+$/, "must be a host name, or a host name and a port")
    .optional(),
  STRONGROOM_GATEWAY: z.enum(["0", "1"]).default("1"),
  STRONGROOM_SSH_CA_SOURCES: list.refine(
    (parts) => parts.every(isAddressOrNetwork),
    "must be a comma-separated list of addresses or networks such as 10.0.0.0/8",
  ),
  STRONGROOM_GATEWAY_ZONE: z.string().trim().min(1).max(60).optional(),
  STRONGROOM_RECORDINGS_BUCKET: z.string().min(1).max(200).optional(),
  STRONGROOM_RECORDINGS_PREFIX: z
    .string()
    .regex(/^([\w.-]+\/)*$/, "must consist of letters, digits, ., _ and -, and end with /")
    .default("recordings/"),
  STRONGROOM_RECORDINGS_LOCK: z.enum(["governance", "compliance"]).optional(),
  STRONGROOM_RECORDINGS_ENDPOINT: z
    .url({ protocol: /^https?$/ })
    .refine(isPrivateUrl, "must begin with https, unless its host is on this machine")
    .optional(),
  STRONGROOM_RECORDINGS_REGION: z.string().min(1).max(60).default("us-east-1"),
  STRONGROOM_AUDIT_SEARCH_SECONDS: z.coerce.number().int().min(1).max(30).default(10),
  STRONGROOM_BACKUPS: z.string().min(1).optional(),
  STRONGROOM_API_DOCS: z.enum(["signed-in", "public", "off"]).default("signed-in"),
  STRONGROOM_METRICS_TOKEN: z.string().min(16).optional(),
  STRONGROOM_LOG_LEVEL: z.enum(["fatal", "error", "warn", "info", "debug", "trace", "silent"]).default("info"),
  SMTP_URL: z.url({ protocol: /^smtps?$/ }).optional(),
  STRONGROOM_MAIL_FROM: z.string().min(3).default("Strongroom <strongroom@localhost>"),
});

/** For example `192.0.2.1` or `2001:db8::/32`. */
function isAddressOrNetwork(text: string): boolean {
  const [address = "", length, ...rest] = text.split("/");
  const family = isIP(address);
  if (family === 0 || rest.length > 0) return false;
  return length === undefined || (/^\d{1,3}$/.test(length) && Number(length) <= (family === 4 ? 32 : 128));
}

/** Encrypted, or on this machine. */
function isPrivateUrl(text: string): boolean {
  const { protocol, hostname } = new URL(text);
  return protocol === "https:" || ["localhost", "127.0.0.1", "[::1]"].includes(hostname);
}

export interface RecordingsBucket {
  bucket: string;
  /** Empty, or ends with `/`. */
  prefix: string;
  region: string;
  /** The URL of an S3-compatible store; null is AWS. */
  endpoint: string | null;
  /** The mode of the object lock; null does not lock. */
  lock: "governance" | "compliance" | null;
}

export interface Config {
  isDevelopment: boolean;
  /** With 0, the system chooses a free port. */
  port: number;
  host: string;
  /** An absolute path. */
  dataFolder: string;
  /** A PostgreSQL server to use instead of the embedded one. */
  databaseUrl: string | null;
  setupToken: string | null;
  /** The folder in which audit sinks of the kind `file` write. */
  sinkFolder: string;
  seal: "key-file" | "passphrase";
  keyFile: string;
  /** A file whose first line is the passphrase, for an unattended start. */
  passphraseFile: string | null;
  /** The URL that browsers use, for links in emails. Null uses the listening address. */
  publicUrl: string | null;
  trustedProxies: string[];
  allowLoopbackTargets: boolean;
  /** CIDR blocks. An empty list allows every network except the forbidden ones. */
  allowedNetworks: string[];
  /** Requests per minute for each client and each user; 0 disables both limits. */
  /** How many scans of one network run concurrently, in all processes together. */
  discoveryScansPerNetwork: number;
  rateLimit: number;
  /** The maximum number of rotations that the schedule starts per minute, over all processes. */
  rotationsPerMinute: number;
  /** The maximum number of open privileged sessions of one user, over all gateways. */
  sessionsPerUser: number;
  /** The maximum number of open privileged sessions of this gateway. */
  sessionsPerGateway: number;
  /** The port on which the gateway listens for SSH clients, on `host`; 0 disables it. */
  sshPort: number;
  /** The host, or `host:port`, at which SSH clients reach the gateway; null uses `host` and `sshPort`. */
  sshAddress: string | null;
  /** The port on which the gateway accepts browsers from servers on other machines, on `host`; 0 disables it. */
  relayPort: number;
  /** The host, or `host:port`, at which servers reach the gateway; null uses `host` and `relayPort`. */
  relayAddress: string | null;
  /**
   * The addresses from which this gateway's connections reach targets, for its certificates; empty for its own
   * addresses.
   */
  sshCaSources: string[];
  /** Whether to run a session gateway alongside this server. */
  hasGateway: boolean;
  /** The network zone of the gateway that this process runs. */
  gatewayZone: string | null;
  /** The bucket that stores recordings; null stores them in the data folder. */
  recordingsBucket: RecordingsBucket | null;
  /** The database time limit for reading a page of the audit trail, or for counting matches. */
  auditSearchSeconds: number;
  /** The folder of backups made in the Admin Console. An absolute path. */
  backupFolder: string;
  /** Access to the API documentation. */
  apiDocs: "signed-in" | "public" | "off";
  metricsToken: string | null;
  logLevel: string;
  smtpUrl: string | null;
  mailFrom: string;
}

/** Throws `StartError` for the first invalid variable. */
export function readConfig(environment: Record<string, string | undefined>): Config {
  const given = Object.fromEntries(
    Object.entries(environment).filter(([, value]) => value !== undefined && value !== ""),
  );
  const parsed = Environment.safeParse(given);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    throw new StartError(`The environment variable ${issue?.path.join(".")} is invalid: ${issue?.message}.`);
  }
  const value = parsed.data;
  const dataFolder = resolve(value.STRONGROOM_DATA);
  const isDevelopment = value.NODE_ENV === "development";
  return {
    isDevelopment,
    port: value.PORT,
    host: value.HOST,
    dataFolder,
    databaseUrl: value.DATABASE_URL ?? null,
    sinkFolder: resolve(value.STRONGROOM_SINK_FOLDER ?? `${dataFolder}/audit-sinks`),
    setupToken: value.STRONGROOM_SETUP_TOKEN ?? null,
    seal: value.STRONGROOM_SEAL,
    keyFile: resolve(value.STRONGROOM_KEY_FILE ?? `${dataFolder}/root.key`),
    passphraseFile: value.STRONGROOM_PASSPHRASE_FILE ?? null,
    publicUrl: value.STRONGROOM_PUBLIC_URL ?? null,
    trustedProxies: value.STRONGROOM_TRUST_PROXY,
    allowLoopbackTargets: value.STRONGROOM_ALLOW_LOOPBACK || isDevelopment,
    allowedNetworks: value.STRONGROOM_ALLOWED_NETWORKS,
    discoveryScansPerNetwork: value.STRONGROOM_DISCOVERY_SCANS_PER_NETWORK,
    rateLimit: value.STRONGROOM_RATE_LIMIT,
    rotationsPerMinute: value.STRONGROOM_ROTATIONS_PER_MINUTE,
    sessionsPerUser: value.STRONGROOM_SESSIONS_PER_USER,
    sessionsPerGateway: value.STRONGROOM_SESSIONS_PER_GATEWAY,
    sshPort: value.STRONGROOM_SSH_PORT,
    sshAddress: value.STRONGROOM_SSH_ADDRESS ?? null,
    relayPort: value.STRONGROOM_RELAY_PORT,
    relayAddress: value.STRONGROOM_RELAY_ADDRESS ?? null,
    sshCaSources: value.STRONGROOM_SSH_CA_SOURCES,
    hasGateway: value.STRONGROOM_GATEWAY === "1",
    gatewayZone: value.STRONGROOM_GATEWAY_ZONE ?? null,
    recordingsBucket: bucketOf(value),
    auditSearchSeconds: value.STRONGROOM_AUDIT_SEARCH_SECONDS,
    backupFolder: resolve(value.STRONGROOM_BACKUPS ?? `${dataFolder}/backups`),
    apiDocs: value.STRONGROOM_API_DOCS,
    metricsToken: value.STRONGROOM_METRICS_TOKEN ?? null,
    logLevel: value.STRONGROOM_LOG_LEVEL,
    smtpUrl: value.SMTP_URL ?? null,
    mailFrom: value.STRONGROOM_MAIL_FROM,
  };
}

function bucketOf(value: z.infer<typeof Environment>): RecordingsBucket | null {
  if (value.STRONGROOM_RECORDINGS_BUCKET === undefined) return null;
  return {
    bucket: value.STRONGROOM_RECORDINGS_BUCKET,
    prefix: value.STRONGROOM_RECORDINGS_PREFIX,
    region: value.STRONGROOM_RECORDINGS_REGION,
    endpoint: value.STRONGROOM_RECORDINGS_ENDPOINT ?? null,
    lock: value.STRONGROOM_RECORDINGS_LOCK ?? null,
  };
}
