// Enhanced scans: read the files of a discovery target and report the secrets in them.
import { z } from "zod";
import { completeBody } from "./complete-body.ts";
import { DiscoveryTargetType } from "./discovery-types.ts";
import { ScannedTargetIds, startedScans } from "./discovery-scans.ts";
import { DiscoveryTargetId, ScanStatus, discoveryManaging, discoveryReading } from "./discovery.ts";
import { endpoint } from "./endpoint.ts";
import { Message, Moment, oneLine, sortBy } from "./fields.ts";

export const ScanId = z.uuid().brand<"ScanId">();
export type ScanId = z.infer<typeof ScanId>;
export const ScanConfigId = z.uuid().brand<"ScanConfigId">();
export type ScanConfigId = z.infer<typeof ScanConfigId>;

/** SCAN-30. */
export const ScanType = z.enum(["basic", "enhanced", "compliance", "security_audit"]);
export type ScanType = z.infer<typeof ScanType>;
/** SCAN-32. */
export const ScanDepth = z.enum(["quick", "standard", "deep"]);
export type ScanDepth = z.infer<typeof ScanDepth>;
/** OPEN-121, from most to least severe. */
export const FindingSeverity = z.enum(["critical", "high", "medium", "low"]);
export type FindingSeverity = z.infer<typeof FindingSeverity>;
/** SCAN-43. */
export const ComplianceFramework = z.enum(["sox", "pci_dss", "soc2", "hipaa", "gdpr", "iso27001"]);
export type ComplianceFramework = z.infer<typeof ComplianceFramework>;

export const FRAMEWORK_NAMES: Readonly<Record<ComplianceFramework, string>> = {
  sox: "SOX",
  pci_dss: "PCI DSS",
  soc2: "SOC 2",
  hipaa: "HIPAA",
  gdpr: "GDPR",
  iso27001: "ISO 27001",
};

/** The lowest risk score of each severity (FIND-12, OPEN-118). */
export const RISK_BANDS = { critical: 80, high: 60, medium: 40, low: 0 } as const satisfies Record<
  FindingSeverity,
  number
>;

export const severityOfRisk = (score: number): FindingSeverity =>
  FindingSeverity.options.find((severity) => score >= RISK_BANDS[severity]) ?? "low";

const Pattern = oneLine().min(1).max(300);
const patterns = (defaults: readonly string[]) =>
  z
    .array(Pattern)
    .max(200)
    .default([...defaults]);

/** SCAN-40. */
export const DEFAULT_FILE_PATTERNS = ["*.conf", "*.config", "*.ini", "*.env", "*.properties"] as const;
export const DEFAULT_EXCLUDE_PATTERNS = ["/tmp/*", "/var/tmp/*", "*.log"] as const;

/** SCAN-35 to SCAN-42. The limits only keep numbers storable (SCAN-34). */
export const ScanConfig = z
  .strictObject({
    scanType: ScanType.default("enhanced"),
    scanHardcodedPasswords: z.boolean().default(true),
    scanSshKeys: z.boolean().default(true),
    scanCertificates: z.boolean().default(true),
    scanServiceAccounts: z.boolean().default(true),
    scanSharedAccounts: z.boolean().default(true),
    scanCredentialExposure: z.boolean().default(true),
    /** Reads the arguments and environments of running processes, too. */
    scanProcesses: z.boolean().default(false),
    /** Stores the secret of each new finding in the target's safe while the scan runs (OPEN-117). */
    autoVaultFindings: z.boolean().default(false),
    /** Findings below this severity are kept, and lists leave them out (OPEN-116). */
    riskThreshold: FindingSeverity.default("medium"),
    scanDepth: ScanDepth.default("standard"),
    includeSystemFiles: z.boolean().default(false),
    filePatterns: patterns(DEFAULT_FILE_PATTERNS),
    excludePatterns: patterns(DEFAULT_EXCLUDE_PATTERNS),
    /** Bytes. */
    maxFileSize: z.number().int().min(1).max(1_073_741_824).default(10_485_760),
    timeoutSeconds: z.number().int().min(1).max(86_400).default(300),
    /** The scan pauses while the host's one-minute load per core is higher. Null: no limit. */
    maxLoadPerCore: z.number().min(0.1).max(100).nullable().default(null),
    /** Reads every file again, not only those that changed since the last scan. */
    readAgain: z.boolean().default(false),
  })
  .prefault({});
export type ScanConfig = z.infer<typeof ScanConfig>;

/** SCAN-43. */
export const ComplianceFrameworks = z.array(ComplianceFramework).max(6).default(["sox", "pci_dss"]);

/** SCAN-29. */
export const EnhancedScan = z.object({
  id: ScanId,
  target_id: DiscoveryTargetId,
  target: z.object({ name: z.string(), hostname: z.string(), target_type: DiscoveryTargetType }),
  scan_type: ScanType,
  status: ScanStatus,
  /** Percent. */
  progress: z.number().int().min(0).max(100),
  created_at: Moment,
  started_at: Moment.nullable(),
  completed_at: Moment.nullable(),
  duration_seconds: z.number().int().nullable(),
  error: z.string().nullable(),
  error_message: z.string().nullable(),
  /** So far, while the scan runs. */
  results: z.object({
    findings_discovered: z.number().int(),
    accounts_discovered: z.number().int(),
    secrets_found: z.number().int(),
    compliance_violations: z.number().int(),
    risk_score: z.number().int(),
    new_findings: z.number().int(),
    fixed_findings: z.number().int(),
  }),
  /** The files that the scan read and those that it could not read. */
  coverage: z.object({
    files_found: z.number().int(),
    files_read: z.number().int(),
    /** Not read again, because they did not change since an earlier scan. */
    files_unchanged: z.number().int(),
    bytes_read: z.number().int(),
    unread_count: z.number().int(),
    /** At most 100 paths. */
    unread: z.array(z.string()),
    /** The limit that ended the scan before it read everything. */
    limit: z.enum(["time", "files", "bytes"]).nullable(),
    way: z.enum(["tar", "sftp"]).nullable(),
    as_root: z.boolean(),
  }),
  scan_config: ScanConfig,
  compliance_frameworks: z.array(ComplianceFramework),
  auto_vault: z.boolean(),
  requested_by: z.string(),
  can_manage: z.boolean(),
});
export type EnhancedScan = z.infer<typeof EnhancedScan>;

/** SCAN-29: the most severe findings of the scan, at most 100. */
export const EnhancedScanDetails = EnhancedScan.extend({
  findings: z.array(
    z.object({ id: z.uuid(), title: z.string(), severity: FindingSeverity, risk_score: z.number().int() }),
  ),
});
export type EnhancedScanDetails = z.infer<typeof EnhancedScanDetails>;

const byScan = { params: z.object({ id: ScanId }) };

const newScan = {
  scanConfig: ScanConfig,
  complianceFrameworks: ComplianceFrameworks,
  /** Stores the secrets of all new findings in the target's safe when the scan ends (SCAN-44, OPEN-117). */
  autoVault: z.boolean().default(false),
};

/**
 * SCAN-45. 409 while another enhanced scan of the target is pending or running. A scan that stores secrets needs
 * re-authentication, and no API token can start it.
 */
export const startEnhancedScan = endpoint({
  ...discoveryManaging,
  params: z.object({ id: DiscoveryTargetId }),
  method: "POST",
  path: "/api/v1/discovery/enhanced/targets/:id/enhanced-scan",
  summary: "Scan the files of a target for secrets in the background",
  body: z.strictObject(newScan),
  reply: EnhancedScan,
  status: 202,
  perMinute: 60,
  audit: "scan.requested",
});

/**
 * Each target is checked as by `startEnhancedScan`: those that cannot be scanned are skipped, and the others start with
 * the same configuration. The rules for scans that store secrets are the same, too.
 */
export const startEnhancedScans = endpoint({
  ...discoveryManaging,
  method: "POST",
  path: "/api/v1/discovery/enhanced/scans",
  summary: "Scan the files of several targets for secrets in the background",
  body: z.strictObject({ targetIds: ScannedTargetIds, ...newScan }),
  reply: startedScans(ScanId),
  status: 202,
  perMinute: 10,
  audit: "scan.several-requested",
});

const page = {
  limit: z.coerce.number().int().min(1).max(200).default(50),
  offset: z.coerce.number().int().min(0).max(10_000).default(0),
};

/** `target` is its name, and `findings` their number so far. A scan that waits starts when it is requested. */
export const SCAN_SORT_FIELDS = ["target", "status", "started", "duration", "findings"] as const;
export type ScanSortField = (typeof SCAN_SORT_FIELDS)[number];

export const ScanSort = sortBy(SCAN_SORT_FIELDS);
export type ScanSort = z.infer<typeof ScanSort>;

export const listEnhancedScans = endpoint({
  ...discoveryReading,
  path: "/api/v1/discovery/enhanced/scans",
  summary: "Enhanced scans of the targets that the caller can see, the last requested first unless sorted otherwise",
  query: z.object({ ...page, sort: ScanSort.optional(), targetId: DiscoveryTargetId.optional() }),
  reply: z.object({
    data: z.array(EnhancedScan),
    /** 10,000 means that many or more. */
    total: z.number().int(),
    limit: z.number().int(),
    offset: z.number().int(),
  }),
});

export const readEnhancedScan = endpoint({
  ...discoveryReading,
  ...byScan,
  path: "/api/v1/discovery/enhanced/scans/:id",
  summary: "One enhanced scan with its most severe findings",
  reply: EnhancedScanDetails,
});

/** OPEN-111. 409 for a scan that has ended. Findings that are already stored stay. */
export const cancelEnhancedScan = endpoint({
  ...discoveryManaging,
  ...byScan,
  method: "POST",
  path: "/api/v1/discovery/enhanced/scans/:id/cancel",
  summary: "Cancel an enhanced scan",
  reply: EnhancedScan,
  audit: "scan.cancelled",
});

const savedFields = {
  name: oneLine("Name is required").min(1, "Name is required").max(100),
  scanConfig: ScanConfig,
  complianceFrameworks: ComplianceFrameworks,
};
export const NewScanConfig = z.strictObject(savedFields);

/** A saved configuration. It belongs to the user who saved it. */
export const SavedScanConfig = z.object({
  id: ScanConfigId,
  name: z.string(),
  scan_config: ScanConfig,
  compliance_frameworks: z.array(ComplianceFramework),
  created_at: Moment,
  updated_at: Moment,
});
export type SavedScanConfig = z.infer<typeof SavedScanConfig>;

const byConfig = { params: z.object({ id: ScanConfigId }) };
const CONFIGS = "/api/v1/discovery/enhanced/scan-configs";

export const listScanConfigs = endpoint({
  ...discoveryReading,
  path: CONFIGS,
  summary: "The caller's saved scan configurations, by name",
  reply: z.object({ data: z.array(SavedScanConfig) }),
});

export const createScanConfig = endpoint({
  ...discoveryManaging,
  method: "POST",
  path: CONFIGS,
  summary: "Save a scan configuration",
  body: NewScanConfig,
  reply: SavedScanConfig,
  status: 201,
  audit: "scan.config-created",
});

export const readScanConfig = endpoint({
  ...discoveryReading,
  ...byConfig,
  path: `${CONFIGS}/:id`,
  summary: "One saved scan configuration of the caller",
  reply: SavedScanConfig,
});

export const updateScanConfig = endpoint({
  ...discoveryManaging,
  ...byConfig,
  method: "PUT",
  path: `${CONFIGS}/:id`,
  summary: "Change a saved scan configuration",
  body: completeBody(NewScanConfig, {
    entity: SavedScanConfig,
    fixed: ["id", "created_at"],
    derive: ({ scan_config, compliance_frameworks }) => ({
      scanConfig: scan_config,
      complianceFrameworks: compliance_frameworks,
    }),
  }),
  reply: SavedScanConfig,
  audit: "scan.config-updated",
});

export const deleteScanConfig = endpoint({
  ...discoveryManaging,
  ...byConfig,
  method: "DELETE",
  path: `${CONFIGS}/:id`,
  summary: "Delete a saved scan configuration",
  reply: Message,
  audit: "scan.config-deleted",
});
