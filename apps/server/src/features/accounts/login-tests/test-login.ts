// Logs in to a target with the values of a new account, before anything is stored.
import { credentialTypeOf } from "@strongroom/contract";
import type { ReplyOf, testAccountLogin } from "@strongroom/contract";
import { Secret } from "@strongroom/keys";
import { appendAudit } from "#kernel/audit/append.ts";
import { callEntry } from "#kernel/audit/entry.ts";
import type { AuditNote } from "#kernel/audit/entry.ts";
import type { SteppedCall } from "#kernel/http/implement.ts";
import { refuse } from "#kernel/http/refuse.ts";
import { newId } from "#kernel/id.ts";
import { requirePermission } from "#features/safes/index.ts";
import { destinationOf, tryNewLogin } from "#features/verification/index.ts";
import type { LoginRow, VerificationFeature } from "#features/verification/index.ts";
import { storedFields } from "../crud/create-account.ts";
import type { AccountDeps } from "../deps.ts";
import { WINDOW, countRecentTests, endTest, insertTest } from "./login-tests.store.ts";

type Test = SteppedCall<typeof testAccountLogin>;

/** Directories and databases lock an account after five failures or more; two are left for the account's users. */
const MOST_OF_LOGIN = 3;
const MOST_OF_USER = 8;

/** Throws 409 after a few rejected tests: with 429, clients would wait and try again. The audit entries have the login and the outcome, never the password. */
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
  const login = `${host ?? ""}:${row.port ?? ""} ${body.username}`.toLowerCase();
  await kernel.database.transaction(async (tx) => {
    const { ofUser, ofLogin } = await countRecentTests(tx, actor.id, login);
    if (ofLogin >= MOST_OF_LOGIN || ofUser >= MOST_OF_USER) throw tooMany(ofLogin >= MOST_OF_LOGIN);
    await insertTest(tx, { id, user_id: actor.id, login });
    await appendAudit(tx, [callEntry("verification.started", actor, call.request, about, kernel.clock.now())]);
  });

  using secret = Secret.fromText(body.password);
  const signal = AbortSignal.any([call.signal, stopping]);
  const result = await tryNewLogin(site, row, secret, { askedBy: actor.id, id, signal });
  return await call.commit(
    async (tx) => {
      await endTest(tx, id, result.outcome);
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

const tooMany = (isOfLogin: boolean) =>
  refuse(
    409,
    "account.tested-too-often",
    isOfLogin
      ? `The target rejected this login ${MOST_OF_LOGIN} times. Another try could lock the account there; wait ${WINDOW} minutes.`
      : `Targets rejected ${MOST_OF_USER} of your tests. Wait ${WINDOW} minutes.`,
  );
