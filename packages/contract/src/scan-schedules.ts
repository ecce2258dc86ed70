// Schedules of enhanced scans.
import { z } from "zod";
import { DiscoveryTargetType } from "./discovery-types.ts";
import { DiscoveryTargetId, ScanSchedule, discoveryManaging, discoveryReading } from "./discovery.ts";
import { endpoint } from "./endpoint.ts";
import { Message, Moment } from "./fields.ts";
import { ComplianceFramework, ComplianceFrameworks, ScanConfig } from "./scans.ts";

export const EnhancedScanScheduleId = z.uuid().brand<"EnhancedScanScheduleId">();
export type EnhancedScanScheduleId = z.infer<typeof EnhancedScanScheduleId>;

/** The maximum number of schedules of one target. */
export const MOST_SCAN_SCHEDULES = 10;

export const EnhancedScanSchedule = z.object({
  id: EnhancedScanScheduleId,
  target_id: DiscoveryTargetId,
  target: z.object({ name: z.string(), hostname: z.string(), target_type: DiscoveryTargetType }),
  schedule: ScanSchedule,
  scan_config: ScanConfig,
  compliance_frameworks: z.array(ComplianceFramework),
  /** The user for whom the scans act. */
  owner: z.string(),
  /** Null: the schedule has stopped, because its owner may no longer scan the target. */
  next_at: Moment.nullable(),
  /** Why the last scan was not started. */
  problem: z.string().nullable(),
  created_at: Moment,
  can_manage: z.boolean(),
});
export type EnhancedScanSchedule = z.infer<typeof EnhancedScanSchedule>;

export const listEnhancedScanSchedules = endpoint({
  ...discoveryReading,
  path: "/api/v1/discovery/enhanced/schedules",
  summary: "Schedules of enhanced scans of the targets that the caller can see, by target",
  query: z.object({
    limit: z.coerce.number().int().min(1).max(200).default(50),
    offset: z.coerce.number().int().min(0).max(10_000).default(0),
  }),
  reply: z.object({
    data: z.array(EnhancedScanSchedule),
    /** 10,000 means that many or more. */
    total: z.number().int(),
    limit: z.number().int(),
    offset: z.number().int(),
  }),
});

/**
 * Its scans act for the caller and need the caller's permissions each time. They store no secrets, because no user is
 * present to re-authenticate. No API token can create one, because the scans would continue after the token has ended.
 * 409 for more than ten schedules of a target.
 */
export const createEnhancedScanSchedule = endpoint({
  ...discoveryManaging,
  params: z.object({ id: DiscoveryTargetId }),
  method: "POST",
  path: "/api/v1/discovery/enhanced/targets/:id/schedules",
  summary: "Scan the files of a target for secrets regularly",
  body: z.strictObject({
    schedule: ScanSchedule,
    scanConfig: ScanConfig,
    complianceFrameworks: ComplianceFrameworks,
  }),
  reply: EnhancedScanSchedule,
  status: 201,
  sessionOnly: true,
  audit: "scan.schedule-created",
});

export const deleteEnhancedScanSchedule = endpoint({
  ...discoveryManaging,
  params: z.object({ id: EnhancedScanScheduleId }),
  method: "DELETE",
  path: "/api/v1/discovery/enhanced/schedules/:id",
  summary: "Delete a schedule of enhanced scans",
  reply: Message,
  audit: "scan.schedule-deleted",
});
