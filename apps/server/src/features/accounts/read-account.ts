// Reads one account without its secret: details, versions, history and who has access.
import type {
  Account,
  SecretVersion,
  explainAccountAccess,
  listAccountVersions,
  readAccountDetails,
  readAccountHistory,
} from "@strongroom/contract";
import type { Db } from "#kernel/db/database.ts";
import type { Call } from "#kernel/http/call.ts";
import { versionsOf } from "#features/secrets/index.ts";
import { explainAccess } from "#features/safes/index.ts";
import { readShown, toAccount } from "./accounts.ts";
import type { HistoryOfTarget } from "#features/audit/index.ts";
import { requireAccountPermission } from "./lock-account.ts";
import type { GrantsInForce } from "./shown-accounts.store.ts";

export async function readDetails(
  call: Call<typeof readAccountDetails>,
  db: Db,
  grantsInForce: GrantsInForce,
): Promise<Account> {
  return toAccount(await readShown(db, call.actor, call.params.id, grantsInForce), call.actor);
}

export async function readVersions(
  call: Call<typeof listAccountVersions>,
  db: Db,
  grantsInForce: GrantsInForce,
): Promise<{ versions: SecretVersion[] }> {
  const { id } = await readShown(db, call.actor, call.params.id, grantsInForce);
  return { versions: await versionsOf(db, id) };
}

/** Events that the history leaves out, because each is followed by an entry with the result. */
const LEFT_OUT = ["verification.started"];

export async function readHistory(
  call: Call<typeof readAccountHistory>,
  db: Db,
  grantsInForce: GrantsInForce,
  historyOfTarget: HistoryOfTarget,
) {
  const row = await readShown(db, call.actor, call.params.id, grantsInForce);
  requireAccountPermission(row, "view_audit");
  return historyOfTarget(db, { type: "account", id: row.id }, { ...call.query, without: LEFT_OUT });
}

export async function explain(call: Call<typeof explainAccountAccess>, db: Db, grantsInForce: GrantsInForce) {
  const row = await readShown(db, call.actor, call.params.id, grantsInForce);
  const { safe_id, permissions } = row;
  return explainAccess(db, { safe: { id: safe_id }, permissions }, { ...call.query, accountId: row.id });
}
