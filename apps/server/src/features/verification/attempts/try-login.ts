// Opens the secret of a recorded attempt and logs in with it. No transaction is open in the meantime.
import { EnvelopeError, KekError, Secret, SealedError } from "@strongroom/keys";
import type { Kernel } from "#kernel/kernel.ts";
import { NOT_ACTIVE, openEnvelope, readEnvelope } from "#features/secrets/index.ts";
import type { StartedAttempt } from "./begin-attempt.ts";
import type { VerificationContext } from "../context.ts";
import { INTERNAL_ERROR, endedBy, resultOf, targetOf } from "../verification.ts";
import type { Result } from "../verification.ts";

const TIMEOUT_MS = 20_000;

/** Always returns a result, so that every attempt ends. */
export async function tryLogin(
  site: VerificationContext,
  started: StartedAttempt,
  signal: AbortSignal,
): Promise<Result> {
  const { kernel, network } = site;
  const startedAt = performance.now();
  try {
    using secret = await secretOf(kernel, started);
    if (secret === null) return endedBy("deleted", "The credential was deleted before it was verified.");
    const context = { timeoutMs: TIMEOUT_MS, signal, network, now: () => kernel.clock.now() };
    return resultOf(await started.connector.verify(targetOf(started.secretRow), secret, context));
  } catch (error) {
    const durationMs = Math.round(performance.now() - startedAt);
    kernel.log.error({ err: error, credential: started.secretRow.id }, "a verification failed with an error");
    if (error instanceof SealedError) return endedBy("cancelled", "The vault was sealed.", "aborted", durationMs);
    if (error instanceof EnvelopeError || error instanceof KekError) {
      const isNotActive = error.code === "envelope.not-active";
      const message = isNotActive ? NOT_ACTIVE : "The stored secret cannot be decrypted. Contact an administrator.";
      return endedBy("secret-unreadable", message, "misconfigured", durationMs);
    }
    // A connector has a bug, which is logged. The attempt still ends.
    return endedBy(
      INTERNAL_ERROR,
      "Strongroom could not run the check because of an internal error. The status is unchanged.",
      "aborted",
      durationMs,
    );
  }
}

/** Returns null when the secret was deleted in the meantime. The `unsupported` connector gets no secret. */
async function secretOf(kernel: Kernel, { secretRow, connector, activeError }: StartedAttempt): Promise<Secret | null> {
  if (connector.id === "unsupported") return Secret.fromText("");
  if (activeError !== null) throw activeError;
  const { id, user_id, safe_id, secret_version: version } = secretRow;
  const envelope = await readEnvelope(kernel.database.db, id, version);
  return envelope === null ? null : openEnvelope(kernel, { id, user_id, safe_id, version, envelope });
}
