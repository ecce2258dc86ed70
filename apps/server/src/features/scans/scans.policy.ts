// Decides which files and tables an enhanced scan reads, and computes its progress.
import type { DatabaseSearch, FileSearch } from "@strongroom/connectors";
import type { FindingType, ScanConfig, ScanDepth, ScanStatus } from "@strongroom/contract";
import { createHash } from "node:crypto";
import { DEEPEST_SEARCH } from "#features/findings/index.ts";

/** Increase it whenever the detectors' results change: all files are then read again. */
const ENGINE_VERSION = 6;

const ROOTS: Readonly<Record<ScanDepth, readonly string[]>> = {
  quick: ["/etc", "/home", "/root"],
  standard: ["/etc", "/home", "/root", "/opt", "/srv", "/usr/local", "/var/www", "/var/lib"],
  deep: ["/"],
};

/** The maximum number of bytes and files of one scan of one host. */
const LIMITS: Readonly<Record<ScanDepth, Pick<FileSearch, "maxTotalBytes" | "maxFiles">>> = {
  quick: { maxTotalBytes: 128 * 1024 * 1024, maxFiles: 20_000 },
  standard: { maxTotalBytes: 1024 * 1024 * 1024, maxFiles: 100_000 },
  deep: { maxTotalBytes: 8 * 1024 * 1024 * 1024, maxFiles: 500_000 },
};

/** File systems without files of users. */
const NEVER = ["/proc/*", "/sys/*", "/dev/*", "/run/*"];
const SYSTEM_FILES = ["/bin", "/boot", "/lib", "/lib32", "/lib64", "/libx32", "/sbin", "/var/cache", "/snap"];
const SYSTEM_LIBRARIES = [
  ...["bin", "games", "include", "lib", "lib32", "lib64", "libexec", "sbin", "share", "src"].map(
    (name) => `/usr/${name}`,
  ),
  ...["apt", "dpkg", "rpm", "dnf", "docker/overlay2", "containerd"].map((name) => `/var/lib/${name}`),
];

const KEY_NAMES = ["id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", "*.key", "*.pem", "*.ppk", "ssh_host_*_key"];
const CERTIFICATE_NAMES = ["*.crt", "*.cer", "*.pem"];
/** Files whose purpose is to hold credentials. */
const CREDENTIAL_NAMES = [
  ".env .env.* .pgpass .my.cnf .netrc _netrc .git-credentials .npmrc .pypirc .htpasswd .dockercfg",
  "config.json credentials credentials.* .credentials secrets secrets.* *.secret .smbcredentials",
  "smbcredentials sasl_passwd chap-secrets pap-secrets userlist.txt *.nmconnection *.keytab.txt *psk*",
  "tomcat-users.xml settings.xml wp-config.php kubeconfig *.kubeconfig .bash_history .zsh_history",
  ".mysql_history .psql_history *.tfvars *.tfstate *.rsp",
].flatMap((line) => line.split(" "));

/** How the places of a host's files begin. Only hosts have accounts, processes and a load. */
export const HOST_FILES = "/";

interface Places {
  /** How the places of the target's files begin. */
  begin: string;
  /** The places with findings. */
  known: readonly string[];
}

/** SCAN-31 to SCAN-42: each toggle adds the names of its kind of files to the patterns. */
export function searchOf(config: ScanConfig, { begin, known }: Places): FileSearch {
  const { scanDepth, filePatterns, excludePatterns, maxFileSize, maxLoadPerCore } = config;
  const readsText = config.scanHardcodedPasswords || config.scanCredentialExposure || config.scanServiceAccounts;
  const names = new Set([
    ...(readsText ? filePatterns : []),
    ...(config.scanSshKeys ? KEY_NAMES : []),
    ...(config.scanCertificates ? CERTIFICATE_NAMES : []),
    ...(config.scanCredentialExposure ? CREDENTIAL_NAMES : []),
  ]);
  const system = config.includeSystemFiles ? [] : [...SYSTEM_FILES, ...SYSTEM_LIBRARIES];
  const isHost = begin === HOST_FILES;
  return {
    roots: isHost ? ROOTS[scanDepth] : [begin],
    names: [...names],
    excludes: [...new Set([...(isHost ? [...NEVER, ...system] : []), ...excludePatterns])],
    maxFileSize,
    ...LIMITS[scanDepth],
    maxLoadPerCore: isHost ? maxLoadPerCore : null,
    history: scanDepth !== "quick",
    known,
  };
}

const DATABASE_LIMITS: Readonly<Record<ScanDepth, Pick<DatabaseSearch, "maxRows" | "maxTables" | "maxTotalBytes">>> = {
  quick: { maxRows: 200, maxTables: 1_000, maxTotalBytes: 64 * 1024 * 1024 },
  standard: { maxRows: 1_000, maxTables: 10_000, maxTotalBytes: 512 * 1024 * 1024 },
  deep: DEEPEST_SEARCH,
};

export const databaseSearchOf = (
  { scanDepth, excludePatterns }: ScanConfig,
  known: readonly string[],
): DatabaseSearch => ({
  ...DATABASE_LIMITS[scanDepth],
  excludes: excludePatterns,
  only: null,
  known,
});

export const NOT_SCANNABLE =
  "Strongroom can scan Linux and Unix hosts, PostgreSQL, MySQL, MariaDB, SQL Server, Oracle, MongoDB, S3 buckets and Git repositories for secrets, but not this system.";

/** The types of findings that the toggles ask for. */
export function typesOf(config: ScanConfig): FindingType[] {
  const chosen: [FindingType, boolean][] = [
    ["hardcoded_password", config.scanHardcodedPasswords],
    ["ssh_key", config.scanSshKeys],
    ["certificate", config.scanCertificates],
    ["service_account", config.scanServiceAccounts],
    ["shared_account", config.scanSharedAccounts],
    ["credential_exposure", config.scanCredentialExposure],
  ];
  return chosen.flatMap(([type, isOn]) => (isOn ? [type] : []));
}

/** Unchanged files that were scanned with the same engine are not read again. */
export function engineOf(config: ScanConfig): string {
  const types = typesOf(config).toSorted().join(",");
  return `${ENGINE_VERSION}:${createHash("sha256").update(types).digest("base64url").slice(0, 16)}`;
}

interface Progress {
  status: ScanStatus;
  files_chosen: number | null;
  files_read: number;
}

/** Percent (SCAN-27). Only a scan that has completed shows 100. */
export function progressOf({ status, files_chosen, files_read }: Progress): number {
  if (status === "completed") return 100;
  if (status === "pending") return 0;
  if (files_chosen === null) return 2;
  return files_chosen === 0 ? 95 : Math.min(99, 5 + Math.floor((94 * files_read) / files_chosen));
}
