// Changes the status, the assignee and the due date of findings, and adds comments.
import type {
  FindingId,
  FindingStatus,
  Message,
  SecurityFinding,
  assignFinding,
  changeFindingStatus,
  changeFindingStatuses,
  commentOnFinding,
} from "@strongroom/contract";
import type { Tx } from "#kernel/db/database.ts";
import type { Call } from "#kernel/http/call.ts";
import { refuse } from "#kernel/http/refuse.ts";
import { newId } from "#kernel/id.ts";
import { changed } from "#features/discovery/index.ts";
import { findUser } from "#features/users/index.ts";
import { auditTarget, findingNotFound, mayNotManage } from "./findings.ts";
import type { FindingsContext } from "./findings.ts";
import { mayFollow } from "./findings.policy.ts";
import * as store from "./findings.store.ts";
import type { CHANGE_KINDS, FindingRow } from "./findings.store.ts";
import { shownTo } from "./list-findings.ts";
import { lockFindings } from "./lock-findings.store.ts";
import type { LockedFinding } from "./lock-findings.store.ts";

/** Throws 404 when the caller cannot see the finding, and 403 when the caller cannot manage it. */
export async function lockManaged(
  tx: Tx,
  call: Pick<Call, "actor" | "note"> & { params: { id: string } },
): Promise<LockedFinding> {
  const { id } = call.params;
  call.note({ target: auditTarget(id) });
  const [row] = await lockFindings(tx, call.actor, [id]);
  if (row === undefined) throw findingNotFound();
  call.note({ target: auditTarget(id, row.path) });
  if (!row.can_manage) throw mayNotManage();
  return row;
}

export async function changeStatus(
  context: FindingsContext,
  call: Call<typeof changeFindingStatus>,
  tx: Tx,
): Promise<SecurityFinding> {
  const row = await lockManaged(tx, call);
  const { status, reason = null } = call.body;
  const obstacle = obstacleTo(row, status);
  if (obstacle !== null) throw refuse(409, obstacle.code, obstacle.message);
  call.note({ details: { from: row.status, to: status }, ...(reason === null ? {} : { reason }) });
  await setStatus(context, tx, call, row, status, reason);
  await publish(context, tx, [row]);
  return shown(context, tx, call, row.id);
}

export async function changeStatuses(context: FindingsContext, call: Call<typeof changeFindingStatuses>, tx: Tx) {
  const { status, reason = null } = call.body;
  const ids = [...new Set(call.body.findingIds)];
  const rows = new Map((await lockFindings(tx, call.actor, ids)).map((row) => [row.id, row]));
  const failed: { id: FindingId; code: string; message: string }[] = [];
  const done: LockedFinding[] = [];
  for (const id of ids) {
    const row = rows.get(id);
    const obstacle = row === undefined ? NOT_FOUND : row.can_manage ? obstacleTo(row, status) : NOT_ALLOWED;
    if (obstacle !== null) failed.push({ id, ...obstacle });
    else if (row !== undefined) {
      await setStatus(context, tx, call, row, status, reason);
      done.push(row);
    }
  }
  await publish(context, tx, done);
  call.note({
    result: done.length === 0 ? "failure" : "success",
    details: { to: status, findings: done.map(({ id }) => id), changed: done.length, failed: failed.length },
    ...(reason === null ? {} : { reason }),
  });
  return { changed: done.length, failed, message: `Finding status updated to ${status}` };
}

const NOT_FOUND = { code: "finding.not-found", message: "Security finding not found" };
const NOT_ALLOWED = {
  code: "finding.not-allowed",
  message: "You need permission to add accounts to the target's safe.",
};

function obstacleTo(row: FindingRow, status: FindingStatus): { code: string; message: string } | null {
  if (mayFollow(row.status, status)) return null;
  return { code: "finding.not-new", message: "Only a scan can make a finding new. Choose another status." };
}

/** Changes the twins, too: users who see another one of them see the same decision. */
async function setStatus(
  context: FindingsContext,
  tx: Tx,
  call: Pick<Call, "actor">,
  row: LockedFinding,
  status: FindingStatus,
  reason: string | null,
): Promise<void> {
  for (const each of [row, ...row.twins.filter((twin) => mayFollow(twin.status, status))]) {
    await store.updateFinding(tx, each.id, { status, rule_id: null });
    await addChange(context, tx, call, each.id, { kind: "status", from: each.status, to: status, reason });
  }
}

export async function assign(
  context: FindingsContext,
  call: Call<typeof assignFinding>,
  tx: Tx,
): Promise<SecurityFinding> {
  const row = await lockManaged(tx, call);
  const { assigneeId, dueAt } = call.body;
  if (assigneeId !== undefined) {
    const person = assigneeId === null ? null : await findUser(tx, assigneeId);
    if (assigneeId !== null && person?.status !== "active") {
      const msg = "User not found";
      throw refuse(422, "finding.assignee-unknown", `${msg}.`, { errors: [{ path: "assigneeId", msg }] });
    }
    for (const each of [row, ...row.twins]) {
      const before = each.assignee_id === null ? null : await findUser(tx, each.assignee_id);
      await store.updateFinding(tx, each.id, { assignee_id: assigneeId });
      const change = { from: before?.name ?? null, to: person?.name ?? null };
      await addChange(context, tx, call, each.id, { kind: "assigned", ...change, reason: null });
    }
  }
  if (dueAt !== undefined) {
    for (const each of [row, ...row.twins]) {
      await store.updateFinding(tx, each.id, { due_at: dueAt === null ? null : new Date(dueAt) });
      // The twin's own date: it depends on the score.
      const change = { from: each.due_at?.toISOString() ?? null, to: dueAt };
      await addChange(context, tx, call, each.id, { kind: "due", ...change, reason: null });
    }
  }
  call.note({ details: { assignee: assigneeId ?? row.assignee_id, due: dueAt ?? row.due_at?.toISOString() ?? null } });
  await publish(context, tx, [row]);
  return shown(context, tx, call, row.id);
}

export async function comment(context: FindingsContext, call: Call<typeof commentOnFinding>, tx: Tx): Promise<Message> {
  const row = await lockManaged(tx, call);
  for (const { id } of [row, ...row.twins]) {
    await addChange(context, tx, call, id, { kind: "comment", from: null, to: null, reason: call.body.text });
  }
  await publish(context, tx, [row]);
  return { message: "Comment added" };
}

export interface NewChange {
  kind: (typeof CHANGE_KINDS)[number];
  from: string | null;
  to: string | null;
  reason: string | null;
}

export async function addChange(
  { kernel }: FindingsContext,
  tx: Tx,
  { actor }: { actor: { name: string } },
  findingId: string,
  { kind, from, to, reason }: NewChange,
): Promise<void> {
  const at = kernel.clock.now();
  const row = { id: newId(at.getTime()), finding_id: findingId, at, by_name: actor.name, kind };
  await store.insertChanges(tx, [{ ...row, from_value: from, to_value: to, reason }]);
}

export async function publish(
  { kernel }: FindingsContext,
  tx: Tx,
  rows: readonly { target_id: string; safe_id: string }[],
): Promise<void> {
  const targets = new Map(rows.map(({ target_id: id, safe_id }) => [id, { id, safe_id }]));
  for (const target of targets.values()) await kernel.events.publish(tx, await changed(tx, target));
}

export async function shown(
  context: FindingsContext,
  tx: Tx,
  { actor }: Pick<Call, "actor">,
  id: string,
): Promise<SecurityFinding> {
  const row = await store.readFinding(tx, actor, id);
  if (row === null) throw findingNotFound();
  return (await shownTo(context, tx, actor, [row]))[0]!;
}
