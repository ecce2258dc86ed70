// Discovery of systems: scans of address ranges, and the networks that administrators allow for them.
import { z } from "zod";
import { DiscoveryTargetType } from "./discovery-types.ts";
import { DiscoveryTargetId, ScanStatus, discoveryManaging, discoveryReading } from "./discovery.ts";
import { endpoint } from "./endpoint.ts";
import { AccountId, Message, Moment, SafeId, oneLine, optionalLines, pageQuery } from "./fields.ts";

export const RangeScanId = z.uuid().brand<"RangeScanId">();
export type RangeScanId = z.infer<typeof RangeScanId>;
export const DiscoveryHostId = z.uuid().brand<"DiscoveryHostId">();
export type DiscoveryHostId = z.infer<typeof DiscoveryHostId>;
export const DiscoveryNetworkId = z.uuid().brand<"DiscoveryNetworkId">();

/** SSH, LDAP, SQL Server, MySQL, RDP, PostgreSQL, WinRM, Redis, MongoDB. */
export const USUAL_PORTS = [22, 389, 636, 1433, 3306, 3389, 5432, 5985, 6379, 27_017] as const;

const Range = oneLine().trim().min(1).max(100);

export const NewRangeScan = z.strictObject({
  name: oneLine("Name is required").min(1, "Name is required").max(100),
  /** The safe whose members see the scan and the hosts that it finds. */
  safeId: z.uuid("Please select a safe").pipe(SafeId),
  /** Networks (`10.0.0.0/24`), addresses and spans (`10.0.0.1-10.0.0.9`): at most 65,536 addresses. */
  ranges: z.array(Range).min(1, "Enter at least one range").max(100),
  exclusions: z.array(Range).max(100).default([]),
  ports: z
    .array(z.number().int().min(1, "Port must be between 1 and 65535").max(65_535, "Port must be between 1 and 65535"))
    .min(1, "Enter at least one port")
    .max(32)
    .default([...USUAL_PORTS]),
  /** Connections per second. */
  rate: z.number().int().min(1).max(2000).default(200),
  /** Milliseconds to wait for each connection. */
  timeout: z.number().int().min(100).max(10_000).default(1000),
  /** The credential of new targets of each type. The caller needs permission to retrieve its secret. */
  credentials: z
    .array(
      z.strictObject({
        targetType: DiscoveryTargetType,
        credentialId: z.uuid("Please select a credential").pipe(AccountId),
      }),
    )
    .max(5)
    .default([]),
  /** Whether hosts that the scan finds become targets immediately, where a credential fits. */
  createsTargets: z.boolean().default(false),
});
export type NewRangeScan = z.infer<typeof NewRangeScan>;

export const RangeScan = z.object({
  id: RangeScanId,
  name: z.string(),
  safe_id: SafeId,
  safe_name: z.string(),
  ranges: z.array(z.string()),
  exclusions: z.array(z.string()),
  ports: z.array(z.number().int()),
  rate: z.number().int(),
  timeout: z.number().int(),
  credentials: z.array(z.object({ target_type: DiscoveryTargetType, credential_id: AccountId })),
  creates_targets: z.boolean(),
  status: ScanStatus,
  /** Of `addresses`, those that are done. */
  addresses_scanned: z.number().int(),
  addresses: z.number().int(),
  /** Addresses that the network policy of the server refuses. */
  addresses_refused: z.number().int(),
  hosts_found: z.number().int(),
  error: z.string().nullable(),
  error_message: z.string().nullable(),
  requested_by: z.string(),
  created_at: Moment,
  started_at: Moment.nullable(),
  completed_at: Moment.nullable(),
  can_manage: z.boolean(),
});
export type RangeScan = z.infer<typeof RangeScan>;

export const FoundServiceProtocol = z.enum([
  "ssh",
  "postgresql",
  "mysql",
  "mssql",
  "mongodb",
  "redis",
  "ldap",
  "winrm",
  "rdp",
  "http",
  "tls",
  "unknown",
]);
export type FoundServiceProtocol = z.infer<typeof FoundServiceProtocol>;

export const DiscoveryHost = z.object({
  id: DiscoveryHostId,
  address: z.string(),
  services: z.array(
    z.object({
      port: z.number().int(),
      protocol: FoundServiceProtocol,
      /** The first bytes of the service, which are not trusted. */
      banner: z.string().nullable(),
      host_key: z.object({ type: z.string(), fingerprint: z.string() }).nullable(),
      certificate: z
        .object({ subject: z.string(), issuer: z.string(), names: z.array(z.string()), expires_at: Moment })
        .nullable(),
      /** The type of target that the service could be; null for none. */
      target_type: DiscoveryTargetType.nullable(),
      /** The target of the same safe at this address and port. */
      target_id: DiscoveryTargetId.nullable(),
    }),
  ),
  found_at: Moment,
});
export type DiscoveryHost = z.infer<typeof DiscoveryHost>;

const PATH = "/api/v1/discovery/enhanced/ip-range-scan";
const byId = { params: z.object({ id: RangeScanId }) };

/**
 * Every range must lie in networks that an administrator allowed. Needs `add` in the safe, and permission to retrieve
 * each credential without approval: with a rule, the operators of the hosts that are found receive its password.
 */
export const startRangeScan = endpoint({
  needs: "discovery.manage",
  gives: "secret",
  stepUp: "when-giving",
  givesByToken: "safe.share",
  method: "POST",
  path: PATH,
  summary: "Scan address ranges for systems in the background",
  body: NewRangeScan,
  reply: RangeScan,
  status: 202,
  perMinute: 20,
  audit: "discovery.range-scan-requested",
});

export const listRangeScans = endpoint({
  ...discoveryReading,
  path: PATH,
  summary: "Scans of address ranges that the caller can see, newest first",
  query: z.object({ ...pageQuery(200, 50), status: ScanStatus.optional() }),
  reply: z.object({ data: z.array(RangeScan), next_cursor: z.string().nullable() }),
});

export const readRangeScan = endpoint({
  ...discoveryReading,
  ...byId,
  path: `${PATH}/:id`,
  summary: "One scan of address ranges",
  reply: RangeScan,
});

export const listRangeScanHosts = endpoint({
  ...discoveryReading,
  ...byId,
  path: `${PATH}/:id/hosts`,
  summary: "The hosts that a scan of address ranges found, by address",
  query: z.object({ ...pageQuery(500, 100), protocol: FoundServiceProtocol.optional() }),
  reply: z.object({ data: z.array(DiscoveryHost), next_cursor: z.string().nullable() }),
});

export const cancelRangeScan = endpoint({
  ...discoveryManaging,
  ...byId,
  method: "POST",
  path: `${PATH}/:id/cancel`,
  summary: "Cancel a scan of address ranges",
  reply: RangeScan,
  audit: "discovery.range-scan-cancelled",
});

export const DiscoveryNetwork = z.object({
  id: DiscoveryNetworkId,
  network: z.string(),
  description: z.string().nullable(),
  created_by: z.string(),
  created_at: Moment,
});
export type DiscoveryNetwork = z.infer<typeof DiscoveryNetwork>;

export const listDiscoveryNetworks = endpoint({
  ...discoveryReading,
  path: "/api/v1/discovery/networks",
  summary: "The networks that may be scanned",
  reply: z.object({ data: z.array(DiscoveryNetwork) }),
});

export const allowDiscoveryNetwork = endpoint({
  method: "POST",
  path: "/api/v1/discovery/networks",
  summary: "Allow scans of a network",
  body: z.strictObject({
    network: oneLine("Network is required").trim().min(1, "Network is required").max(100),
    description: optionalLines(500),
  }),
  reply: DiscoveryNetwork,
  status: 201,
  needs: "discovery.allow-networks",
  audit: "discovery.network-allowed",
  gives: "nothing",
  stepUp: true,
});

export const disallowDiscoveryNetwork = endpoint({
  method: "DELETE",
  path: "/api/v1/discovery/networks/:id",
  summary: "No longer allow scans of a network",
  params: z.object({ id: DiscoveryNetworkId }),
  reply: Message,
  needs: "discovery.allow-networks",
  audit: "discovery.network-disallowed",
  thing: "discovery-network",
  gives: "nothing",
});
