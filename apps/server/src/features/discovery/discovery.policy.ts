// Decides who may use discovery, which accounts of a system count as system accounts, and what a scan changed.
import { ROLES, hasAccounts } from "@strongroom/contract";
import type {
  DiscoveredStatus,
  DiscoveredSystem,
  DiscoveryTargetType,
  FoundServiceProtocol,
} from "@strongroom/contract";
import { applicationId } from "@strongroom/connectors";
import type { Connector, ListedAccount } from "@strongroom/connectors";
import { isDeepStrictEqual } from "node:util";
import type { RolePermissions } from "#kernel/authz/authorise.ts";

/** The permissions in the target's safe decide the rest; see `visibleTargets`. */
export const rolePermissions: RolePermissions = {
  "discovery.read": ROLES,
  "discovery.manage": ROLES,
  "discovery.allow-networks": ["admin"],
};

/** The connectors that scan each type of target. */
const CONNECTORS: Readonly<Record<DiscoveryTargetType, readonly string[]>> = {
  linux: ["linux"],
  windows: ["winrm"],
  database: ["postgresql", "mysql", "mssql", "oracle", "mongodb", "redis", "rabbitmq"],
  aws: ["aws-iam"],
  azure: ["azure"],
  gcp: ["google-cloud"],
  active_directory: ["active-directory", "ldap"],
  git: ["git", "git-ssh"],
};

/** Null when the connector can scan a target of this type; otherwise one sentence with the reason. */
export function obstacleToScan(type: DiscoveryTargetType, connector: Connector): string | null {
  if (!CONNECTORS[type].includes(connector.id)) {
    return "The credential is for a different type of system than the target.";
  }
  const isScannable = connector.listAccounts !== undefined || !hasAccounts(type);
  return isScannable ? null : "Strongroom cannot list the accounts of this system.";
}

const TARGET_TYPES: Partial<Record<FoundServiceProtocol, DiscoveryTargetType>> = {
  ssh: "linux",
  postgresql: "database",
  mysql: "database",
  mssql: "database",
  mongodb: "database",
  redis: "database",
  ldap: "active_directory",
  winrm: "windows",
};

/** The type of target that a service found on a network could be. */
export const targetTypeOf = (protocol: FoundServiceProtocol): DiscoveryTargetType | null =>
  TARGET_TYPES[protocol] ?? null;

const SYSTEMS: Readonly<Record<DiscoveryTargetType, DiscoveredSystem>> = {
  linux: "linux",
  windows: "windows",
  database: "database",
  aws: "other",
  azure: "other",
  gcp: "other",
  active_directory: "windows",
  git: "other",
};

export const systemOf = (type: DiscoveryTargetType): DiscoveredSystem => SYSTEMS[type];

const IGNORING_CASE: readonly DiscoveryTargetType[] = ["windows", "active_directory", "azure", "gcp"];

/**
 * Unix and most databases distinguish upper and lower case in names; Windows, directories and most clouds do not. An
 * application of Azure is recognised by its ID, whatever its name is.
 */
export function identityOf(type: DiscoveryTargetType, name: string): string {
  const application = type === "azure" ? applicationId(name) : null;
  return application ?? (IGNORING_CASE.includes(type) ? name.toLowerCase() : name);
}

/** The first user id of people on the common distributions (`UID_MIN` in login.defs). */
const FIRST_PERSONAL_UID = 1000;
/** `nobody`. */
const NOBODY_UID = 65_534;

/**
 * Whether an account came with the system and cannot be used to log in: on Unix, a user id of the system, no password
 * and no key; in PostgreSQL, a predefined role. Privileged accounts never count.
 */
export function isSystemAccount(type: DiscoveryTargetType, { name, isPrivileged, facts }: ListedAccount): boolean {
  if (isPrivileged) return false;
  if (type === "database") return name.startsWith("pg_");
  if (type !== "linux") return false;
  const uid = Number(facts["uid"]);
  const isOfSystem = uid < FIRST_PERSONAL_UID || uid === NOBODY_UID;
  const keys = facts["keys"];
  return isOfSystem && facts["passwordStatus"] !== "set" && !(Array.isArray(keys) && keys.length > 0);
}

/** An account as an earlier scan stored it. */
export interface KnownAccount {
  identity: string;
  status: DiscoveredStatus;
  is_privileged: boolean;
  is_locked: boolean;
  password_changed_at: Date | null;
  expires_at: Date | null;
  facts: Record<string, unknown>;
  missing_since: Date | null;
}

export interface Change {
  field: string;
  from: unknown;
  to: unknown;
}

const isoOf = (date: Date | null): string | null => date?.toISOString() ?? null;

/** The differences that matter to a reviewer, by field. The time of the last login changes all the time, so it is not one. */
export function changesBetween(before: KnownAccount, now: ListedAccount): Change[] {
  const pairs: [string, unknown, unknown][] = [
    ["is_privileged", before.is_privileged, now.isPrivileged],
    ["is_locked", before.is_locked, now.isLocked],
    ["password_changed_at", isoOf(before.password_changed_at), now.passwordChangedAt],
    ["expires_at", isoOf(before.expires_at), now.expiresAt],
    ["missing", before.missing_since !== null, false],
  ];
  const names = [...new Set([...Object.keys(before.facts), ...Object.keys(now.facts)])];
  const facts = names.map((name): (typeof pairs)[number] => [
    name,
    before.facts[name] ?? null,
    // As it will be read back from the database.
    JSON.parse(JSON.stringify(now.facts[name] ?? null)),
  ]);
  return [...pairs, ...facts]
    .filter(([, from, to]) => !isDeepStrictEqual(from, to))
    .map(([field, from, to]) => ({ field, from, to }));
}

/**
 * The status after a scan found the account again. A rejected account that had disappeared, or that became privileged
 * since, needs a new decision.
 */
export function statusAfter(before: KnownAccount, now: ListedAccount): DiscoveredStatus {
  const needsDecision = before.missing_since !== null || (now.isPrivileged && !before.is_privileged);
  return before.status === "rejected" && needsDecision ? "pending_approval" : before.status;
}

/** Scans store the most important accounts first when the system has more than they may store. */
export const byImportance = (one: ListedAccount, other: ListedAccount): number =>
  Number(other.isPrivileged) - Number(one.isPrivileged) || Number(one.isLocked) - Number(other.isLocked);
