// Logs in to a target with the values of a new account, before anything is stored.
import { credentialTypeOf } from "@strongroom/contract";
import type { ReplyOf, testAccountLogin } from "@strongroom/contract";
import { Secret } from "@strongroom/keys";
import { appendAudit } from "#kernel/audit/append.ts";
import { callEntry } from "#kernel/audit/entry.ts";
import type { AuditNote } from "#kernel/audit/entry.ts";
import type { SteppedCall } from "#kernel/http/implement.ts";
import { newId } from "#kernel/id.ts";
import { requirePermission } from "#features/safes/index.ts";
import { destinationOf, tryNewLogin } from "#features/verification/index.ts";
import type { LoginRow, VerificationFeature } from "#features/verification/index.ts";
import { storedFields } from "../crud/create-account.ts";
import type { AccountDeps } from "../deps.ts";
import { beginLoginTest, endLoginTest } from "./limit-login-tests.ts";

type Test = SteppedCall<typeof testAccountLogin>;

/** The audit entries have the login and the outcome, never the password. */
export async function testLogin(
  { kernel }: AccountDeps,
  { site, stopping }: VerificationFeature,
  call: Test,
): Promise<ReplyOf<typeof testAccountLogin>> {
  const { body, actor } = call;
  const { safe } = await requirePermission(kernel.database.db, actor, body.safe_id, "add");
  const row: LoginRow = { ...storedFields(body), host_key: null };
  const host = destinationOf(row);
  const about: AuditNote = {
    target: { type: "safe", id: safe.id, name: safe.name },
    details: {
      host,
      port: row.port,
      username: body.username,
      type: credentialTypeOf(body.system_type, body.connection_method),
    },
  };
  call.note(about);
  const id = newId(kernel.clock.now().getTime());
  await kernel.database.transaction(async (tx) => {
    await beginLoginTest(tx, { id, userId: actor.id, host, port: row.port, username: body.username });
    await appendAudit(tx, [callEntry("verification.started", actor, call.request, about, kernel.clock.now())]);
  });

  using secret = Secret.fromText(body.password);
  const signal = AbortSignal.any([call.signal, stopping]);
  const result = await tryNewLogin(site, row, secret, { askedBy: actor.id, id, signal });
  return await call.commit(
    async (tx) => {
      await endLoginTest(tx, id, result.outcome);
      call.note({
        result: result.outcome === "verified" ? "success" : "failure",
        ...(result.outcome === "verified" ? {} : { reason: result.code ?? result.outcome }),
        details: { ...about.details, outcome: result.outcome, duration: result.durationMs },
      });
      return {
        outcome: result.outcome,
        message: result.message,
        duration_ms: result.durationMs,
        host_key: result.hostKey === null ? null : `${result.hostKey.type} ${result.hostKey.fingerprint}`,
      };
    },
    (reply) => reply,
  );
}
