// The rules that retrievals and sessions share: who may use the active secret now, and what each use records.
import { refuse } from "#kernel/http/refuse.ts";
import type { AuditNote } from "#kernel/audit/entry.ts";
import type { Tx } from "#kernel/db/database.ts";
import type { ProcessKernel } from "#kernel/kernel.ts";
import { updateSecret } from "#features/secrets/index.ts";
import { decideAccess } from "./accounts.policy.ts";
import { accountAccessOf, audienceOf, changed } from "./accounts.ts";
import { scheduleRotation } from "./accounts.store.ts";
import { checkedOut, endCheckOut } from "./checkout/check-outs.ts";
import { insertCheckOut, lockCheckOut } from "./checkout/check-outs.store.ts";
import type { LockedCheckOut } from "./checkout/check-outs.store.ts";
import { isOneTime } from "./checkout/one-time.ts";
import type { GrantsPort } from "./deps.ts";
import { requireAccountPermission } from "./lock-account.ts";
import type { ShownRow } from "./shown-accounts.store.ts";

export interface Justification {
  reason?: string | undefined;
  ticket?: string | undefined;
}

const NEXT = { retrieve: "retrieve it", use: "connect" };

export function requireRight(row: ShownRow, wanted: "use" | "retrieve"): void {
  const verdict = decideAccess(wanted, accountAccessOf(row));
  if (verdict === "allowed") return;
  if (row.status !== "active") {
    throw refuse(409, "account.not-active", `"${row.name}" is ${row.status} and cannot be used.`);
  }
  requireAccountPermission(row, wanted);
  throw refuse(
    403,
    "account.approval-needed",
    `"${row.name}" requires approval. Request access, then ${NEXT[wanted]} once access is granted.`,
  );
}

/** A reason or ticket given with the approved request is not required again. */
export function requireJustification(row: ShownRow, { reason, ticket }: Justification): void {
  if (row.reason_required && row.grant_id === null && (reason ?? "") === "") {
    throw refuse(422, "account.reason-required", `The platform "${row.platform_name}" requires a reason.`, {
      errors: [{ path: "reason", msg: "Enter a reason" }],
    });
  }
  if (row.ticket_required && (ticket ?? row.grant_ticket ?? "") === "") {
    throw refuse(422, "account.ticket-required", `The platform "${row.platform_name}" requires a ticket.`, {
      errors: [{ path: "ticket", msg: "Enter a ticket" }],
    });
  }
}

/** The ticket of the call, or of the approved request; null without one. */
export function ticketOf(row: ShownRow, { ticket }: Justification): string | null {
  const given = ticket ?? row.grant_ticket ?? "";
  return given === "" ? null : given;
}

/** The audit note of an access, with its reason, ticket, safe and request. */
export function justificationNote(row: ShownRow, given: Justification, more: AuditNote["details"] = {}): AuditNote {
  const ticket = ticketOf(row, given);
  return {
    ...(given.reason === undefined || given.reason === "" ? {} : { reason: given.reason }),
    details: {
      ...more,
      safe: { id: row.safe_id, name: row.safe_name },
      ...(ticket === null ? {} : { ticket }),
      ...(row.grant_id === null ? {} : { request: row.grant_id }),
    },
  };
}

/**
 * On platforms with exclusive check-outs, locks and returns the account's check-out. Throws 409 while another user has the
 * account checked out.
 */
export async function requireNotCheckedOut(tx: Tx, row: ShownRow, userId: string): Promise<LockedCheckOut | null> {
  const held = row.exclusive_check_out ? await lockCheckOut(tx, row.id) : null;
  if (held !== null && !held.is_over && held.user_id !== userId) throw checkedOut(held);
  return held;
}

interface Access {
  row: ShownRow;
  /** The check-out that `requireNotCheckedOut` returned. */
  held: LockedCheckOut | null;
  userId: string;
  /** Whether the accessed version is the active one. */
  isActive: boolean;
}

/**
 * Records everything that follows from an allowed access: the grant's use, the check-out, the last access and a one-time
 * rotation.
 */
export async function recordAccess(
  { kernel, grants }: { kernel: ProcessKernel; grants: GrantsPort },
  tx: Tx,
  { row, held, userId, isActive }: Access,
): Promise<void> {
  const at = kernel.clock.now();
  if (isActive) await grants.noteRetrieval(tx, userId, row.id);
  if (row.exclusive_check_out) {
    if (held?.is_over === true) await endCheckOut(tx, held, at);
    await checkOut(tx, row, userId);
    await kernel.events.publish(tx, changed(row.id, await audienceOf(tx, row)));
  }
  await updateSecret(tx, row.id, { last_accessed_at: at });
  if (isOneTime(row) && isActive) await scheduleRotation(tx, row.id, "one-time", at);
}

async function checkOut(tx: Tx, row: ShownRow, userId: string): Promise<void> {
  const grant = row.grant_id === null ? null : { id: row.grant_id, endsAt: row.grant_ends_at! };
  const isTaken = await insertCheckOut(tx, { accountId: row.id, userId, grant, minutes: row.default_duration_minutes });
  // This transaction holds the lock on the account's row, which every check-out needs.
  if (!isTaken) throw new Error(`the account ${row.id} was checked out while it was held`);
}
