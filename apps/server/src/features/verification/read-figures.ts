// The validation area's words for what the figures say (rule 5: one vocabulary inside, the screens' words at the edge).
import type { ValidationAttempt, validationHistory, validationStatistics } from "@strongroom/contract";
import type { Db } from "#kernel/db/database.ts";
import type { Call } from "#kernel/http/call.ts";
import type { Kernel } from "#kernel/kernel.ts";
import { readAttemptFigures, readStanding } from "./figures.store.ts";
import { listAttempts } from "./verification.store.ts";
import type { AttemptRow } from "./verification.store.ts";

const DAY_MS = 86_400_000;

export async function readStatistics(kernel: Kernel, call: Call<typeof validationStatistics>, db: Db) {
  const since = new Date(kernel.clock.now().getTime() - DAY_MS);
  const [standing, lately] = await Promise.all([
    readStanding(db, call.actor, since),
    readAttemptFigures(db, call.actor, since),
  ]);
  return {
    total_accounts: standing.total,
    verified: standing.verified,
    pending: standing.pending - standing.neverTried,
    failed: standing.failed,
    never_validated: standing.neverTried,
    success_rate: lately.attempts === 0 ? 0 : Math.round((lately.successes / lately.attempts) * 1000) / 10,
    last_24h_attempts: lately.attempts,
    last_24h_successes: lately.successes,
    last_24h_failures: lately.failures,
    average_validation_time: Math.round(lately.averageDuration),
  };
}

export async function readAttempts(
  call: Call<typeof validationHistory>,
  db: Db,
): Promise<{ data: ValidationAttempt[] }> {
  const attempts = await listAttempts(db, call.actor.id, call.query.limit);
  return { data: attempts.map(toValidationAttempt) };
}

function toValidationAttempt(attempt: AttemptRow): ValidationAttempt {
  return {
    id: attempt.id,
    account_id: attempt.credential_id,
    is_account: attempt.user_id === null,
    error_category: null,
    account_name: attempt.credential_name,
    hostname: attempt.host,
    username: attempt.username,
    system_type: attempt.type,
    verification_method: attempt.method,
    status: statusWord(attempt),
    error_message: attempt.outcome === "verified" ? null : attempt.message,
    started_at: attempt.started_at.toISOString(),
    duration_ms: attempt.duration_ms,
    triggered_by: attempt.trigger === "manual" || attempt.trigger === "bulk" ? attempt.triggered_by : attempt.trigger,
  };
}

function statusWord({ outcome }: AttemptRow): ValidationAttempt["status"] {
  if (outcome === null) return "pending";
  if (outcome === "unsupported") return "never_validated";
  return outcome === "verified" ? "verified" : "failed";
}
