// Cloud discovery: users, roles, keys and names of secrets that scans of cloud accounts found.
import { z } from "zod";
import { DiscoveryScan } from "./discovery-scans.ts";
import { DiscoveryTargetId, discoveryManaging, discoveryReading } from "./discovery.ts";
import { endpoint } from "./endpoint.ts";
import { Moment, pageQuery } from "./fields.ts";

export const CloudResourceId = z.uuid().brand<"CloudResourceId">();
export type CloudResourceId = z.infer<typeof CloudResourceId>;

export const CloudProvider = z.enum(["aws", "azure", "gcp"]);
export type CloudProvider = z.infer<typeof CloudProvider>;

/**
 * The usual hosts of accounts and targets in clouds whose logins differ between customers. Users of two AWS accounts can
 * have the same name, so each account needs its own host name.
 */
export const CLOUD_HOSTS = { azure: "login.microsoftonline.com", gcp: "iam.googleapis.com" } as const;

export const CloudResourceKind = z.enum([
  "iam_user",
  "service_account",
  "access_key",
  "iam_role",
  "secret",
  "parameter",
]);
export type CloudResourceKind = z.infer<typeof CloudResourceKind>;

/** A region of AWS. */
export const CloudRegion = z
  .string()
  .regex(/^[a-z]{2}(-[a-z]{2,10}){1,2}-\d$/, "Enter the name of a region, such as eu-central-1");

export const CloudResource = z.object({
  id: CloudResourceId,
  target_id: DiscoveryTargetId,
  target_name: z.string(),
  provider: CloudProvider,
  /** The number of the AWS account, the Azure tenant, or the Google Cloud project of the key; null if unknown. */
  account: z.string().nullable(),
  /** `global` for objects that all regions share. */
  region: z.string(),
  kind: CloudResourceKind,
  name: z.string(),
  /** Facts from the cloud, such as ages and last uses. Never a value. */
  facts: z.record(z.string(), z.unknown()),
  discovered_at: Moment,
  last_seen_at: Moment,
  missing_since: Moment.nullable(),
});
export type CloudResource = z.infer<typeof CloudResource>;

const PATH = "/api/v1/discovery/enhanced";

/**
 * A scan of the target that also collects the objects of these regions. 409 while another scan of it is open; 422 for
 * regions of other clouds: their scans always cover all regions.
 */
export const startCloudDiscovery = endpoint({
  ...discoveryManaging,
  method: "POST",
  path: `${PATH}/cloud-discovery`,
  summary: "Scan a cloud account for users, roles, keys and names of secrets in the background",
  body: z.strictObject({
    targetId: DiscoveryTargetId,
    /** Of AWS. None: the region of the target's credential. */
    regions: z.array(CloudRegion).max(40).default([]),
  }),
  reply: DiscoveryScan,
  status: 202,
  perMinute: 60,
  audit: "discovery.cloud-requested",
});

export const listCloudResources = endpoint({
  ...discoveryReading,
  path: `${PATH}/cloud-resources`,
  summary: "Objects of cloud accounts that scans found, newest first",
  query: z.object({
    ...pageQuery(200, 50),
    provider: CloudProvider.optional(),
    /** `global` for objects that all regions share. */
    region: z
      .string()
      .regex(/^[a-z][a-z0-9-]{1,39}$/, "Enter the name of a region, such as eu-central-1")
      .optional(),
    kind: CloudResourceKind.optional(),
    targetId: DiscoveryTargetId.optional(),
    /** Matches the name. */
    search: z.string().trim().max(100).optional(),
  }),
  reply: z.object({
    data: z.array(CloudResource),
    /** All regions in which the caller can see objects, whatever the filter. */
    regions: z.array(z.string()),
    next_cursor: z.string().nullable(),
  }),
});

export const readCloudResource = endpoint({
  ...discoveryReading,
  path: `${PATH}/cloud-resources/:id`,
  summary: "One object of a cloud account",
  params: z.object({ id: CloudResourceId }),
  reply: CloudResource,
});
