// Security findings: secrets that enhanced scans found outside every safe, and what happens to them.
import { z } from "zod";
import { DiscoveryTargetId, discoveryManaging, discoveryReading } from "./discovery.ts";
import { endpoint } from "./endpoint.ts";
import {
  AccountId,
  DependentId,
  FindingId,
  Message,
  Moment,
  RotationId,
  UserId,
  manyLines,
  oneLine,
  commaList,
} from "./fields.ts";
import { isReadablePlace } from "./places.ts";
import { ComplianceFramework, FindingSeverity, ScanId } from "./scans.ts";

export const FindingRuleId = z.uuid().brand<"FindingRuleId">();
export type FindingRuleId = z.infer<typeof FindingRuleId>;

/** OPEN-121. */
export const FindingType = z.enum([
  "hardcoded_password",
  "ssh_key",
  "certificate",
  "service_account",
  "shared_account",
  "credential_exposure",
]);
export type FindingType = z.infer<typeof FindingType>;

/** FIND-07. */
export const FindingStatus = z.enum(["new", "investigating", "remediated", "false_positive", "accepted"]);
export type FindingStatus = z.infer<typeof FindingStatus>;

/** Whether the secret works: asked, and answered by the system that it opens. */
export const FindingLiveness = z.enum(["unverified", "live", "dead", "unknown"]);
export type FindingLiveness = z.infer<typeof FindingLiveness>;

/** FIND-06. INVARIANT: no field contains the secret or its length. */
export const SecurityFinding = z.object({
  id: FindingId,
  target_id: DiscoveryTargetId,
  target_name: z.string(),
  hostname: z.string(),
  title: z.string(),
  description: z.string(),
  finding_type: FindingType,
  /** The detector's class, such as `private_key`. */
  class: z.string(),
  severity: FindingSeverity,
  status: FindingStatus,
  risk_score: z.number().int().min(0).max(100),
  auto_vaulted: z.boolean(),
  created_at: Moment,
  last_seen_at: Moment,
  finding_data: z.object({
    location: z.string(),
    file_path: z.string(),
    line_number: z.number().int(),
    pattern_matched: z.string(),
    key_name: z.string().nullable(),
    username: z.string().nullable(),
    preview: z.string(),
  }),
  liveness: FindingLiveness,
  verified_at: Moment.nullable(),
  /** The number of visible targets on which the same secret was found. */
  reused_on: z.number().int(),
  /** The account of a safe that has the same secret, if the caller can see it. */
  account_id: AccountId.nullable(),
  assignee: z.object({ id: UserId, name: z.string() }).nullable(),
  due_at: Moment.nullable(),
  /** The scan that proved that the secret is gone. */
  fixed_by_scan: ScanId.nullable(),
  can_manage: z.boolean(),
});
export type SecurityFinding = z.infer<typeof SecurityFinding>;

const WITHOUT_LOGIN: ReadonlySet<string> = new Set([
  "certificate",
  "host_key",
  "password_hash",
  "shared_key",
  "service_login",
]);

/** Whether the finding has a secret that can log in, so that it can be verified and stored as an account. */
export const opensAccount = (kind: string, path: string): boolean => isReadablePlace(path) && !WITHOUT_LOGIN.has(kind);

/** FIND-13. The platform of the account decides; these settings are recorded with the finding. */
export const VaultSettings = z
  .strictObject({
    rotationPolicy: z.enum(["30days", "60days", "90days", "manual"]).default("30days"),
    monitoring: z.boolean().default(true),
    /** Rotates the secret as soon as it is stored. */
    autoRotate: z.boolean().default(false),
    accessLevel: z.enum(["low", "medium", "high"]).default("high"),
  })
  .prefault({});
export type VaultSettings = z.infer<typeof VaultSettings>;

/** The journal of a finding. */
export const FindingFix = z.object({
  /**
   * `stored`: in a safe. `rotating`: the secret is being changed. `updating`: the new secret is being written into the file.
   * `fixed`: the file has the new secret. `attention`: a person has to decide. `undone`: the account was removed again.
   */
  state: z.enum(["stored", "rotating", "updating", "fixed", "attention", "undone"]),
  account_id: AccountId.nullable(),
  dependent_id: DependentId.nullable(),
  rotation_id: RotationId.nullable(),
  /** Whether Strongroom created the account for this finding. */
  is_new_account: z.boolean(),
  message: z.string(),
  vault_settings: VaultSettings,
  requested_by: z.string(),
  created_at: Moment,
  can_undo: z.boolean(),
});
export type FindingFix = z.infer<typeof FindingFix>;

const FindingChange = z.object({
  id: z.uuid(),
  at: Moment,
  by: z.string(),
  kind: z.enum(["found", "moved", "status", "assigned", "comment", "verified", "vaulted", "fixed", "reopened", "due"]),
  from: z.string().nullable(),
  to: z.string().nullable(),
  reason: z.string().nullable(),
});
export type FindingChange = z.infer<typeof FindingChange>;

export const SecurityFindingDetails = SecurityFinding.extend({
  /** The lines around the secret. Every secret in them is masked. */
  context: z.array(z.object({ line: z.number().int(), text: z.string() })),
  file: z.object({ owner: z.string(), group: z.string(), mode: z.string(), modified_at: Moment }),
  remediation_steps: z.array(z.string()),
  compliance_impact: z.array(z.object({ framework: ComplianceFramework, control: z.string(), text: z.string() })),
  /** The parts of the risk score; they add up to it before rounding to 0 to 100. */
  risk_factors: z.array(z.object({ factor: z.string(), points: z.number().int() })),
  /** Null for a finding that was never vaulted. */
  fix: FindingFix.nullable(),
  history: z.array(FindingChange),
  /** Other visible places with the same secret, at most 50. */
  same_secret: z.array(z.object({ id: FindingId, target_name: z.string(), file_path: z.string() })),
});
export type SecurityFindingDetails = z.infer<typeof SecurityFindingDetails>;

const risk = z.coerce.number().int().min(0).max(100).optional();

/** Filters of the list and of exports, with the same meaning in both. */
const narrowing = {
  targetId: DiscoveryTargetId.optional(),
  assigneeId: UserId.optional(),
  /** Part of a target's name or host, or beginnings of words of a path, a setting or a user name. */
  search: oneLine().min(2).max(100).optional(),
};

/** FIND-08, FIND-10. */
export const listFindings = endpoint({
  ...discoveryReading,
  path: "/api/v1/discovery/enhanced/findings",
  summary: "Security findings, by risk score",
  query: z.object({
    severity: commaList(FindingSeverity),
    findingType: commaList(FindingType),
    status: commaList(FindingStatus),
    minRiskScore: risk,
    maxRiskScore: risk,
    ...narrowing,
    /** Findings below the threshold of their scan, too (OPEN-116). */
    includeBelowThreshold: z.stringbool().optional(),
    limit: z.coerce.number().int().min(1).max(500).default(100),
    offset: z.coerce.number().int().min(0).max(100_000).default(0),
  }),
  reply: z.object({
    data: z.array(SecurityFinding),
    /** The number of matches. With a search, an assignee or a range of risk scores, 10,000 means that many or more. */
    total: z.number().int(),
    limit: z.number().int(),
    offset: z.number().int(),
  }),
});
export type FindingQuery = z.output<NonNullable<(typeof listFindings)["query"]>>;

const byFinding = { params: z.object({ id: FindingId }) };
const reason = manyLines().max(1000).optional();

export const readFinding = endpoint({
  ...discoveryReading,
  ...byFinding,
  path: "/api/v1/discovery/enhanced/findings/:id",
  summary: "One security finding",
  reply: SecurityFindingDetails,
});

/** FIND-09. 409 for `new`, unless the finding has that status (OPEN-120). */
export const changeFindingStatus = endpoint({
  ...discoveryManaging,
  ...byFinding,
  method: "PATCH",
  path: "/api/v1/discovery/enhanced/findings/:id/status",
  summary: "Change the status of a finding",
  body: z.strictObject({ status: FindingStatus, reason }),
  reply: SecurityFinding,
  audit: "finding.status-changed",
});

export const changeFindingStatuses = endpoint({
  ...discoveryManaging,
  method: "POST",
  path: "/api/v1/discovery/enhanced/findings/status",
  summary: "Change the status of several findings",
  body: z.strictObject({ findingIds: z.array(FindingId).min(1).max(500), status: FindingStatus, reason }),
  reply: z.object({
    changed: z.number().int(),
    failed: z.array(z.object({ id: FindingId, code: z.string(), message: z.string() })),
    message: z.string(),
  }),
  audit: "finding.statuses-changed",
});

/** Null removes the assignee or the due date. Omitted fields stay. */
export const assignFinding = endpoint({
  ...discoveryManaging,
  ...byFinding,
  method: "PATCH",
  path: "/api/v1/discovery/enhanced/findings/:id",
  summary: "Assign a finding, or change its due date",
  body: z.strictObject({ assigneeId: UserId.nullable().optional(), dueAt: Moment.nullable().optional() }),
  reply: SecurityFinding,
  audit: "finding.assigned",
});

export const commentOnFinding = endpoint({
  ...discoveryManaging,
  ...byFinding,
  method: "POST",
  path: "/api/v1/discovery/enhanced/findings/:id/comments",
  summary: "Comment on a finding",
  body: z.strictObject({ text: manyLines("Comment is required").min(1, "Comment is required").max(4000) }),
  reply: Message,
  status: 201,
  audit: "finding.commented",
});

export const FINDING_FORMATS = ["excel", "csv", "json", "sarif"] as const;

/** FIND-04, FIND-14. */
export const exportFindings = endpoint({
  ...discoveryManaging,
  method: "POST",
  path: "/api/v1/discovery/enhanced/findings/export",
  summary: "Export security findings",
  body: z.strictObject({
    format: z.enum(FINDING_FORMATS).default("excel"),
    filters: z
      .strictObject({
        severity: z.array(FindingSeverity).max(4).default([]),
        findingType: z.array(FindingType).max(6).default([]),
        status: z.array(FindingStatus).max(5).default([]),
        minRiskScore: z.number().int().min(0).max(100).optional(),
        maxRiskScore: z.number().int().min(0).max(100).optional(),
        ...narrowing,
        includeBelowThreshold: z.boolean().optional(),
      })
      .prefault({}),
    includeRemediation: z.boolean().default(true),
    includeCompliance: z.boolean().default(true),
  }),
  reply: { stream: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet" },
  stepUp: true,
  audit: "finding.exported",
});

/** Rules that mark matching findings, current and future, as false positives until their review date. */
export const FindingRule = z.object({
  id: FindingRuleId,
  target_id: DiscoveryTargetId,
  kind: z.enum(["path", "secret", "class"]),
  /** A pattern of paths, or a class. Null for a secret, which is recognised by its fingerprint. */
  pattern: z.string().nullable(),
  reason: z.string(),
  review_at: Moment,
  created_by: z.string(),
  created_at: Moment,
  can_manage: z.boolean(),
});
export type FindingRule = z.infer<typeof FindingRule>;

const ruleReason = manyLines("Reason is required").min(1, "Reason is required").max(1000);

export const listFindingRules = endpoint({
  ...discoveryReading,
  path: "/api/v1/discovery/enhanced/finding-rules",
  summary: "False-positive rules of the targets that the caller can see",
  reply: z.object({ data: z.array(FindingRule) }),
});

export const createFindingRule = endpoint({
  ...discoveryManaging,
  ...byFinding,
  method: "POST",
  path: "/api/v1/discovery/enhanced/findings/:id/rule",
  summary: "Treat findings like this one as false positives until a review date",
  body: z.strictObject({
    kind: FindingRule.shape.kind,
    /** Of a `path` rule; default: the finding's own path. */
    pattern: oneLine().min(1).max(500).optional(),
    reason: ruleReason,
    reviewAt: Moment,
  }),
  reply: FindingRule,
  status: 201,
  audit: "finding.rule-created",
});

export const deleteFindingRule = endpoint({
  ...discoveryManaging,
  params: z.object({ id: FindingRuleId }),
  method: "DELETE",
  path: "/api/v1/discovery/enhanced/finding-rules/:id",
  summary: "Delete a false-positive rule. Findings that it suppressed become new again",
  reply: Message,
  audit: "finding.rule-deleted",
});

/** Counts over the targets that the caller can see. Findings below the threshold of their scan do not count. */
export const findingStatistics = endpoint({
  ...discoveryReading,
  path: "/api/v1/discovery/enhanced/statistics",
  summary: "The number of findings by severity, status and type, and of enhanced scans",
  query: z.object({ timeframe: z.enum(["7d", "30d", "90d"]).default("30d") }),
  reply: z.object({
    /** New and under investigation. */
    open: z.number().int(),
    total: z.number().int(),
    by_severity: z.record(FindingSeverity, z.number().int()),
    by_status: z.record(FindingStatus, z.number().int()),
    by_type: z.record(FindingType, z.number().int()),
    open_by_severity: z.record(FindingSeverity, z.number().int()),
    /** Scans requested within the timeframe. */
    total_scans: z.number().int(),
    running_scans: z.number().int(),
  }),
});
