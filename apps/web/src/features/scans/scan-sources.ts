// What scans of hosts, databases, buckets and repositories read, and what the screens call it. Pure.
import type { DiscoveryTargetType, EnhancedScan, ScanConfig } from "@strongroom/contract";
import { counted } from "#shared/format/text.ts";
import type { ScanToggle } from "./scan-labels.ts";

type Limit = NonNullable<EnhancedScan["coverage"]["limit"]>;

interface ScanSource {
  /** Describes a scan of this host. */
  does: (hostname: string) => string;
  /** What the scan counts. */
  unit: string;
  /** The name of the fact with the account's rights, or null. */
  readAs: string | null;
  limits: Record<Limit, string>;
  /** The advice for parts that could not be read. */
  unread: (count: number) => string;
  excludes: string;
  /** The patterns that replace the usual ones, which name files and folders of hosts. */
  patterns: Partial<Pick<ScanConfig, "filePatterns" | "excludePatterns">>;
  /** Whether what it reads has names and sizes to choose by, and need not be read again while it stays the same. */
  hasFiles: boolean;
  /** The toggles that it does not have. */
  without: readonly ScanToggle[];
}

const OF_HOSTS: readonly ScanToggle[] = ["scanServiceAccounts", "scanSharedAccounts", "scanProcesses"];
const things = (count: number, one: string, several: string): string =>
  count === 1 ? `1 ${one}` : `${count.toLocaleString()} ${several}`;

const HOST: ScanSource = {
  does: (hostname) =>
    `Logs in to ${hostname}, reads its files at low priority and looks for secrets. It writes nothing there, and no file content is stored.`,
  unit: "file",
  readAs: "Read as root",
  limits: {
    time: "The scan ran out of time before it read every file. Start another one: it continues with the rest.",
    files: "The host has more files than one scan of this depth reads.",
    bytes: "The files are larger than one scan of this depth reads.",
  },
  unread: (count) =>
    `${things(count, "file or folder", "files and folders")} could not be read. Give the scan's account a sudo rule for find and tar to include them.`,
  excludes: "Files and folders to leave out.",
  patterns: {},
  hasFiles: true,
  without: [],
};

const SOURCES: Partial<Record<DiscoveryTargetType, ScanSource>> = {
  database: {
    does: (hostname) =>
      `Logs in to ${hostname} and looks for secrets in rows of its tables, in functions and views, and in stored logins to other servers. It writes nothing there, and no rows are stored.`,
    unit: "table",
    readAs: "Read as superuser",
    limits: {
      time: "The scan ran out of time before it read every table. Give it more time.",
      files: "The server has more tables than one scan of this depth reads.",
      bytes: "The tables are larger than one scan of this depth reads.",
    },
    unread: (count) =>
      `${things(count, "table or database", "tables and databases")} could not be read. Let the scan's account read them to include them.`,
    excludes: "Tables to leave out, such as shop.audit.*",
    patterns: { excludePatterns: [] },
    hasFiles: false,
    without: OF_HOSTS,
  },
  aws: {
    does: () =>
      "Reads objects of the account's S3 buckets and looks for secrets. It writes nothing there, and no content is stored.",
    unit: "object",
    readAs: null,
    limits: {
      time: "The scan ran out of time before it read every object. Start another one: it continues with the rest.",
      files: "The buckets have more objects than one scan of this depth reads.",
      bytes: "The objects are larger than one scan of this depth reads.",
    },
    unread: (count) =>
      `${things(count, "bucket or object", "buckets and objects")} could not be read. Let the access key read them to include them; archived objects must be restored first.`,
    excludes: "Objects to leave out, such as s3://logs/*",
    patterns: { excludePatterns: [] },
    hasFiles: true,
    without: OF_HOSTS,
  },
  git: {
    does: (hostname) =>
      `Clones the credential's repositories from ${hostname} for the duration of the scan and looks for secrets. A quick scan reads the current files of the default branch; others read every version on all branches and tags. No file content is stored.`,
    unit: "file",
    readAs: null,
    limits: {
      time: "The scan ran out of time before it read every file. Start another one: it continues with the rest.",
      files: "The repositories have more files than one scan of this depth reads.",
      bytes: "The repositories are larger than one scan of this depth reads.",
    },
    unread: (count) =>
      `${things(count, "repository or file", "repositories and files")} could not be read. Let the credential read them to include them.`,
    excludes: "Files to leave out, such as */test/*",
    patterns: { filePatterns: ["*"], excludePatterns: [] },
    hasFiles: true,
    without: OF_HOSTS,
  },
};

export const sourceOf = (type: DiscoveryTargetType): ScanSource => SOURCES[type] ?? HOST;

/** For one configuration of several targets: targets of different types have the settings of hosts. */
export function sourceOfAll(types: readonly DiscoveryTargetType[]): ScanSource {
  const [first, ...others] = new Set(types.map(sourceOf));
  return first === undefined || others.length > 0 ? HOST : first;
}

/** Why a completed scan did not read everything, or null. */
export function coverageGap({ coverage, target }: EnhancedScan): string | null {
  const { limits, unread } = sourceOf(target.target_type);
  if (coverage.limit !== null) return limits[coverage.limit];
  return coverage.unread_count === 0 ? null : unread(coverage.unread_count);
}

export function coverageText({ coverage, target }: EnhancedScan): string {
  const { files_read: read, files_unchanged: unchanged } = coverage;
  const { unit, hasFiles } = sourceOf(target.target_type);
  return `${counted(read, unit)} read${hasFiles ? `, ${unchanged.toLocaleString()} unchanged` : ""}`;
}
