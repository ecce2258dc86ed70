// Plans onboardings: the safe, the platform and the name of each account, and whether a reconcile account can set its
// password. The preview, approvals and rules use the same plan.
import { NewAccount, credentialTypeOf } from "@strongroom/contract";
import type { OnboardingSettings, PlatformId, SafeId } from "@strongroom/contract";
import type { Asker } from "#kernel/authz/actor.ts";
import type { Db } from "#kernel/db/database.ts";
import type { LocatedLogin } from "#features/rotation/index.ts";
import { allows, readEffectivePermissions } from "#features/safes/index.ts";
import type { DiscoveryContext } from "../discovery.ts";
import { matchesRule } from "../rules/rules.policy.ts";
import { enabledRules } from "../rules/rules.store.ts";
import type { RuleRow } from "../rules/rules.store.ts";
import { choosePlatform, differencesFrom, nameFor, notesOn, obstacleToName } from "./onboarding.policy.ts";
import { plannedRows, platformChoices } from "./planning.store.ts";
import type { PlannedRow, PlatformChoice } from "./planning.store.ts";

export interface Problem {
  code: string;
  message: string;
}

export interface Order {
  accountIds: readonly string[];
  onboardingSettings: OnboardingSettings;
  placement: { safeId?: SafeId | undefined; platformId?: PlatformId | undefined };
  /** The accounts have been approved already. */
  isDecided?: boolean;
}

/** The account to store, without a password. */
export type PlannedFields = Omit<NewAccount, "password"> & { password: null };

export interface Plan {
  row: PlannedRow;
  problem: Problem | null;
  isRotated: boolean;
  fields: PlannedFields | null;
  safe: { id: SafeId; name: string } | null;
  platform: PlatformChoice | null;
  rule: string | null;
  reconcileObstacle: string | null;
  notes: string[];
}

const refused = (code: string, message: string): Problem => ({ code: `discovery.${code}`, message });

/** Plans for those of the accounts that the actor can see. */
export async function planOnboardings(
  context: Pick<DiscoveryContext, "firstRotations">,
  db: Db,
  actor: Asker,
  order: Order,
): Promise<Plan[]> {
  const [rows, platforms] = await Promise.all([plannedRows(db, actor, order.accountIds), platformChoices(db)]);
  const safes = new Map<string, Awaited<ReturnType<typeof readEffectivePermissions>>>();
  const standingIn = async (id: string) => {
    if (!safes.has(id)) safes.set(id, await readEffectivePermissions(db, actor, id));
    return safes.get(id)!;
  };
  const rules = new Map<string, RuleRow[]>();
  const ruleFor = async (row: PlannedRow) => {
    const { target_safe_id: id } = row;
    if (!rules.has(id)) rules.set(id, await enabledRules(db, id, ["place"]));
    return rules.get(id)!.find((rule) => matchesRule(rule, row)) ?? null;
  };
  const plans: Plan[] = [];
  for (const row of rows) {
    const rule = await ruleFor(row);
    const safeId = order.placement.safeId ?? ((rule?.into_safe_id ?? row.target_safe_id) as SafeId);
    const standing = await standingIn(safeId);
    const platformId = order.placement.platformId ?? rule?.platform_id ?? null;
    const platform = platformFor(row, order.onboardingSettings, platforms, platformId);
    const rules = order.placement.safeId === undefined || order.placement.platformId === undefined ? rule : null;
    plans.push(await planOne(context, db, { row, order, safeId, standing, platform, rule: rules?.name ?? null }));
  }
  return plans;
}

function platformFor(
  row: PlannedRow,
  settings: OnboardingSettings,
  platforms: ReadonlyMap<string, PlatformChoice>,
  chosen: string | null,
): PlatformChoice | null {
  if (chosen !== null) return platforms.get(chosen) ?? null;
  const usual = row.credential_platform_id === null ? undefined : platforms.get(row.credential_platform_id);
  return usual === undefined ? null : choosePlatform(settings, usual, platforms.values());
}

interface Situation {
  row: PlannedRow;
  order: Order;
  safeId: SafeId;
  standing: Awaited<ReturnType<typeof readEffectivePermissions>>;
  platform: PlatformChoice | null;
  /** The name of the rule that chose the safe or the platform. */
  rule: string | null;
}

async function planOne(
  { firstRotations }: Pick<DiscoveryContext, "firstRotations">,
  db: Db,
  it: Situation,
): Promise<Plan> {
  const { row, order, standing, platform, safeId } = it;
  const { autoRotate } = order.onboardingSettings;
  const plan: Plan = {
    row,
    problem: obstacleTo(it),
    isRotated: false,
    fields: null,
    safe: standing === null ? null : { id: safeId, name: standing.safe.name },
    platform,
    rule: it.rule,
    reconcileObstacle: null,
    notes: [],
  };
  if (plan.problem !== null || platform === null || row.login === null) return plan;
  const login = loginOf(row, safeId);
  const read = fieldsOf(row, platform, safeId);
  if ("message" in read) return { ...plan, problem: read };
  const reconcileObstacle = await firstRotations.obstacle(db, platform.id, login);
  const notes = [...notesOn(row, platform), ...differencesFrom(order.onboardingSettings, platform)];
  return { ...plan, fields: read, reconcileObstacle, isRotated: autoRotate && reconcileObstacle === null, notes };
}

function obstacleTo({ row, order, standing, platform }: Situation): Problem | null {
  const decided = order.isDecided === true ? null : obstacleToDecision(row);
  if (decided !== null) return decided;
  const name = obstacleToName(row.account_name);
  if (name !== null) return refused("name-unsuitable", name);
  if (row.is_managed) return refused("already-managed", `A safe already contains "${row.account_name}" on this host.`);
  if (standing === null) return refused("safe-not-found", "Safe not found");
  if (!allows(standing.permissions, "add")) {
    return refused("not-allowed", `You need permission to add accounts to the safe "${standing.safe.name}".`);
  }
  if (order.onboardingSettings.autoRotate && !allows(standing.permissions, "manage_secret")) {
    const message = `You need permission to change secrets in the safe "${standing.safe.name}" to set a new password.`;
    return refused("not-allowed", message);
  }
  if (row.login === null) return refused("no-credential", "The target's credential was deleted. Choose another one.");
  if (platform === null) return refused("platform-not-found", "Platform not found");
  if (!platform.is_active) return refused("platform-inactive", `The platform "${platform.name}" is not active.`);
  return null;
}

export function obstacleToDecision(
  row: Pick<PlannedRow, "account_name" | "status" | "can_manage"> | undefined,
): Problem | null {
  if (row === undefined) return refused("account-not-found", "Discovered account not found");
  if (!row.can_manage) {
    return refused("not-allowed", `You need permission to add accounts to the safe of "${row.account_name}".`);
  }
  if (row.status === "pending_approval") return null;
  return refused("already-decided", `"${row.account_name}" is already ${WORDS[row.status]}.`);
}

const WORDS = { active: "approved", rejected: "rejected" } as const;

/** The login that the new account will have: at the target's address, with the options of the scans' credential. */
function loginOf(row: PlannedRow, safeId: string): LocatedLogin & { name: string } {
  const { type: _, ...options } = row.login!;
  return {
    ...options,
    connection_string: null,
    name: nameFor(row),
    type: credentialTypeOf(row.system_type!, row.connection_method!),
    host: row.hostname,
    port: row.port,
    username: row.login_name,
    host_key: row.host_key,
    safe_id: safeId,
  };
}

/** Checked like the account of a form. */
function fieldsOf(row: PlannedRow, platform: PlatformChoice, safeId: SafeId): PlannedFields | Problem {
  const { type: _, ...options } = row.login!;
  const read = NewAccount.safeParse({
    ...options,
    connection_string: null,
    name: nameFor(row),
    hostname: row.hostname,
    port: row.port,
    username: row.login_name,
    system_type: row.system_type,
    connection_method: row.connection_method,
    platform_id: platform.id,
    safe_id: safeId,
    password: "unknown",
  });
  if (read.success) return { ...read.data, password: null };
  const [issue] = read.error.issues;
  return refused("account-unsuitable", `The account cannot be stored: ${issue?.message ?? "invalid input"}`);
}
