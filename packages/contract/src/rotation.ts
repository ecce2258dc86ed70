// Rotation: changes a stored secret on its target and never loses one. The same for credentials and accounts.
import { z } from "zod";
import { endpoint } from "./endpoint.ts";
import { AccountId, CredentialId, Moment, RotationId, pageQuery } from "./fields.ts";

/**
 * The step of a rotation. Before `sent`, nothing has reached the target; `doubtful` means that either secret may be
 * active there, and both are kept.
 */
export const ROTATION_STEPS = ["planned", "stored", "sent", "answered", "doubtful", "promoted", "ended"] as const;
export const RotationStep = z.enum(ROTATION_STEPS);
export type RotationStep = z.infer<typeof RotationStep>;

export const ROTATION_OUTCOMES = ["rotated", "cancelled", "superseded"] as const;

/** For people: `attention` has stopped until a person acts, `waiting` continues automatically at `next_at`. */
export const ROTATION_STATES = ["queued", "running", "waiting", "attention", ...ROTATION_OUTCOMES] as const;
export const RotationState = z.enum(ROTATION_STATES);
export type RotationState = z.infer<typeof RotationState>;

export const ROTATION_REASONS = ["asked", "bulk", "scheduled", "check-in", "one-time", "grant-ended"] as const;

/** One line of the journal, written before or after the step that it describes. */
export const JournalLine = z.object({
  at: Moment,
  step: RotationStep,
  /** The event in plain English; never a secret. */
  message: z.string(),
});
export type JournalLine = z.infer<typeof JournalLine>;

export const Rotation = z.object({
  id: RotationId,
  /** The id of the credential or the account. */
  secret_id: z.uuid(),
  is_account: z.boolean(),
  name: z.string(),
  state: RotationState,
  step: RotationStep,
  /** The login used: the account itself, or the platform's reconcile account. */
  by: z.enum(["account", "reconcile-account"]),
  because: z.enum(ROTATION_REASONS),
  asked_by: z.string(),
  /** The last event, in plain English. */
  message: z.string(),
  /** More specific than the message, such as `password-rules`, `both-refused`, `reconcile-refused`; or null. */
  code: z.string().nullable(),
  tries: z.number().int(),
  /** When the rotation continues automatically; null while it runs, after it has ended, or when it needs a person. */
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

/** Continues an open rotation immediately if there is one. */
export const rotateCredential = endpoint({
  method: "POST",
  path: "/api/v1/credentials/:id/rotate",
  summary: "Rotate a credential's secret on its target, in the background",
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
  summary: "Rotate an account's password on its target, in the background",
  params: byAccount,
  reply: Started,
  status: 202,
  needs: "account.use",
  scope: "account.rotate",
  audit: "account.rotation-asked",
  gives: "nothing",
});

/**
 * Sets a new password through the platform's reconcile account, whatever the current one is. Needs `manage_secret`.
 */
export const reconcileAccount = endpoint({
  method: "POST",
  path: "/api/v1/accounts/:id/reconcile",
  summary: "Set a new password through the platform's reconcile account, in the background",
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

/** For callers who can see the credential or account. */
export const readRotation = endpoint({
  method: "GET",
  path: "/api/v1/rotations/:id",
  summary: "One rotation, with its journal",
  params: byRotation,
  reply: Rotation.extend({ journal: z.array(JournalLine) }),
  needs: "rotation.read",
  audit: "none",
});

/** Only before the candidate secret is sent to the target. */
export const cancelRotation = endpoint({
  method: "POST",
  path: "/api/v1/rotations/:id/cancel",
  summary: "Cancel a rotation before anything was sent",
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
  /** Rotations that need a user's action or were cancelled. */
  failed: z.number().int(),
  started_at: Moment,
  completed_at: Moment.nullable(),
});
export type RotationRun = z.infer<typeof RotationRun>;

/** Checks each secret separately: lists the refused ones and queues the rest. */
export const rotateSeveral = endpoint({
  method: "POST",
  path: "/api/v1/rotations/runs",
  summary: "Rotate the passwords of several accounts and credentials in the background",
  body: z
    .strictObject({
      account_ids: z.array(AccountId).max(1000).default([]),
      credential_ids: z.array(CredentialId).max(1000).default([]),
    })
    .refine(({ account_ids, credential_ids }) => account_ids.length + credential_ids.length > 0, {
      path: ["account_ids"],
      message: "Select at least one",
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
  summary: "The caller's current rotation runs, the latest first",
  reply: z.object({ runs: z.array(RotationRun) }),
  needs: "rotation.read",
  audit: "none",
});

const byRun = z.object({ id: RotationRunId });

export const readRotationRun = endpoint({
  method: "GET",
  path: "/api/v1/rotations/runs/:id",
  summary: "The progress of one of the caller's rotation runs",
  params: byRun,
  reply: RotationRun,
  needs: "rotation.read",
  audit: "none",
});

export const cancelRotationRun = endpoint({
  method: "POST",
  path: "/api/v1/rotations/runs/:id/cancel",
  summary: "Stop one of the caller's rotation runs: rotations in progress finish, the rest do not start",
  params: byRun,
  reply: RotationRun,
  needs: "rotation.manage",
  audit: "rotation.run-cancelled",
  gives: "nothing",
});
