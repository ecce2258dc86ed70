// Lists discovered accounts, and records the decisions about them.
import { MOST_COUNTED } from "@strongroom/contract";
import type {
  AccountId,
  DiscoveredAccount,
  DiscoveredAccountId,
  DiscoveryScanId,
  DiscoveryTargetId,
  OnboardingId,
  approveDiscoveredAccounts,
  listDiscoveredAccounts,
  rejectDiscoveredAccounts,
} from "@strongroom/contract";
import type { Db, Tx } from "#kernel/db/database.ts";
import type { Call } from "#kernel/http/call.ts";
import { readTimePlace, writeTimePlace } from "#kernel/http/cursor.ts";
import { beginOnboardings } from "../onboarding/begin-onboarding.ts";
import { obstacleToDecision, planOnboardings } from "../onboarding/plan-onboarding.ts";
import type { Plan } from "../onboarding/plan-onboarding.ts";
import { changed } from "../discovery.ts";
import type { DiscoveryContext } from "../discovery.ts";
import * as store from "./discovered.store.ts";
import type { DecidedRow } from "./discovered.store.ts";
import { countAccounts, listAccounts } from "./found-accounts.store.ts";
import type { AccountsQuery, ShownAccount } from "./found-accounts.store.ts";

export async function listFound(call: Call<typeof listDiscoveredAccounts>, db: Db) {
  const { limit, cursor, status, scanId = null, targetId = null, privileged = null, search = "" } = call.query;
  const { managed = null, privilege = null, system = null, presence = null } = call.query;
  const query: AccountsQuery = {
    status: status === "all" ? null : status,
    scanId,
    targetId,
    isPrivileged: privileged,
    privilege,
    isManaged: managed,
    system,
    presence,
    text: search === "" ? null : search,
    after: cursor === undefined ? null : readTimePlace(cursor),
    limit: limit + 1,
  };
  const rows = await listAccounts(db, call.actor, query);
  const isAll = cursor === undefined && rows.length <= limit;
  const { total, isCapped } = isAll
    ? { total: rows.length, isCapped: false }
    : await countAccounts(db, call.actor, query, MOST_COUNTED);
  const shown = rows.slice(0, limit);
  const last = rows.length > limit ? shown.at(-1) : undefined;
  const next_cursor = last === undefined ? null : writeTimePlace({ at: last.discovered_at, id: last.id });
  return { data: shown.map(toFound), total, is_total_capped: isCapped, next_cursor };
}

export async function approve(context: DiscoveryContext, call: Call<typeof approveDiscoveredAccounts>, tx: Tx) {
  const ids: readonly DiscoveredAccountId[] = [...new Set(call.body.accountIds)];
  const settings = call.body.onboardingSettings;
  await store.lockAccounts(tx, call.actor, ids);
  const plans = new Map((await planOnboardings(context, tx, call.actor, call.body)).map((each) => [each.row.id, each]));
  const failed = ids.flatMap((id) => {
    const problem = plans.get(id)?.problem ?? (plans.has(id) ? null : obstacleToDecision(undefined));
    return problem === null ? [] : [{ id, ...problem }];
  });
  const chosen = ids.flatMap((id) => plans.get(id) ?? []).filter(({ problem }) => problem === null);
  const decision = { status: "active", rejection_reason: null, onboarding: settings } as const;
  await saveDecisions(context, call, tx, { rows: chosen.map(toDecided), failed: failed.length, decision });
  const run_id = await beginOnboardings(context, tx, call.actor, chosen);
  call.note({ details: { ...detailsOf(chosen.map(toDecided), failed.length), ...settings, run: run_id } });
  return { decided: chosen.length, failed, message: `Approved ${accountsText(chosen.length)} successfully`, run_id };
}

const toDecided = ({ row }: Plan): DecidedRow => ({ ...row, safe_id: row.target_safe_id });

export async function reject(context: DiscoveryContext, call: Call<typeof rejectDiscoveredAccounts>, tx: Tx) {
  const decision = { status: "rejected", rejection_reason: call.body.reason, onboarding: null } as const;
  call.note({ reason: call.body.reason });
  const { decided, failed } = await decide(context, call, tx, decision);
  return { decided, failed, message: `Rejected ${accountsText(decided)} successfully` };
}

const accountsText = (count: number) => (count === 1 ? "1 account" : `${count} accounts`);

type Decision = Pick<Parameters<typeof store.saveDecision>[2], "status" | "rejection_reason" | "onboarding">;

async function decide(
  context: DiscoveryContext,
  call: Call<typeof rejectDiscoveredAccounts>,
  tx: Tx,
  decision: Decision,
) {
  const ids = [...new Set(call.body.accountIds)];
  const rows = new Map((await store.lockAccounts(tx, call.actor, ids)).map((row) => [row.id, row]));
  const failed = ids.flatMap((id) => {
    const obstacle = obstacleToDecision(rows.get(id));
    return obstacle === null ? [] : [{ id, ...obstacle }];
  });
  const refused = new Set<string>(failed.map(({ id }) => id));
  const chosen = ids.flatMap((id) => (refused.has(id) ? [] : [rows.get(id)!]));
  await saveDecisions(context, call, tx, { rows: chosen, failed: failed.length, decision });
  return { decided: chosen.length, failed };
}

interface Decisions {
  rows: readonly DecidedRow[];
  failed: number;
  decision: Decision;
}

async function saveDecisions(
  { kernel }: DiscoveryContext,
  call: Pick<Call, "actor" | "note">,
  tx: Tx,
  { rows, failed, decision }: Decisions,
): Promise<void> {
  if (rows.length > 0) {
    const by = { decided_by: call.actor.name, decided_at: kernel.clock.now() };
    await store.saveDecision(
      tx,
      rows.map(({ id }) => id),
      { ...decision, ...by },
    );
  }
  const targets = new Map(rows.map(({ target_id: id, safe_id }) => [id, { id, safe_id }]));
  for (const target of targets.values()) await kernel.events.publish(tx, await changed(tx, target));
  call.note({ result: rows.length === 0 ? "failure" : "success", details: detailsOf(rows, failed) });
}

/** The maximum number of accounts that the audit entry names. */
const MOST_NAMED = 1000;

const detailsOf = (rows: readonly DecidedRow[], failed: number) => ({
  accounts: rows.slice(0, MOST_NAMED).map(({ id, account_name, hostname }) => ({ id, account_name, hostname })),
  decided: rows.length,
  failed,
});

const toFound = (row: ShownAccount): DiscoveredAccount => ({
  id: row.id as DiscoveredAccountId,
  account_name: row.account_name,
  hostname_ip: row.hostname,
  system_type: row.system_type,
  status: row.status,
  rejection_reason: row.rejection_reason,
  discovered_at: row.discovered_at.toISOString(),
  discovery_scan_id: row.scan_id as DiscoveryScanId,
  target_id: row.target_id as DiscoveryTargetId,
  discovery_metadata: {
    is_privileged: row.is_privileged,
    privilege: row.privilege,
    is_locked: row.is_locked,
    password_changed_at: row.password_changed_at?.toISOString() ?? null,
    expires_at: row.expires_at?.toISOString() ?? null,
    last_login_at: row.last_login_at?.toISOString() ?? null,
    facts: row.facts,
    changes: row.changes,
    dependents: row.dependents,
  },
  last_seen_at: row.last_seen_at.toISOString(),
  missing_since: row.missing_since?.toISOString() ?? null,
  is_managed: row.is_managed,
  account_id: row.account_id as AccountId | null,
  onboarding:
    row.latest_onboarding === null ? null : { ...row.latest_onboarding, id: row.latest_onboarding.id as OnboardingId },
  decided_by: row.decided_by,
  decided_at: row.decided_at?.toISOString() ?? null,
  can_manage: row.can_manage,
});
