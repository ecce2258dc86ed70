// Asks the system that a finding's secret opens whether it works, with one login within the lock-out budget.
import { connectorFor, isSupported } from "@strongroom/connectors";
import type { VerifyResult } from "@strongroom/connectors";
import type { FindingLiveness, verifyFinding as verifyEndpoint } from "@strongroom/contract";
import { sql } from "kysely";
import type { SteppedCall } from "#kernel/http/implement.ts";
import { Refusal, refuse } from "#kernel/http/refuse.ts";
import { newId } from "#kernel/id.ts";
import { beginLoginTest, endLoginTest } from "#features/accounts/index.ts";
import { addChange, lockManaged, publish } from "./change-findings.ts";
import type { FindingsContext } from "./findings.ts";
import { REUSED, dueAfter, riskFactors, riskScore } from "./findings.policy.ts";
import { updateFinding } from "./findings.store.ts";
import type { FindingRow } from "./findings.store.ts";
import { userNamesOf } from "./known-secrets.store.ts";
import { userNameFor } from "./list-findings.ts";
import { loginOf, targetOfLogin } from "./login-of-finding.ts";
import type { LoginOfFinding } from "./login-of-finding.ts";
import { openTarget, readSecrets, scannedSystem } from "./secret-of-finding.ts";

declare module "#kernel/db/tables.ts" {
  interface Tables {
    finding_logins: { id: string; fingerprint: string; at: Date };
  }
}

const MOST_LOGINS = 2;
const WITHIN_MINUTES = 15;
const TIMEOUT_MS = 20_000;

export async function verifyFinding(context: FindingsContext, call: SteppedCall<typeof verifyEndpoint>) {
  const { kernel, network } = context;
  const row = await kernel.database.transaction((tx) => lockManaged(tx, call));
  const opened = await openTarget(context, call.actor, row.target_id);
  const scanned = scannedSystem(opened);
  const username = await userNameFor(context, kernel.database.db, call.actor, row);
  const login = loginOf({ ...row, username }, scanned, call.body.login);
  if (typeof login === "string") {
    throw refuse(422, "finding.login-unknown", login, { errors: [{ path: "login", msg: login }] });
  }
  const target = targetOfLogin(login, row.class, scanned);
  const connector = connectorFor(target);
  if (!isSupported(target)) {
    throw refuse(422, "finding.not-verifiable", "Strongroom cannot verify secrets of this type of system.");
  }
  const secrets = await readSecrets(context, opened, [row], call.signal);
  const secret = secrets.get(row.id)!;
  if (secret instanceof Refusal) throw secret;
  using value = secret;
  const testId = await countLogin(context, row, { userId: call.actor.id, login });
  const limits = { timeoutMs: TIMEOUT_MS, signal: call.signal, network, now: () => kernel.clock.now() };
  const result = await connector.verify(target, value, limits);
  const liveness = livenessOf(result);
  return call.commit(async (tx) => {
    const now = await lockManaged(tx, call);
    await endLoginTest(tx, testId, result.outcome);
    const at = kernel.clock.now();
    const known =
      now.account_id === null ? null : ((await userNamesOf(tx, [now.account_id])).get(now.account_id) ?? null);
    const factors = riskFactors({ ...riskFactsOf(now, liveness), username: now.username ?? known }, at);
    await updateFinding(tx, row.id, {
      liveness,
      verified_at: at,
      // The user name of an account is not stored: users who cannot see the account see the finding.
      username: now.username ?? (now.account_id === null ? login.username : null),
      risk_factors: JSON.stringify(factors),
      risk_score: riskScore(factors),
      due_at: dueAfter(now, riskScore(factors)),
    });
    const change = { kind: "verified", from: now.liveness, to: liveness, reason: result.message } as const;
    await addChange(context, tx, call, row.id, change);
    const { hostname, port, username } = login;
    call.note({ details: { hostname, port, username, outcome: result.outcome, liveness } });
    await publish(context, tx, [now]);
    return { liveness, message: result.message, verified_at: at.toISOString() };
  });
}

/**
 * INVARIANT: the login is counted before it is sent, by its secret and like a tested login of a new account, so that neither
 * repeated calls nor a file full of guesses can lock an account.
 */
async function countLogin(
  { kernel }: FindingsContext,
  { fingerprint }: FindingRow,
  { userId, login }: { userId: string; login: LoginOfFinding },
): Promise<string> {
  if (fingerprint === null) throw refuse(422, "finding.no-secret", "This finding is not about one secret.");
  return kernel.database.transaction(async (tx) => {
    await sql`select pg_advisory_xact_lock(hashtextextended(${`finding-login:${fingerprint}`}, 0))`.execute(tx);
    const at = kernel.clock.now();
    const since = new Date(at.getTime() - WITHIN_MINUTES * 60_000);
    const recent = await tx
      .selectFrom("finding_logins")
      .select(["at"])
      .where("fingerprint", "=", fingerprint)
      .where("at", ">", since)
      .execute();
    if (recent.length >= MOST_LOGINS) {
      const message = `This secret was sent ${MOST_LOGINS} times within ${WITHIN_MINUTES} minutes. Another login could lock the account. Try again later.`;
      throw refuse(409, "finding.verified-often", message, { retryAfter: WITHIN_MINUTES * 60 });
    }
    const id = newId(at.getTime());
    const { hostname: host, port, username } = login;
    await beginLoginTest(tx, { id, userId, host, port, username });
    await tx.insertInto("finding_logins").values({ id, fingerprint, at }).execute();
    await tx.deleteFrom("finding_logins").where("at", "<", since).execute();
    return id;
  });
}

/** A password that has expired or must be changed is still the right one. */
function livenessOf(result: VerifyResult): FindingLiveness {
  if (result.outcome === "verified") return "live";
  if (result.outcome !== "rejected") return "unknown";
  if (result.code === "must-change" || result.code === "password-expired") return "live";
  return result.code === "wrong-password" ? "dead" : "unknown";
}

export const riskFactsOf = (row: FindingRow, liveness: FindingLiveness) => ({
  class: row.class,
  path: row.path,
  confidence: row.confidence,
  fileMode: row.file_mode,
  liveness,
  username: row.username,
  isOfAccount: row.account_id !== null,
  // As counted by the scan.
  targets: 1 + (row.risk_factors.find(({ factor }) => factor === REUSED)?.points ?? 0) / 5,
  modifiedAt: row.file_modified_at,
});
