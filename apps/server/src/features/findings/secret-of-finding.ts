// Reads the file or the database of a finding again and finds its secret in it, for verifying and vaulting. Nothing else reads secrets.
import { filePathOf, opensAccount, placeName } from "@strongroom/contract";
import { connectorFor } from "@strongroom/connectors";
import type { Connector, ReadFile, Target, VerifyContext } from "@strongroom/connectors";
import type { SystemType } from "@strongroom/contract";
import { Secret } from "@strongroom/keys";
import { refuse } from "#kernel/http/refuse.ts";
import type { Refusal } from "#kernel/http/refuse.ts";
import {
  lockTarget,
  obstacleToLogin,
  openCredential,
  readCredential,
  targetOf,
  updateTarget,
} from "#features/discovery/index.ts";
import type { CredentialRow, TargetRow } from "#features/discovery/index.ts";
import type { FindingsContext } from "./findings.ts";
import { textOfDefinition, textOfSettings, textOfTable } from "./database-texts.ts";
import type { DatabaseText } from "./database-texts.ts";
import { COLUMN_DETECTOR } from "./findings.policy.ts";
import type { FindingRow } from "./findings.store.ts";
import { keysOf } from "./known-secrets.ts";
import { openSearcher } from "./search-file.ts";

const TIMEOUT_MS = 30_000;
/** The default of scans. */
const LARGEST_FILE = 10_485_760;
/** The limits of a deep scan, so that findings of every scan can be read again. */
export const DEEPEST_SEARCH = { maxRows: 20_000, maxTables: 50_000, maxTotalBytes: 4 * 1024 * 1024 * 1024 };

export interface OpenedTarget {
  target: TargetRow;
  credential: CredentialRow;
}

/** INVARIANT: a user reads secrets of files only with a credential that they may retrieve without approval. */
export async function openTarget(
  { kernel, accounts }: FindingsContext,
  actor: Parameters<FindingsContext["accounts"]["requireSecret"]>[1],
  targetId: string,
): Promise<OpenedTarget> {
  return kernel.database.transaction(async (tx) => {
    const target = await lockTarget(tx, targetId);
    const credential = target === null ? null : await readCredential(tx, target.credential_id);
    if (target === null) throw refuse(404, "finding.not-found", "Security finding not found");
    const obstacle = await obstacleToLogin(tx, target, credential);
    if (credential === null || obstacle !== null) {
      const message = obstacle?.message ?? "The target's credential was deleted or is not active.";
      throw refuse(409, `finding.${obstacle?.code ?? "credential-unavailable"}`, message);
    }
    await accounts.requireSecret(tx, actor, credential.id);
    return { target, credential };
  });
}

const SCANNED_SYSTEMS: readonly SystemType[] = ["postgresql", "mysql", "mssql", "oracle", "mongodb"];

/** The system that was scanned, and its type if it is a database. */
export interface ScannedSystem {
  hostname: string;
  port: number;
  system: SystemType | null;
  /** Local addresses in its files mean itself. Those in buckets and repositories mean wherever the files are used. */
  isLocal: boolean;
  /** How the scan connects: the database, and the settings for TLS. */
  connection: Pick<Target, "databaseName" | "sslEnabled" | "additionalParams">;
}

export function scannedSystem({ target, credential }: OpenedTarget): ScannedSystem {
  const connection = targetOf(credential, target);
  const { id, filesBegin } = connectorFor(connection);
  const { hostname, port } = target;
  const system = SCANNED_SYSTEMS.find((each) => each === id) ?? null;
  return { hostname, port, system, isLocal: filesBegin === undefined, connection };
}

export type SecretsFound = Map<string, Secret | Refusal>;

/**
 * The secrets of findings of one target, by finding. The caller must dispose of them. Logs in once; throws a refusal when
 * the login fails.
 */
export async function readSecrets(
  { kernel, network }: FindingsContext,
  { target, credential }: OpenedTarget,
  rows: readonly FindingRow[],
  signal: AbortSignal,
): Promise<SecretsFound> {
  const to = targetOf(credential, target);
  const connector = connectorFor(to);
  const { fingerprintKey } = await keysOf(kernel);
  const readable = rows.filter(({ class: kind, path }) => opensAccount(kind, path));
  const places = [...new Set(readable.map(({ path }) => path))];
  const found: SecretsFound = new Map(rows.map((row) => [row.id, readable.includes(row) ? goneFrom(row) : noSecret()]));
  if (places.length === 0) return found;
  const wanted = readable.flatMap((row) => row.fingerprint ?? []);
  const searcher = openSearcher(signal);
  const take: Take = async (path, content, isOf) => {
    for (const each of await searcher.search({ path: filePathOf(path), content, fingerprintKey, wanted })) {
      for (const row of readable) {
        if (row.fingerprint !== each.fingerprint || !isOf(row, each.line) || !isOfHost(row, each)) continue;
        if (!(found.get(row.id) instanceof Secret)) found.set(row.id, Secret.fromText(each.value));
      }
    }
  };
  const limits = { timeoutMs: TIMEOUT_MS, signal, network, now: () => kernel.clock.now() };
  using secret = await openCredential(kernel, credential);
  let result: Awaited<ReturnType<typeof readAgain>>;
  try {
    result = await readAgain(connector, { to, secret, places, limits }, take);
  } finally {
    await searcher.close();
  }
  if (result === undefined)
    throw refuse(422, "finding.not-readable", "Strongroom cannot read the files of this target.");
  if (result.outcome === "read") return found;
  if (result.outcome === "rejected") {
    const change = { rejected_revision: credential.login_revision };
    await kernel.database.transaction((tx) => updateTarget(tx, target.id, change));
  }
  throw refuse(502, "finding.target-failed", result.message);
}

/**
 * INVARIANT: a secret is sent only to the address that the file names beside it, to the scanned host, or to one that the
 * user entered. The address in the database is not enough.
 */
const isOfHost = (row: FindingRow, found: { host: string | null; port: number | null }): boolean =>
  row.host === null || (row.host === found.host && row.port === found.port);

type Take = (
  path: string,
  content: Uint8Array | string,
  isOf: (row: FindingRow, line: number) => boolean,
) => Promise<void>;

interface Reading {
  to: Target;
  secret: Secret;
  places: readonly string[];
  limits: VerifyContext;
}

/** Undefined when the target's system cannot be read. */
async function readAgain({ readFiles, readDatabases }: Connector, { to, secret, places, limits }: Reading, take: Take) {
  if (readFiles !== undefined) {
    const size = { maxFileSize: LARGEST_FILE, maxTotalBytes: places.length * LARGEST_FILE, maxFiles: places.length };
    const search = { roots: places, names: [], excludes: [], known: [], history: true, maxLoadPerCore: null, ...size };
    const reader = {
      choose: async <T>(files: readonly T[]) => files,
      read: async ({ path, content }: ReadFile) => take(path, content, (row) => row.path === path),
    };
    return readFiles(to, secret, search, reader, limits);
  }
  const takeText = async ({ file, text, placeOf }: DatabaseText) =>
    take(file, text, ({ path }, line) => placeOf(line)?.place === path);
  return readDatabases?.(
    to,
    secret,
    { ...DEEPEST_SEARCH, excludes: [], only: places, known: [] },
    {
      found: async () => {},
      table: (table) => takeText(textOfTable(table)),
      definition: (definition) => takeText(textOfDefinition(definition)),
      settings: (settings) => takeText(textOfSettings(settings)),
    },
    limits,
  );
}

const noSecret = (): Refusal =>
  refuse(422, "finding.no-secret", "This finding has no secret that Strongroom can read again and log in with.");

const goneFrom = ({ path, detector }: FindingRow): Refusal =>
  detector === COLUMN_DETECTOR
    ? refuse(
        422,
        "finding.no-secret",
        "This finding is about all secrets of a column, so there is no single one to use.",
      )
    : refuse(
        409,
        "finding.secret-gone",
        `The secret is no longer in ${placeName(path)}, or it cannot be read. Scan the target again.`,
      );
