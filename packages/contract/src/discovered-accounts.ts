// Accounts that discovery scans found, the decisions about them, and statistics.
import { z } from "zod";
import { DiscoveryScanId, DiscoveryTargetId, discoveryManaging, discoveryReading } from "./discovery.ts";
import { endpoint } from "./endpoint.ts";
import { AccountId, Moment, OnboardingId, PlatformId, SafeId, manyLines, pageQuery } from "./fields.ts";

export const DiscoveredAccountId = z.uuid().brand<"DiscoveredAccountId">();
export type DiscoveredAccountId = z.infer<typeof DiscoveredAccountId>;

/** DISC-31. */
export const DiscoveredSystem = z.enum(["linux", "unix", "windows", "database", "other"]);
export type DiscoveredSystem = z.infer<typeof DiscoveredSystem>;
/** DISC-32. */
export const DiscoveredStatus = z.enum(["pending_approval", "active", "rejected"]);
export type DiscoveredStatus = z.infer<typeof DiscoveredStatus>;

/** From the strongest to the weakest. */
export const PrivilegeKind = z.enum([
  /** User id 0. */
  "root",
  /** Any command as root. */
  "sudo-all",
  /** Named commands as root, of which at least one can start a shell or write any file. */
  "sudo-escape",
  /** A group whose members can become root, such as `docker`. */
  "root-group",
  /** A database login that can do everything. */
  "superuser",
  /** A member of a group with control of the domain. */
  "domain-admin",
  /** A member of a privileged group of a directory other than Active Directory. */
  "directory-admin",
  /** A member of the Administrators of a Windows host. */
  "local-admin",
  /** Full access to a cloud account. */
  "cloud-admin",
  /** Rights with which a login can grant itself more, such as creating roles. */
  "escalation",
  /** May act as other users of a service or domain (Kerberos delegation, assumed roles). */
  "impersonation",
  /** Any command as another account that is not root. */
  "sudo-as",
  /** Named commands as root or another account. */
  "sudo-limited",
]);
export type PrivilegeKind = z.infer<typeof PrivilegeKind>;

/** DISC-39. */
export const OnboardingSettings = z
  .strictObject({
    rotationPolicy: z.enum(["30days", "60days", "90days", "manual"]).default("30days"),
    monitoring: z.boolean().default(true),
    autoRotate: z.boolean().default(false),
  })
  .prefault({});
export type OnboardingSettings = z.infer<typeof OnboardingSettings>;

/**
 * `planned`: decided, and not in the safe yet. `rotating`: the reconcile account sets the password. `waiting`: a user
 * must act. `done`: the password is known only to Strongroom, or a user stored it.
 */
export const OnboardingState = z.enum(["planned", "rotating", "waiting", "done", "failed", "undone"]);
export type OnboardingState = z.infer<typeof OnboardingState>;

/** INVARIANT: `detail`, one line such as a schedule, contains no secret. */
export const DiscoveredDependent = z.object({ kind: z.string(), name: z.string(), detail: z.string().nullable() });
export type DiscoveredDependent = z.infer<typeof DiscoveredDependent>;

/** DISC-30. */
export const DiscoveredAccount = z.object({
  id: DiscoveredAccountId,
  account_name: z.string(),
  hostname_ip: z.string(),
  system_type: DiscoveredSystem,
  status: DiscoveredStatus,
  rejection_reason: z.string().nullable(),
  discovered_at: Moment,
  /** The scan that found the account first. */
  discovery_scan_id: DiscoveryScanId,
  target_id: DiscoveryTargetId,
  /** INVARIANT: no secret and no password hash. */
  discovery_metadata: z.object({
    is_privileged: z.boolean(),
    /** The strongest privilege; null if the system reported none, or did not report which. */
    privilege: PrivilegeKind.nullable(),
    is_locked: z.boolean(),
    password_changed_at: Moment.nullable(),
    expires_at: Moment.nullable(),
    last_login_at: Moment.nullable(),
    /** Facts that the system reported, such as groups, roles and fingerprints of keys. */
    facts: z.record(z.string(), z.unknown()),
    /** The differences that the latest scan with any differences reported. */
    changes: z.array(z.object({ field: z.string(), from: z.unknown(), to: z.unknown() })),
    /** Services, jobs and files on the system that use the account, as the latest scan reported them. */
    dependents: z.array(DiscoveredDependent),
  }),
  last_seen_at: Moment,
  /** The first complete scan that no longer found the account; null while it exists. */
  missing_since: Moment.nullable(),
  /** Whether a safe contains an account with this name on this host. */
  is_managed: z.boolean(),
  /** That account, if the caller can see it. */
  account_id: AccountId.nullable(),
  /** The latest onboarding. */
  onboarding: z.object({ id: OnboardingId, state: OnboardingState, message: z.string() }).nullable(),
  decided_by: z.string().nullable(),
  decided_at: Moment.nullable(),
  /** Whether the caller can approve or reject the account. */
  can_manage: z.boolean(),
});
export type DiscoveredAccount = z.infer<typeof DiscoveredAccount>;

export const listDiscoveredAccounts = endpoint({
  ...discoveryReading,
  path: "/api/v1/discovery/accounts",
  summary: "Accounts that scans found, newest first",
  query: z.object({
    ...pageQuery(500, 100),
    /** DISC-33, OPEN-110. */
    status: z.enum(["all", ...DiscoveredStatus.options]).default("pending_approval"),
    scanId: DiscoveryScanId.optional(),
    targetId: DiscoveryTargetId.optional(),
    privileged: z.stringbool().optional(),
    /** The strongest privilege. */
    privilege: PrivilegeKind.optional(),
    managed: z.stringbool().optional(),
    system: DiscoveredSystem.optional(),
    /** `new`: found first by the latest scan of its target. `changed`: that scan reported differences. */
    presence: z.enum(["present", "missing", "changed", "new", "returned"]).optional(),
    /** Matches the account's name or host. */
    search: z.string().trim().max(100).optional(),
  }),
  reply: z.object({
    data: z.array(DiscoveredAccount),
    /** The number of matches; 10,000 means that many or more. */
    total: z.number().int(),
    /** There are more accounts than `total`: 10,000 are counted, with a search or some filters only 1,000. */
    is_total_capped: z.boolean(),
    next_cursor: z.string().nullable(),
  }),
});

const accountIds = z.array(DiscoveredAccountId).min(1).max(1000);

/** DISC-38. Rules choose the safe and the platform that `placement` omits. */
export const OnboardingOrder = z.strictObject({
  accountIds,
  onboardingSettings: OnboardingSettings,
  placement: z.strictObject({ safeId: SafeId.optional(), platformId: PlatformId.optional() }).prefault({}),
});

const Decided = z.object({
  decided: z.number().int(),
  failed: z.array(z.object({ id: DiscoveredAccountId, code: z.string(), message: z.string() })),
  message: z.string(),
});

/**
 * DISC-36. Needs `add` in the target's safe and in the safe that the account is put into, and `manage_secret` there if
 * the reconcile account sets the password. The members of that safe get access to the system later, when it is set, so
 * the call needs re-authentication, and no API token can make it.
 */
export const approveDiscoveredAccounts = endpoint({
  ...discoveryManaging,
  method: "POST",
  path: "/api/v1/discovery/accounts/approve",
  summary: "Approve discovered accounts and add them to safes in the background",
  body: OnboardingOrder,
  /** `run_id`: the onboardings of this call; null without any. */
  reply: Decided.extend({ run_id: z.uuid().nullable() }),
  audit: "discovery.accounts-approved",
  stepUp: true,
  sessionOnly: true,
});

/** DISC-37, DISC-40. */
export const rejectDiscoveredAccounts = endpoint({
  ...discoveryManaging,
  method: "POST",
  path: "/api/v1/discovery/accounts/reject",
  summary: "Reject discovered accounts",
  body: z.strictObject({
    accountIds,
    reason: manyLines("Please provide a reason for rejection").min(1, "Please provide a reason for rejection").max(500),
  }),
  reply: Decided,
  audit: "discovery.accounts-rejected",
});

/** DISC-48. Counts cover the targets that the caller can see. */
/** The limit of each age in the statistics. */
export const MOST_AGED = 2_000;

export const discoveryStatistics = endpoint({
  ...discoveryReading,
  path: "/api/v1/discovery/statistics",
  summary: "The number of targets, scans and discovered accounts, with recent activity",
  query: z.object({ range: z.enum(["7d", "30d", "90d"]).default("30d") }),
  reply: z.object({
    total_targets: z.number().int(),
    active_targets: z.number().int(),
    /** Scans requested within the range. */
    total_scans: z.number().int(),
    running_scans: z.number().int(),
    total_discovered_accounts: z.number().int(),
    pending_approval: z.number().int(),
    approved_accounts: z.number().int(),
    rejected_accounts: z.number().int(),
    /** Existing privileged accounts that no safe contains. */
    unmanaged_privileged_accounts: z.number().int(),
    /** Existing accounts at the end of each day of the range, oldest first. Days before the first count are 0. */
    trend: z.array(
      z.object({
        day: z.iso.date(),
        managed: z.number().int(),
        unmanaged: z.number().int(),
        unmanaged_privileged: z.number().int(),
      }),
    ),
    /** Existing privileged accounts that no safe contains, by the time since they were found; at most `MOST_AGED` each. */
    unmanaged_privileged_ages: z.array(
      z.object({
        age: z.enum(["under_7_days", "7_to_30_days", "30_to_90_days", "over_90_days"]),
        count: z.number().int(),
      }),
    ),
    /** Newest first, at most 20. */
    recent_activity: z.array(
      z.object({
        type: z.enum(["target_created", "scan_completed", "scan_failed", "scan_cancelled"]),
        message: z.string(),
        timestamp: Moment,
      }),
    ),
  }),
});
