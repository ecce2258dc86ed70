// The types of discovery targets, how each is reached, and what it has.
import { z } from "zod";

/** DISC-15, other clouds, and repositories, which have files but no accounts. */
export const DiscoveryTargetType = z.enum([
  "linux",
  "windows",
  "database",
  "aws",
  "azure",
  "gcp",
  "active_directory",
  "git",
]);
export type DiscoveryTargetType = z.infer<typeof DiscoveryTargetType>;
/** DISC-16. */
export const DiscoveryMethod = z.enum(["ssh", "winrm", "https", "aws_api", "database"]);
export type DiscoveryMethod = z.infer<typeof DiscoveryMethod>;

/** DISC-24: the port and the method of a target type. */
export const DISCOVERY_DEFAULTS = {
  linux: { port: 22, method: "ssh" },
  windows: { port: 3389, method: "winrm" },
  database: { port: 3306, method: "database" },
  aws: { port: 443, method: "aws_api" },
  azure: { port: 443, method: "https" },
  gcp: { port: 443, method: "https" },
  active_directory: { port: 389, method: "https" },
  git: { port: 443, method: "https" },
} as const satisfies Record<DiscoveryTargetType, { port: number; method: DiscoveryMethod }>;

const CLOUDS: readonly DiscoveryTargetType[] = ["aws", "azure", "gcp"];

/** Whether targets of this type have cloud resources. */
export const isCloud = (type: DiscoveryTargetType): boolean => CLOUDS.includes(type);

/** Whether targets of this type have accounts that a basic scan lists. */
export const hasAccounts = (type: DiscoveryTargetType): boolean => type !== "git";
