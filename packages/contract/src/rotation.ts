// Rotation: changing a stored secret on its real system, without ever losing one. The same for credentials and accounts.
import { z } from "zod";
import { endpoint } from "./endpoint.ts";
import { AccountId, CredentialId, Moment, RotationId, pageQuery } from "./fields.ts";

/**
 * Where a rotation stands. What comes before `sent` has not reached the target; `doubtful` means that either secret may
 * be in force there, and both are kept.
 */
export const ROTATION_STEPS = ["planned", "stored", "sent", "answered", "doubtful", "promoted", "ended"] as const;
export const RotationStep = z.enum(ROTATION_STEPS);
export type RotationStep = z.infer<typeof RotationStep>;

export const ROTATION_OUTCOMES = ["rotated", "cancelled", "superseded"] as const;

/** For people: `attention` has stopped until a person does something, `waiting` goes on by itself at `next_at`. */
export const ROTATION_STATES = ["queued", "running", "waiting", "attention", ...ROTATION_OUTCOMES] as const;
export const RotationState = z.enum(ROTATION_STATES);
export type RotationState = z.infer<typeof RotationState>;

export const ROTATION_REASONS = ["asked", "bulk", "scheduled", "check-in", "one-time", "grant-ended"] as const;

/** One line of the journal, as it was written before or after what it tells of. */
export const JournalLine = z.object({
  at: Moment,
  step: RotationStep,
  /** What happened, in plain words; never a secret. */
  message: z.string(),
});
export type JournalLine = z.infer<typeof JournalLine>;

export const Rotation = z.object({
  id: RotationId,
  /** Of the credential or the account. */
  secret_id: z.uuid(),
  is_account: z.boolean(),
  name: z.string(),
  state: RotationState,
  step: RotationStep,
  /** By the account itself, or by the platform's reconcile account. */
  by: z.enum(["account", "reconcile-account"]),
  because: z.enum(ROTATION_REASONS),
  asked_by: z.string(),
  /** The last thing that happened, in plain words. */
  message: z.string(),
  /** Finer than the message, such as `password-rules`, `both-refused`, `reconcile-refused`; null: none. */
  code: z.string().nullable(),
  tries: z.number().int(),
  /** When it goes on by itself; null: it is at work, has ended or waits for a person. */
  next_at: Moment.nullable(),
  started_at: Moment,
  ended_at: Moment.nullable(),
});
export type Rotation = z.infer<typeof Rotation>;

const Started = z.object({
  success: z.literal(true),
  rotation_id: RotationId,
  /** VAULT-32. */
  message: z.string(),
});

const byCredential = z.object({ id: CredentialId });
const byAccount = z.object({ id: AccountId });

/** Asking while a rotation of it is open goes on with that one at once. */
export const rotateCredential = endpoint({
  method: "POST",
  path: "/api/v1/credentials/:id/rotate",
  summary: "Change the secret on its system, in the background",
  params: byCredential,
  reply: Started,
  status: 202,
  needs: "credential.rotate",
  audit: "credential.rotation-asked",
  gives: "nothing",
});

/** Needs `manage_secret` in the account's safe. */
export const rotateAccount = endpoint({
  method: "POST",
  path: "/api/v1/accounts/:id/rotate",
  summary: "Change the account's password on its system, in the background",
  params: byAccount,
  reply: Started,
  status: 202,
  needs: "account.use",
  scope: "account.rotate",
  audit: "account.rotation-asked",
  gives: "nothing",
});

/** Sets a new password through the platform's reconcile account, whatever the present one is. Needs `manage_secret`. */
export const reconcileAccount = endpoint({
  method: "POST",
  path: "/api/v1/accounts/:id/reconcile",
  summary: "Set a new password by the platform's reconcile account, in the background",
  params: byAccount,
  reply: Started,
  status: 202,
  needs: "account.use",
  scope: "account.rotate",
  audit: "account.reconciliation-asked",
  gives: "nothing",
});

const history = {
  query: z.object(pageQuery(100, 20)),
  reply: z.object({ rotations: z.array(Rotation), next_cursor: z.string().nullable() }),
};

export const listCredentialRotations = endpoint({
  method: "GET",
  path: "/api/v1/credentials/:id/rotations",
  summary: "The rotations of a credential, newest first",
  params: byCredential,
  ...history,
  needs: "credential.read",
  audit: "none",
});

export const listAccountRotations = endpoint({
  method: "GET",
  path: "/api/v1/accounts/:id/rotations",
  summary: "The rotations of an account, newest first",
  params: byAccount,
  ...history,
  needs: "account.use",
  scope: "account.read",
  audit: "none",
});

const byRotation = z.object({ id: RotationId });

/** For who may see the credential or account. */
export const readRotation = endpoint({
  method: "GET",
  path: "/api/v1/rotations/:id",
  summary: "One rotation, with its journal",
  params: byRotation,
  reply: Rotation.extend({ journal: z.array(JournalLine) }),
  needs: "rotation.read",
  audit: "none",
});

/** Only as long as the target has not heard of it. */
export const cancelRotation = endpoint({
  method: "POST",
  path: "/api/v1/rotations/:id/cancel",
  summary: "Give up a rotation before anything was sent",
  params: byRotation,
  reply: Rotation,
  needs: "rotation.manage",
  audit: "rotation.cancelled",
  gives: "nothing",
});

export const RotationRunId = z.uuid().brand<"RotationRunId">();
export type RotationRunId = z.infer<typeof RotationRunId>;

export const RotationRun = z.object({
  id: RotationRunId,
  status: z.enum(["running", "completed", "cancelled"]),
  total: z.number().int(),
  done: z.number().int(),
  rotated: z.number().int(),
  /** Waits for a person, or was cancelled. */
  failed: z.number().int(),
  started_at: Moment,
  completed_at: Moment.nullable(),
});
export type RotationRun = z.infer<typeof RotationRun>;

/** Each is decided on its own: what may not be rotated is named, the rest is queued. */
export const rotateSeveral = endpoint({
  method: "POST",
  path: "/api/v1/rotations/runs",
  summary: "Change the passwords of several accounts and credentials in the background",
  body: z
    .strictObject({
      account_ids: z.array(AccountId).max(1000).default([]),
      credential_ids: z.array(CredentialId).max(1000).default([]),
    })
    .refine(({ account_ids, credential_ids }) => account_ids.length + credential_ids.length > 0, {
      path: ["account_ids"],
      message: "Name at least one",
    }),
  reply: z.object({
    run_id: RotationRunId.nullable(),
    queued: z.number().int(),
    failed: z.array(z.object({ id: z.uuid(), code: z.string(), message: z.string() })),
    message: z.string(),
  }),
  status: 202,
  needs: "rotation.manage",
  audit: "rotation.run-started",
  gives: "nothing",
});

export const listRotationRuns = endpoint({
  method: "GET",
  path: "/api/v1/rotations/runs",
  summary: "One's own rotation runs that are under way, the latest first",
  reply: z.object({ runs: z.array(RotationRun) }),
  needs: "rotation.read",
  audit: "none",
});

const byRun = z.object({ id: RotationRunId });

export const readRotationRun = endpoint({
  method: "GET",
  path: "/api/v1/rotations/runs/:id",
  summary: "The progress of a rotation run of one's own",
  params: byRun,
  reply: RotationRun,
  needs: "rotation.read",
  audit: "none",
});

export const cancelRotationRun = endpoint({
  method: "POST",
  path: "/api/v1/rotations/runs/:id/cancel",
  summary: "Stop a rotation run of one's own: what was sent is brought to its end, the rest is not started",
  params: byRun,
  reply: RotationRun,
  needs: "rotation.manage",
  audit: "rotation.run-cancelled",
  gives: "nothing",
});
