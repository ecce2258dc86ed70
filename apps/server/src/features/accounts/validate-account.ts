// Validates an account: logs in to the real system with the stored secret, and maps the result to the accounts page.
import { ACCOUNT_VALIDATION_OF } from "@strongroom/contract";
import type {
  AccountValidationStatus,
  Message,
  ValidationHistoryEntry,
  ValidationResult,
  acceptAccountHostKey,
  accountValidationHistory,
  validateAccount as validateEndpoint,
} from "@strongroom/contract";
import type { Db, Tx } from "#kernel/db/database.ts";
import type { Call } from "#kernel/http/call.ts";
import { readTimePlace, writeTimePlace } from "#kernel/http/cursor.ts";
import type { SteppedCall } from "#kernel/http/implement.ts";
import {
  acceptOffered,
  acceptedKeys,
  recorderForCall,
  listAttemptsOf,
  manual,
  verify,
} from "#features/verification/index.ts";
import { verificationStatus } from "#features/secrets/index.ts";
import type { SecretRow } from "#features/secrets/index.ts";
import type { AttemptRow, VerificationFeature } from "#features/verification/index.ts";
import { audienceOf, changed, notFound, readShown, targetOf } from "./accounts.ts";
import type { AccountDeps } from "./deps.ts";
import { lockAccount } from "./lock-account.ts";

/** Validates the account now and returns the result (ACC-29, ACC-90). */
export async function validate(
  deps: AccountDeps,
  { site: context, stopping }: VerificationFeature,
  call: SteppedCall<typeof validateEndpoint>,
): Promise<ValidationResult> {
  const { id } = call.params;
  call.note({ target: { type: "account", id } });
  const lock = (tx: Tx) => lockAccount(tx, call.actor, id, "manage_secret", deps.grants.grantsInForce);
  const verdict = await verify(context, { ...manual(id, call, stopping), lock }, recorderForCall(context.kernel, call));
  if (verdict.kind !== "tried" || verdict.secretRow === null) throw notFound();
  const { attempt } = verdict;
  return {
    success: attempt.outcome === "verified",
    validation_status: statusAfter(attempt, verdict.secretRow),
    validation_timestamp: (attempt.finished_at ?? attempt.started_at).toISOString(),
    validation_message: attempt.message ?? "",
    outcome: attempt.outcome ?? "aborted",
  };
}

/** An aborted attempt does not change the status. */
function statusAfter({ outcome }: AttemptRow, row: SecretRow): AccountValidationStatus {
  if (outcome === "aborted") return ACCOUNT_VALIDATION_OF[verificationStatus(row)];
  return outcome === null || outcome === "unsupported" ? "untested" : ACCOUNT_VALIDATION_OF[outcome];
}

/** Lists the validations of an account for users who may see it (ACC-86 to ACC-89). */
export async function readValidations(
  call: Call<typeof accountValidationHistory>,
  db: Db,
  { grants }: AccountDeps,
): Promise<{ history: ValidationHistoryEntry[]; next_cursor: string | null }> {
  const { id } = await readShown(db, call.actor, call.params.id, grants.grantsInForce);
  const { limit, cursor } = call.query;
  const after = cursor === undefined ? null : readTimePlace(cursor);
  const attempts = await listAttemptsOf(db, id, { limit: limit + 1, after });
  const shown = attempts.slice(0, limit);
  const last = attempts.length > limit ? shown.at(-1) : undefined;
  return {
    history: shown.map(toHistoryEntry),
    next_cursor: last === undefined ? null : writeTimePlace({ at: last.started_at, id: last.id }),
  };
}

const TYPES = {
  manual: "manual",
  scheduled: "scheduled",
  first: "triggered",
  bulk: "triggered",
  rotation: "triggered",
} as const;

export function toHistoryEntry(attempt: AttemptRow): ValidationHistoryEntry {
  const { outcome } = attempt;
  const isVerified = outcome === "verified";
  const failed = outcome === "aborted" ? "aborted" : "failed";
  return {
    id: attempt.id,
    validation_status: outcome === null ? "pending" : isVerified ? "success" : failed,
    outcome,
    validation_type: TYPES[attempt.trigger],
    validated_at: (attempt.finished_at ?? attempt.started_at).toISOString(),
    validated_by: attempt.triggered_by,
    error_message: isVerified ? null : attempt.message,
    validation_details: {
      response_time: attempt.duration_ms,
      endpoint: attempt.host,
      connection_test: isVerified || outcome === "rejected",
      credential_test: isVerified,
    },
  };
}

/** Accepts the host key that the target presented. The next validation is scheduled and trusts only this key. */
export async function acceptAccountKey(
  deps: AccountDeps,
  call: Call<typeof acceptAccountHostKey>,
  tx: Tx,
): Promise<Message> {
  const { id } = call.params;
  call.note({ target: { type: "account", id } });
  const before = await lockAccount(tx, call.actor, id, "manage_secret", deps.grants.grantsInForce);
  const row = await acceptOffered(tx, before, call.body.fingerprint);
  await deps.loginChanged(tx, row);
  await deps.kernel.events.publish(tx, changed(id, await audienceOf(tx, before)));
  call.note({ target: targetOf(row), details: acceptedKeys(before) });
  return { message: `The new host key of "${row.name}" was accepted` };
}
