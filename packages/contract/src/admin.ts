// Administration of the system: status, jobs, keys, and backups.
import { z } from "zod";
import { endpoint } from "./endpoint.ts";
import { Message, Moment, pageQuery, TokenId } from "./fields.ts";
import { Health } from "./health.ts";
import { ApiToken } from "./tokens.ts";

export const ServerProcess = z.object({
  host: z.string(),
  pid: z.number().int(),
  version: z.string(),
  node: z.string(),
  is_sealed: z.boolean(),
  started_at: Moment,
  seen_at: Moment,
  /** Whether this process answers the call. */
  is_this: z.boolean(),
});
export type ServerProcess = z.infer<typeof ServerProcess>;

export const SystemFacts = z.object({
  version: z.string(),
  node: z.string(),
  /** Seconds since the answering process started. */
  uptime: z.number().int(),
  database: z.object({
    /** `embedded`: a private PostgreSQL on this machine; `server`: the one in DATABASE_URL. */
    kind: z.enum(["embedded", "server"]),
    version: z.string(),
    size_bytes: z.number().int(),
    connections: z.number().int(),
    max_connections: z.number().int(),
  }),
  /** The disk of the data folder; null if unknown. */
  disk: z.object({ free_bytes: z.number().int(), total_bytes: z.number().int() }).nullable(),
  is_mail_configured: z.boolean(),
  /** Audit entries that are recorded but not yet in the tree. */
  audit: z.object({ waiting: z.number().int(), oldest_at: Moment.nullable() }),
  health: Health.pick({ status: true, summary: true, checks: true }),
  processes: z.array(ServerProcess),
});
export type SystemFacts = z.infer<typeof SystemFacts>;

export const readSystem = endpoint({
  method: "GET",
  path: "/api/v1/admin/system",
  summary: "The system's status: versions, database, disk, processes and problems",
  reply: SystemFacts,
  needs: "system.read",
  audit: "none",
});

export const KeyFacts = z.object({
  is_sealed: z.boolean(),
  provider: z.enum(["key-file", "passphrase"]),
  root_key_id: z.string(),
  /** When this root key became current. */
  root_key_since: Moment,
  /** The number of key-encryption keys that the root key wraps. */
  keys: z.number().int(),
  signing_key_since: Moment.nullable(),
  /** Why this process cannot use the current root key; null when it can. */
  problem: z.string().nullable(),
  /** Why the root key cannot be replaced here; null when it can. */
  rekey_obstacle: z.string().nullable(),
});
export type KeyFacts = z.infer<typeof KeyFacts>;

export const readKeys = endpoint({
  method: "GET",
  path: "/api/v1/admin/keys",
  summary: "The current root key, and whether it can be replaced here",
  reply: KeyFacts,
  needs: "system.read",
  audit: "none",
});

export const rekey = endpoint({
  method: "POST",
  path: "/api/v1/admin/keys/rekey",
  summary: "Create a new root key and rewrap every key-encryption key; stored secrets are unchanged",
  reply: KeyFacts,
  needs: "seal.manage",
  audit: "seal.rekey-started",
  gives: "nothing",
  stepUp: true,
});

export const replaceSigningKey = endpoint({
  method: "POST",
  path: "/api/v1/admin/keys/signing",
  summary: "Replace the key that signs sign-in tokens; users stay signed in",
  reply: KeyFacts,
  needs: "seal.manage",
  audit: "seal.signing-key-replaced",
  gives: "nothing",
  stepUp: true,
});

export const JOB_STATES = ["waiting", "scheduled", "active", "completed", "failed", "cancelled"] as const;

export const JobQueue = z.object({
  name: z.string(),
  waiting: z.number().int(),
  /** Jobs scheduled for later, including retries. */
  scheduled: z.number().int(),
  active: z.number().int(),
  /** Jobs that failed permanently within the last 7 days. */
  failed: z.number().int(),
  /** The creation time of the oldest waiting job. */
  oldest_waiting_at: Moment.nullable(),
  last_completed_at: Moment.nullable(),
  last_failed_at: Moment.nullable(),
  /** A cron expression (UTC) for scheduled jobs. */
  schedule: z.string().nullable(),
});
export type JobQueue = z.infer<typeof JobQueue>;

export const listQueues = endpoint({
  method: "GET",
  path: "/api/v1/admin/queues",
  summary: "The queues of background work",
  reply: z.object({ data: z.array(JobQueue) }),
  needs: "system.read",
  audit: "none",
});

export const JobId = z.uuid().brand<"JobId">();
export type JobId = z.infer<typeof JobId>;

export const JobRun = z.object({
  id: JobId,
  queue: z.string(),
  state: z.enum(JOB_STATES),
  attempts: z.number().int(),
  created_at: Moment,
  started_at: Moment.nullable(),
  ended_at: Moment.nullable(),
  /** The last attempt's error, as one sentence. The job's payload is not shown: it may contain names. */
  error: z.string().nullable(),
  progress: z.object({ done: z.number().int(), total: z.number().int().nullable() }).nullable(),
  may_retry: z.boolean(),
});
export type JobRun = z.infer<typeof JobRun>;

export const listJobs = endpoint({
  method: "GET",
  path: "/api/v1/admin/jobs",
  summary: "Jobs, newest first; ended jobs are kept for 7 days",
  query: z.object({
    ...pageQuery(100, 25),
    queue: z.string().max(100).optional(),
    state: z.enum(JOB_STATES).optional(),
  }),
  reply: z.object({ data: z.array(JobRun), next_cursor: z.string().nullable() }),
  needs: "system.read",
  audit: "none",
});

export const retryJob = endpoint({
  method: "POST",
  path: "/api/v1/admin/jobs/:id/retry",
  summary: "Retry a failed job",
  params: z.object({ id: JobId }),
  reply: JobRun,
  needs: "system.manage",
  audit: "job.retried",
  gives: "nothing",
  thing: "job",
});

/** One check of a restore drill. */
export const DrillFinding = z.object({
  what: z.enum(["authenticity", "files", "database", "audit", "keys", "secrets"]),
  is_good: z.boolean(),
  says: z.string(),
});
export type DrillFinding = z.infer<typeof DrillFinding>;

export const RestoreDrill = z.object({
  id: z.uuid(),
  backup: z.string(),
  /** The time of the data in the backup. */
  made_at: Moment.nullable(),
  started_at: Moment,
  /** Null while the drill runs. */
  ended_at: Moment.nullable(),
  /** Null while the drill runs, and when it was cancelled. */
  is_good: z.boolean().nullable(),
  findings: z.array(DrillFinding),
});
export type RestoreDrill = z.infer<typeof RestoreDrill>;

/** Assigned by the server: the time at which the backup started. */
export const BackupName = z.string().regex(/^\d{8}T\d{6}Z$/);

export const Backup = z.object({
  name: BackupName,
  /**
   * `unfinished`: the backup started and did not finish, or another one is running. `damaged`: its list of files was
   * changed. `unauthenticated`: made by an earlier version, without a MAC; a drill does not start it.
   */
  state: z.enum(["complete", "unfinished", "damaged", "unauthenticated"]),
  made_at: Moment.nullable(),
  size_bytes: z.number().int(),
  files: z.number().int(),
  /** The version of Strongroom that made the backup. */
  version: z.string().nullable(),
  root_key_id: z.string().nullable(),
  last_drill: RestoreDrill.nullable(),
});
export type Backup = z.infer<typeof Backup>;

export const BackupWork = z.object({
  id: JobId,
  kind: z.enum(["backup", "drill"]),
  state: z.enum(["queued", "running"]),
  done: z.number().int(),
  total: z.number().int().nullable(),
});
export type BackupWork = z.infer<typeof BackupWork>;

export const BackupList = z.object({
  /** How to make a backup by other means; null when backups can be made here. */
  instead: z.string().nullable(),
  folder: z.string(),
  /** A warning about the backup folder, such as that it is on the same disk. */
  warning: z.string().nullable(),
  under_way: BackupWork.nullable(),
  /** Why the last backup failed, unless a later one succeeded. */
  last_error: z.string().nullable(),
  last_drill: RestoreDrill.nullable(),
  data: z.array(Backup),
});
export type BackupList = z.infer<typeof BackupList>;

const started = { reply: z.object({ job_id: JobId }), status: 202, needs: "system.manage" } as const;
const byName = z.object({ name: BackupName });

export const listBackups = endpoint({
  method: "GET",
  path: "/api/v1/admin/backups",
  summary: "Backups made here, newest first, and the results of restore drills",
  reply: BackupList,
  needs: "system.read",
  audit: "none",
});

export const makeBackup = endpoint({
  method: "POST",
  path: "/api/v1/admin/backups",
  summary: "Back up the embedded database now",
  ...started,
  audit: "backup.requested",
  gives: "nothing",
});

export const drillBackup = endpoint({
  method: "POST",
  path: "/api/v1/admin/backups/:name/drill",
  summary: "Restore a backup next to the running database, and check that all of it opens and verifies",
  params: byName,
  ...started,
  audit: "backup.drill-requested",
  gives: "nothing",
});

export const deleteBackup = endpoint({
  method: "DELETE",
  path: "/api/v1/admin/backups/:name",
  summary: "Delete a backup permanently",
  params: byName,
  reply: Message,
  needs: "system.manage",
  audit: "backup.deleted",
  gives: "nothing",
  stepUp: true,
});

export const cancelBackupWork = endpoint({
  method: "POST",
  path: "/api/v1/admin/backups/cancel",
  summary: "Stop the running backup or drill",
  reply: Message,
  needs: "system.manage",
  audit: "backup.cancelled",
  gives: "nothing",
});

/** A change that an audit sink on this machine recorded after the backup was made: the restored database lacks it. */
export const LostChange = z.object({
  at: Moment,
  event: z.string(),
  by: z.string().nullable(),
  target: z.string().nullable(),
});
export type LostChange = z.infer<typeof LostChange>;

export const RestoreEnds = z.object({
  sessions: z.number().int(),
  sign_ins: z.number().int(),
  links: z.number().int(),
  grants: z.number().int(),
  check_outs: z.number().int(),
  rotations: z.number().int(),
  tokens: z.number().int(),
  /** Open requests to reset an administrator's sign-in. */
  admin_resets: z.number().int(),
  /** Closed vaults whose waiting time started again. */
  closures: z.number().int(),
  /** Deleted recovery codes: some of them may have been used since the backup. */
  recovery_codes: z.number().int(),
  /** Deleted SSH keys: some of them may have been removed since the backup. */
  ssh_keys: z.number().int(),
  /** Approvals removed from requests that still need others: they may have been withdrawn since the backup. */
  approvals: z.number().int(),
});
export type RestoreEnds = z.infer<typeof RestoreEnds>;

export const RestoreReview = z.object({
  /**
   * `restore`: strongroom restore; `command`: strongroom restored; `checkpoint`: the kept audit checkpoint is newer.
   */
  found_by: z.enum(["restore", "command", "checkpoint"]),
  backup_made_at: Moment.nullable(),
  /** Whether the backup carried a MAC of this root key; null when it was restored by other means. */
  is_authenticated: z.boolean().nullable(),
  restored_at: Moment,
  missing_entries: z.number().int().nullable(),
  ended: RestoreEnds,
  /** Newest first. Empty when no file sink on this machine has recorded any. */
  changes: z.array(LostChange),
});
export type RestoreReview = z.infer<typeof RestoreReview>;

export const SuspendedToken = ApiToken.pick({
  id: true,
  name: true,
  begins: true,
  holder: true,
  created_at: true,
  expires_at: true,
  last_used_at: true,
  last_used_from: true,
});
export type SuspendedToken = z.infer<typeof SuspendedToken>;

export const readRestoreReview = endpoint({
  method: "GET",
  path: "/api/v1/admin/restore-review",
  summary: "Restores of the database that wait for a review, newest first, and the API tokens that they suspended",
  reply: z.object({ open: z.array(RestoreReview), suspended_tokens: z.array(SuspendedToken) }),
  needs: "system.read",
  audit: "none",
});

export const confirmTokens = endpoint({
  method: "POST",
  path: "/api/v1/admin/restore-review/tokens",
  summary: "Confirm API tokens that a restore suspended, so that they work again",
  body: z.strictObject({ token_ids: z.array(TokenId).min(1).max(500) }),
  reply: Message,
  needs: "system.manage",
  sessionOnly: true,
  audit: "restore.tokens-confirmed",
  gives: "right",
  stepUp: true,
});

export const finishRestoreReview = endpoint({
  method: "POST",
  path: "/api/v1/admin/restore-review/finish",
  summary: "Finish the review of a restored database; tokens that were not confirmed stay suspended",
  reply: Message,
  needs: "system.manage",
  sessionOnly: true,
  audit: "restore.reviewed",
  gives: "nothing",
  stepUp: true,
});
