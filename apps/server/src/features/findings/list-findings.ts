// Lists and reads findings, and counts them.
import { FindingStatus, FindingType, MOST_COUNTED, placeName, placeOf, severityOfRisk } from "@strongroom/contract";
import type {
  AccountId,
  DiscoveryTargetId,
  FindingId,
  FindingSeverity,
  ScanId,
  SecurityFinding,
  SecurityFindingDetails,
  UserId,
  findingStatistics,
  listFindings as listEndpoint,
  readFinding as readEndpoint,
} from "@strongroom/contract";
import type { Actor } from "#kernel/authz/actor.ts";
import type { Db } from "#kernel/db/database.ts";
import type { Call } from "#kernel/http/call.ts";
import { Refusal } from "#kernel/http/refuse.ts";
import { findingNotFound } from "./findings.ts";
import type { FindingsContext } from "./findings.ts";
import { titleOf } from "./findings.policy.ts";
import * as store from "./findings.store.ts";
import type { CountRow, FindingRow, PreparedFilter, ShownFinding } from "./findings.store.ts";
import { readFix } from "./fixes.store.ts";
import { userNamesOf } from "./known-secrets.store.ts";
import { toFix } from "./fixes.ts";
import { ownMatchesOf } from "./visible-findings.store.ts";
import { complianceImpact, remediationSteps } from "./remediation.policy.ts";
import { countScansSince } from "./scan-counts.store.ts";

export async function listFindings(context: FindingsContext, call: Call<typeof listEndpoint>, db: Db) {
  const { severity, findingType, status, limit, offset } = call.query;
  const filter = await store.prepareFilter(db, call.actor, {
    severity: severity ?? [],
    findingType: findingType ?? FindingType.options,
    status: status ?? FindingStatus.options,
    ...listFilterOf(call.query),
  });
  const [rows, total] = await Promise.all([
    store.listFindings(db, call.actor, filter, { limit, offset }),
    countOf(db, call.actor, filter),
  ]);
  return { data: await shownTo(context, db, call.actor, rows), total, limit, offset };
}

/** The filters that the list and the exports share. */
export const listFilterOf = (
  query: Pick<
    Call<typeof listEndpoint>["query"],
    "minRiskScore" | "maxRiskScore" | "targetId" | "assigneeId" | "search" | "includeBelowThreshold"
  >,
) => ({
  minRisk: query.minRiskScore ?? null,
  maxRisk: query.maxRiskScore ?? null,
  targetId: query.targetId ?? null,
  assigneeId: query.assigneeId ?? null,
  text: query.search ?? null,
  isBelowThresholdShown: query.includeBelowThreshold ?? query.minRiskScore !== undefined,
});

async function countOf(db: Db, actor: Actor, filter: PreparedFilter): Promise<number> {
  const { minRisk, maxRisk, assigneeId, text } = filter;
  if ([minRisk, maxRisk, assigneeId, text].some((each) => each !== null)) {
    return store.countMatches(db, filter, MOST_COUNTED);
  }
  const counts = await store.readCounts(db, actor, filter.targetId, filter.own);
  return sum(counts, (row) => {
    const isWanted = filter.status.includes(row.status) && filter.findingType.includes(row.finding_type);
    const isSevere = filter.severity.length === 0 || filter.severity.includes(severityOfRisk(row.band));
    return isWanted && isSevere && (filter.isBelowThresholdShown || !row.is_below_threshold);
  });
}

const sum = (rows: readonly CountRow[], isCounted: (row: CountRow) => boolean): number =>
  rows.reduce((total, row) => total + (isCounted(row) ? row.count : 0), 0);

const MOST_CHANGES = 200;
const MOST_SAME = 50;
/** Service accounts of the same name have no secret in common. */
const ACCOUNT_CLASS = "service_login";

export async function readFinding(
  context: FindingsContext,
  call: Call<typeof readEndpoint>,
  db: Db,
): Promise<SecurityFindingDetails> {
  // Read first: a fix that ends also closes its finding, so no finished fix is shown with an open finding.
  const fix = await readFix(db, call.params.id);
  const row = await store.readFinding(db, call.actor, call.params.id);
  if (row === null) throw findingNotFound();
  const [changes, same, [finding]] = await Promise.all([
    store.readChanges(db, row.id, MOST_CHANGES),
    row.class === ACCOUNT_CLASS ? [] : store.sameSecret(db, call.actor, row, MOST_SAME),
    shownTo(context, db, call.actor, [row]),
  ]);
  const isAccountVisible = finding!.account_id !== null || row.account_id === null;
  const found = { kind: "found", id: row.id, at: row.created_at.toISOString(), by: "Strongroom" } as const;
  return {
    ...finding!,
    context: row.context,
    file: {
      owner: row.file_owner,
      group: row.file_group,
      mode: row.file_mode,
      modified_at: row.file_modified_at.toISOString(),
    },
    remediation_steps: remediationSteps({ ...row, username: finding!.finding_data.username }),
    compliance_impact: complianceImpact(row.class),
    risk_factors: row.risk_factors,
    fix: fix === null ? null : isAccountVisible ? toFix(fix) : { ...toFix(fix), ...HIDDEN },
    history: [
      { ...found, from: null, to: null, reason: null },
      ...changes.map(({ id, at, by_name, kind, from_value, to_value, reason }) => ({
        id,
        at: at.toISOString(),
        by: by_name,
        kind,
        from: kind === "vaulted" && !isAccountVisible ? null : from_value,
        to: kind === "vaulted" && !isAccountVisible ? null : to_value,
        reason,
      })),
    ],
    same_secret: same.map(({ id, target_name, path }) => ({ id: id as FindingId, target_name, file_path: path })),
  };
}

/** Of a fix whose account the reader cannot see. */
const HIDDEN = { account_id: null, dependent_id: null, rotation_id: null };

/** INVARIANT: an account with the same secret is named only to users who can see that account. */
export async function shownTo(
  { accounts }: FindingsContext,
  db: Db,
  actor: Actor,
  rows: readonly ShownFinding[],
): Promise<SecurityFinding[]> {
  const userNames = await visibleUserNames(accounts, db, actor, rows);
  return rows.map((row) => {
    const isVisible = row.account_id !== null && userNames.has(row.account_id);
    return toFinding(row, isVisible ? { id: row.account_id!, username: userNames.get(row.account_id!) ?? null } : null);
  });
}

/** The user name beside the secret, or that of its account if the actor can see the account. */
export async function userNameFor(
  { accounts }: FindingsContext,
  db: Db,
  actor: Actor,
  row: Pick<FindingRow, "username" | "account_id">,
): Promise<string | null> {
  if (row.username !== null || row.account_id === null) return row.username;
  return (await visibleUserNames(accounts, db, actor, [row])).get(row.account_id) ?? null;
}

/** The user names of those accounts of the findings that the actor can see, by id. */
async function visibleUserNames(
  accounts: FindingsContext["accounts"],
  db: Db,
  actor: Actor,
  rows: readonly Pick<FindingRow, "account_id">[],
): Promise<Map<string, string | null>> {
  const seen: string[] = [];
  for (const id of new Set(rows.flatMap(({ account_id }) => account_id ?? []))) {
    try {
      await accounts.requireSeen(db, actor, id);
      seen.push(id);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
    }
  }
  return userNamesOf(db, seen);
}

function describe({ path, reason, hostname }: ShownFinding): string {
  const place = placeOf(path);
  switch (place.kind) {
    case "account":
      return reason;
    case "process":
      return `${reason} It is in the ${place.part} of the process ${place.name} of ${place.user} on ${hostname}.`;
    case "column":
    case "definition":
    case "setting":
      return `${reason} It is in the ${place.kind} ${place.name} on ${hostname}.`;
    case "object":
      return `${reason} It is in ${path}.`;
    default:
      return `${reason} It is in ${placeName(path)} on ${hostname}.`;
  }
}

function locationOf({ hostname, path, line }: ShownFinding): string {
  const place = placeOf(path);
  if (place.kind === "object") return `${path}:${line}`;
  if (place.kind === "repository") return `${hostname}/${place.repository}:${place.path}:${line}`;
  // Accounts and processes have no lines.
  const hasLines = place.kind !== "account" && place.kind !== "process";
  return `${hostname}:${placeName(path)}${hasLines ? `:${line}` : ""}`;
}

/** `account` is the account with the secret if the reader can see it. */
function toFinding(row: ShownFinding, account: { id: string; username: string | null } | null): SecurityFinding {
  return {
    id: row.id as FindingId,
    target_id: row.target_id as DiscoveryTargetId,
    target_name: row.target_name,
    hostname: row.hostname,
    title: titleOf(row),
    description: describe(row),
    finding_type: row.finding_type,
    class: row.class,
    severity: severityOfRisk(row.risk_score),
    status: row.status,
    risk_score: row.risk_score,
    auto_vaulted: row.auto_vaulted,
    created_at: row.created_at.toISOString(),
    last_seen_at: row.last_seen_at.toISOString(),
    finding_data: {
      location: locationOf(row),
      file_path: row.path,
      line_number: row.line,
      pattern_matched: row.detector,
      key_name: row.key_name,
      username: row.username ?? account?.username ?? null,
      preview: row.preview,
    },
    liveness: row.liveness,
    verified_at: row.verified_at?.toISOString() ?? null,
    reused_on: row.class === ACCOUNT_CLASS ? 1 : Math.max(1, row.reused_on),
    account_id: (account?.id ?? null) as AccountId | null,
    assignee:
      row.assignee_id === null ? null : { id: row.assignee_id as UserId, name: row.assignee_name ?? "A deleted user" },
    due_at: row.due_at?.toISOString() ?? null,
    fixed_by_scan: row.fixed_scan_id as ScanId | null,
    can_manage: row.can_manage,
  };
}

const DAY_MS = 24 * 60 * 60 * 1000;

export async function readStatistics({ kernel }: FindingsContext, call: Call<typeof findingStatistics>, db: Db) {
  const since = new Date(+kernel.clock.now() - Number.parseInt(call.query.timeframe, 10) * DAY_MS);
  const [all, scans] = await Promise.all([
    store.readCounts(db, call.actor, null, await ownMatchesOf(db, call.actor)),
    countScansSince(db, call.actor, since),
  ]);
  const counts = all.filter(({ is_below_threshold }) => !is_below_threshold);
  const isOpen = ({ status }: CountRow) => status === "new" || status === "investigating";
  const bySeverity = (isCounted: (row: CountRow) => boolean): Record<FindingSeverity, number> => {
    const of = (severity: FindingSeverity) =>
      sum(counts, (row) => severityOfRisk(row.band) === severity && isCounted(row));
    return { critical: of("critical"), high: of("high"), medium: of("medium"), low: of("low") };
  };
  const by = <T extends string>(values: readonly T[], of: (row: CountRow) => T) =>
    Object.fromEntries(values.map((value) => [value, sum(counts, (row) => of(row) === value)])) as Record<T, number>;
  return {
    open: sum(counts, isOpen),
    total: sum(counts, () => true),
    by_severity: bySeverity(() => true),
    by_status: by(FindingStatus.options, ({ status }) => status),
    by_type: by(FindingType.options, ({ finding_type }) => finding_type),
    open_by_severity: bySeverity(isOpen),
    ...scans,
  };
}
