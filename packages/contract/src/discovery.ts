// Discovery: systems that Strongroom scans for accounts, and the scans.
import { z } from "zod";
import { completeBody } from "./complete-body.ts";
import { DISCOVERY_DEFAULTS, DiscoveryMethod, DiscoveryTargetType, hasAccounts } from "./discovery-types.ts";
import { endpoint } from "./endpoint.ts";
import { AccountId, HostKey, Message, Moment, oneLine, optionalLines, pageQuery, SafeId, sortBy } from "./fields.ts";

export const DiscoveryTargetId = z.uuid().brand<"DiscoveryTargetId">();
export type DiscoveryTargetId = z.infer<typeof DiscoveryTargetId>;
export const DiscoveryScanId = z.uuid().brand<"DiscoveryScanId">();
export type DiscoveryScanId = z.infer<typeof DiscoveryScanId>;

/** DISC-20 to DISC-23. The timeout is in milliseconds. */
const TargetSettings = z
  .strictObject({
    port: z
      .number()
      .int()
      .min(1, "Port must be between 1 and 65535")
      .max(65_535, "Port must be between 1 and 65535")
      .default(22),
    timeout: z.number().int().min(1000, "Timeout must be at least 1000ms").max(300_000).default(30_000),
  })
  .prefault({});

/** Local time, such as 22:00. */
const TimeOfDay = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, "Enter a time such as 22:00");

/** When scans start automatically. */
export const ScanSchedule = z.strictObject({
  /** Five fields: minute, hour, day of the month, month, day of the week. */
  cron: oneLine("Schedule is required").trim().min(1, "Schedule is required").max(100),
  /** An IANA name. */
  timezone: oneLine().min(1).max(64),
  /** A random delay of at most this many minutes, so that targets with the same schedule are not scanned at once. */
  jitterMinutes: z.number().int().min(0).max(240),
  /** Scans start only within this time of the day; null for any time. It may pass midnight. */
  window: z.strictObject({ from: TimeOfDay, to: TimeOfDay }).nullable(),
});
export type ScanSchedule = z.infer<typeof ScanSchedule>;

const login = {
  targetType: DiscoveryTargetType,
  connectionMethod: DiscoveryMethod,
  hostname: oneLine("Hostname or IP address is required").min(1, "Hostname or IP address is required").max(253),
  /** An account whose secret the scan logs in with. */
  credentialId: z.uuid("Please select a credential").pipe(AccountId),
  settings: TargetSettings,
};

const editable = {
  name: oneLine("Target name is required").min(1, "Target name is required").max(100),
  description: optionalLines(1000),
  ...login,
};

interface Choice {
  targetType: DiscoveryTargetType;
  connectionMethod: DiscoveryMethod;
  schedule?: ScanSchedule | null;
}

function requireMethod({ targetType, connectionMethod, schedule = null }: Choice, context: z.RefinementCtx): void {
  if (schedule !== null && !hasAccounts(targetType)) {
    const message = "Targets of this type have no accounts to list. Schedule an enhanced scan instead";
    context.addIssue({ code: "custom", path: ["schedule"], message });
  }
  const { method } = DISCOVERY_DEFAULTS[targetType];
  if (connectionMethod === method) return;
  context.addIssue({
    code: "custom",
    path: ["connectionMethod"],
    message: `Targets of this type are scanned by ${method}`,
  });
}

export const NewDiscoveryTarget = z
  .strictObject({
    ...editable,
    /** The safe whose members see the target and the accounts that are found. */
    safeId: z.uuid("Please select a safe").pipe(SafeId),
    schedule: ScanSchedule.nullable().default(null),
    /** The key that a scan of address ranges saw: the first login accepts no other. */
    hostKey: z
      .strictObject({ type: oneLine().max(50), fingerprint: oneLine().max(100) })
      .nullable()
      .default(null),
  })
  .superRefine(requireMethod);
export type NewDiscoveryTarget = z.infer<typeof NewDiscoveryTarget>;

export const DiscoveryTargetEdit = z
  .strictObject({ ...editable, isActive: z.boolean(), schedule: ScanSchedule.nullable() })
  .superRefine(requireMethod);
export type DiscoveryTargetEdit = z.infer<typeof DiscoveryTargetEdit>;

/** SCAN-05. */
export const ScanStatus = z.enum(["pending", "running", "completed", "failed", "cancelled"]);
export type ScanStatus = z.infer<typeof ScanStatus>;

/** DISC-14. */
export const DiscoveryTarget = z.object({
  id: DiscoveryTargetId,
  name: z.string(),
  description: z.string().nullable(),
  target_type: DiscoveryTargetType,
  hostname: z.string(),
  connection_method: DiscoveryMethod,
  credential_id: AccountId,
  settings: z.object({ port: z.number().int(), timeout: z.number().int() }),
  safe_id: SafeId,
  safe_name: z.string(),
  is_active: z.boolean(),
  /** The SSH host key that later scans require; null until the first login, and for other protocols. */
  host_key: HostKey.nullable(),
  /** The key that the host presented instead of `host_key`; scans fail until a user accepts it. */
  offered_host_key: HostKey.nullable(),
  schedule: ScanSchedule.nullable(),
  /** When the schedule starts the next scan. */
  next_scan_at: Moment.nullable(),
  /** The last basic scan. */
  last_scan: z
    .object({
      id: DiscoveryScanId,
      status: ScanStatus,
      completed_at: Moment.nullable(),
      accounts_discovered: z.number().int().nullable(),
    })
    .nullable(),
  last_enhanced_scan: z.object({ status: ScanStatus, completed_at: Moment.nullable() }).nullable(),
  /** Whether the caller can scan, change and delete the target. */
  can_manage: z.boolean(),
  /** Whether enhanced scans can search this system for secrets. */
  has_enhanced_scans: z.boolean(),
  created_at: Moment,
  updated_at: Moment,
});
export type DiscoveryTarget = z.infer<typeof DiscoveryTarget>;

const targetById = { params: z.object({ id: DiscoveryTargetId }) };
export const discoveryReading = { method: "GET", needs: "discovery.read", audit: "none" } as const;
export const discoveryManaging = { needs: "discovery.manage", gives: "nothing" } as const;

/** `safe` is the safe's name; `basic` and `enhanced` are the times of the last scans, and `next` that of the next one. */
export const TARGET_SORT_FIELDS = ["name", "host", "type", "safe", "basic", "enhanced", "next"] as const;
export type TargetSortField = (typeof TARGET_SORT_FIELDS)[number];

export const TargetSort = sortBy(TARGET_SORT_FIELDS);
export type TargetSort = z.infer<typeof TargetSort>;

/** The status of the last basic or the last enhanced scan; `never` without any scan. */
export const LastScan = z.enum(["never", ...ScanStatus.options]);
export type LastScan = z.infer<typeof LastScan>;

export const listDiscoveryTargets = endpoint({
  ...discoveryReading,
  path: "/api/v1/discovery/targets",
  summary: "Discovery targets that the caller can see, by name unless sorted otherwise",
  query: z.object({
    ...pageQuery(500, 100),
    sort: TargetSort.optional(),
    /** Matches name, host, description or safe. */
    search: z.string().trim().max(100).optional(),
    type: DiscoveryTargetType.optional(),
    active: z.stringbool().optional(),
    last_scan: LastScan.optional(),
    /** Exactly this host; case does not matter. */
    host: z.string().trim().min(1).max(253).optional(),
  }),
  reply: z.object({
    data: z.array(DiscoveryTarget),
    /** The targets that match, on all pages; 10,000 means that many or more. */
    total: z.number().int(),
    next_cursor: z.string().nullable(),
  }),
});

export const readDiscoveryTarget = endpoint({
  ...discoveryReading,
  ...targetById,
  path: "/api/v1/discovery/targets/:id",
  summary: "One discovery target",
  reply: DiscoveryTarget,
});

/**
 * Needs `add` in the safe, and permission to retrieve the credential without approval, because the operator of the host
 * receives the credential's password. For the same reason, an API token needs the scope that gives access to others, too.
 */
export const createDiscoveryTarget = endpoint({
  needs: "discovery.manage",
  gives: "secret",
  stepUp: true,
  givesByToken: "safe.share",
  method: "POST",
  path: "/api/v1/discovery/targets",
  summary: "Create a discovery target",
  body: NewDiscoveryTarget,
  reply: DiscoveryTarget,
  status: 201,
  audit: "discovery.target-created",
});

/** Needs the same permissions as `createDiscoveryTarget`, without the safe. */
export const testDiscoveryTarget = endpoint({
  ...discoveryManaging,
  method: "POST",
  path: "/api/v1/discovery/targets/test",
  summary: "Log in to a system with a credential, as a scan of it would",
  body: z.strictObject(login).superRefine(requireMethod),
  reply: z.object({
    is_verified: z.boolean(),
    message: z.string(),
    /** The key that the host presented. */
    host_key: HostKey.nullable(),
  }),
  sessionOnly: true,
  perMinute: 30,
  audit: "discovery.target-tested",
});

/** A new host or port also removes the pinned host key. A new login gives the secret as `createDiscoveryTarget` does. */
export const updateDiscoveryTarget = endpoint({
  needs: "discovery.manage",
  gives: "secret",
  stepUp: "when-giving",
  givesByToken: "safe.share",
  ...targetById,
  method: "PUT",
  path: "/api/v1/discovery/targets/:id",
  summary: "Change, enable or disable a discovery target",
  body: completeBody(DiscoveryTargetEdit, {
    entity: DiscoveryTarget,
    fixed: ["id", "safe_id", "created_at"],
    derive: ({ target_type, connection_method, credential_id, is_active }) => ({
      targetType: target_type,
      connectionMethod: connection_method,
      credentialId: credential_id,
      isActive: is_active,
    }),
  }),
  reply: DiscoveryTarget,
  audit: "discovery.target-updated",
});

/** Needs permission to retrieve the credential, which later scans send to the host with this key. */
export const acceptDiscoveryHostKey = endpoint({
  needs: "discovery.manage",
  ...targetById,
  method: "POST",
  path: "/api/v1/discovery/targets/:id/accept-host-key",
  summary: "Accept the changed host key of a discovery target",
  /** The exact key: a different key that the host has presented since is not accepted. */
  body: z.strictObject({ fingerprint: z.string().max(200) }),
  reply: DiscoveryTarget,
  audit: "discovery.host-key-accepted",
  gives: "secret",
  stepUp: true,
  givesByToken: "safe.share",
});

export const deleteDiscoveryTarget = endpoint({
  ...discoveryManaging,
  ...targetById,
  method: "DELETE",
  path: "/api/v1/discovery/targets/:id",
  summary: "Delete a discovery target with its scans and the accounts that they found",
  reply: Message,
  audit: "discovery.target-deleted",
});
