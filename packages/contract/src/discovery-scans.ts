// Scans of discovery targets for accounts.
import { z } from "zod";
import { DiscoveryTargetType } from "./discovery-types.ts";
import { DiscoveryScanId, DiscoveryTargetId, ScanStatus, discoveryManaging, discoveryReading } from "./discovery.ts";
import { endpoint } from "./endpoint.ts";
import { Moment, pageQuery, sortBy } from "./fields.ts";

/**
 * SCAN-04: one command or query of a scan. INVARIANT: `output` and `error` are our own words, such as a count; never
 * text of the target, which could contain a secret.
 */
export const ScanCommand = z.object({
  command: z.string(),
  success: z.boolean(),
  /** Null for queries, and for a command that did not end. */
  exitCode: z.number().int().nullable(),
  output: z.string(),
  error: z.string(),
});
export type ScanCommand = z.infer<typeof ScanCommand>;

/** SCAN-14 to SCAN-16. The timeout is in milliseconds. */
export const ScanSettings = z
  .strictObject({
    includeSystemAccounts: z.boolean().default(false),
    timeout: z.number().int().min(5000).max(300_000).default(30_000),
    maxAccounts: z.number().int().min(1).max(10_000).default(1000),
  })
  .prefault({});
export type ScanSettings = z.infer<typeof ScanSettings>;

/** `waiting` until the target lists its first accounts. */
export const ScanPhase = z.enum(["waiting", "listing", "storing"]);
export type ScanPhase = z.infer<typeof ScanPhase>;

/** SCAN-03. */
export const DiscoveryScan = z.object({
  id: DiscoveryScanId,
  target_id: DiscoveryTargetId,
  status: ScanStatus,
  created_at: Moment,
  started_at: Moment.nullable(),
  completed_at: Moment.nullable(),
  discovery_targets: z.object({ name: z.string(), hostname: z.string(), target_type: DiscoveryTargetType }),
  /** Null until the scan has logged in or failed. */
  metadata: z
    .object({
      accounts_discovered: z.number().int().nullable(),
      accounts_stored: z.number().int().nullable(),
      /** Milliseconds. */
      scan_duration: z.number().int().nullable(),
      total_connections: z.number().int(),
      /** A code such as `wrong-password`. */
      error: z.string().nullable(),
      error_message: z.string().nullable(),
      /** False if the scan could not list or store every account. */
      is_complete: z.boolean(),
      incomplete_reason: z.string().nullable(),
      /** SCAN-04. */
      commands: z.array(ScanCommand),
    })
    .nullable(),
  /** Null unless the scan is running. It is written at most once a second. */
  progress: z
    .object({
      phase: ScanPhase,
      /** The accounts that the target has listed so far; null for systems that answer with all at once. */
      accounts: z.number().int().nullable(),
    })
    .nullable(),
  settings: ScanSettings,
  requested_by: z.string(),
  is_scheduled: z.boolean(),
  can_manage: z.boolean(),
});
export type DiscoveryScan = z.infer<typeof DiscoveryScan>;

const targetById = { params: z.object({ id: DiscoveryTargetId }) };
const scanById = { params: z.object({ id: DiscoveryScanId }) };

/** DISC-29: the target must be active. 409 while another scan of the target is pending or running. */
export const startDiscoveryScan = endpoint({
  ...discoveryManaging,
  ...targetById,
  method: "POST",
  path: "/api/v1/discovery/targets/:id/scan",
  summary: "Scan a target for accounts in the background",
  body: z.strictObject({ scanSettings: ScanSettings }),
  reply: DiscoveryScan,
  status: 202,
  perMinute: 60,
  audit: "discovery.scan-requested",
});

/** The maximum number of targets that one call scans. */
export const MOST_SCANNED_TARGETS = 500;

export const ScannedTargetIds = z
  .array(DiscoveryTargetId)
  .min(1, "Choose at least one target")
  .max(MOST_SCANNED_TARGETS, `Choose at most ${MOST_SCANNED_TARGETS} targets`);

/** A target that was not scanned, with the code and the message with which a scan of it alone is refused. */
export const SkippedTarget = z.object({ id: DiscoveryTargetId, code: z.string(), message: z.string() });
export type SkippedTarget = z.infer<typeof SkippedTarget>;

/** The reply of a call that scans several targets. */
export const startedScans = <Id extends z.ZodType>(scanId: Id) =>
  z.object({
    started: z.array(z.object({ target_id: DiscoveryTargetId, scan_id: scanId })),
    skipped: z.array(SkippedTarget),
    message: z.string(),
  });

/** Each target is checked as by `startDiscoveryScan`: those that cannot be scanned are skipped, and the others start. */
export const startDiscoveryScans = endpoint({
  ...discoveryManaging,
  method: "POST",
  path: "/api/v1/discovery/scans",
  summary: "Scan several targets for accounts in the background",
  body: z.strictObject({ targetIds: ScannedTargetIds, scanSettings: ScanSettings }),
  reply: startedScans(DiscoveryScanId),
  status: 202,
  perMinute: 10,
  audit: "discovery.scans-requested",
});

/** `target` is its name, and `accounts` the number of discovered accounts. A scan that waits starts when it is requested. */
export const DISCOVERY_SCAN_SORT_FIELDS = ["target", "status", "started", "duration", "accounts"] as const;
export type DiscoveryScanSortField = (typeof DISCOVERY_SCAN_SORT_FIELDS)[number];

export const DiscoveryScanSort = sortBy(DISCOVERY_SCAN_SORT_FIELDS);
export type DiscoveryScanSort = z.infer<typeof DiscoveryScanSort>;

export const listDiscoveryScans = endpoint({
  ...discoveryReading,
  path: "/api/v1/discovery/scans",
  summary: "Scans of the targets that the caller can see, the last requested first unless sorted otherwise",
  query: z
    .object({
      sort: DiscoveryScanSort.optional(),
      ...pageQuery(200, 50),
      /** Skips this many scans; the cursor stays correct while scans are added. */
      offset: z.coerce.number().int().min(0).max(10_000).optional(),
      targetId: DiscoveryTargetId.optional(),
      status: ScanStatus.optional(),
    })
    .refine(({ cursor, offset }) => cursor === undefined || offset === undefined, {
      path: ["offset"],
      message: "Use a cursor or an offset, not both",
    }),
  reply: z.object({ data: z.array(DiscoveryScan), next_cursor: z.string().nullable() }),
});

export const readDiscoveryScan = endpoint({
  ...discoveryReading,
  ...scanById,
  path: "/api/v1/discovery/scans/:id",
  summary: "One scan",
  reply: DiscoveryScan,
});

/** SCAN-07: 409 for a scan that has ended. */
export const cancelDiscoveryScan = endpoint({
  ...discoveryManaging,
  ...scanById,
  method: "POST",
  path: "/api/v1/discovery/scans/:id/cancel",
  summary: "Cancel a scan",
  reply: DiscoveryScan,
  audit: "discovery.scan-cancelled",
});
