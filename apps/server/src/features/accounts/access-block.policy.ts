// Decides whether an account is blocked after a use, as a pure function of its row.
import type { AccessBlock } from "@strongroom/contract";
import { connectorFacts } from "#features/secrets/index.ts";
import { allows } from "#features/safes/index.ts";
import type { ShownRow } from "./shown-accounts.store.ts";

/** Whether any connector can rotate the account, with its own login or with the platform's reconcile account. */
export function canRotate(row: ShownRow): boolean {
  const facts = connectorFacts(row);
  return facts !== null && (facts.can_change || (facts.can_reconcile && row.has_reconcile_account));
}

/** Whether the target may have received the new password while the active one is not yet known. */
const isUnderWay = ({ rotation_step: step, rotation_state: state }: ShownRow): boolean =>
  (step === "sent" || step === "answered" || step === "doubtful") && state !== "attention";

/**
 * INVARIANT: on a platform that blocks access, no user gets the active secret between the end of a use and the verified rotation
 * after it. If access is allowed, the account is blocked only while a rotation may have reached the target. Accounts that no
 * connector can rotate are never blocked: users change their secrets by hand, and until then those secrets are overdue.
 */
function isBlocked(row: ShownRow): boolean {
  if (!row.is_wanted_after_use && !row.is_use_over) return false;
  if (!canRotate(row)) return false;
  const isAllowed = row.access_until_rotated === "allowed" || (row.rotation_block_lifted && !row.is_use_over);
  return !isAllowed || isUnderWay(row);
}

/** The block can be lifted once the rotation is scheduled, while the target cannot have received the new password. */
export const canBeLifted = (row: ShownRow): boolean => row.is_wanted_after_use && !isUnderWay(row);

const ROTATING =
  "The password is being rotated after its last use. The account is available again once the new password is verified.";
const WHAT_TO_DO = "A secret manager can retry the rotation, store a new password, or allow access.";

export function blockOf(row: ShownRow): AccessBlock | null {
  if (!isBlocked(row)) return null;
  const stopped = reasonOfStop(row);
  return {
    state: stopped === null ? "rotating" : "stopped",
    since: (row.rotation_wanted_at ?? row.now).toISOString(),
    message: stopped === null ? ROTATING : `The rotation after the last use stopped. ${stopped} ${WHAT_TO_DO}`,
    can_allow: canBeLifted(row) && allows(row.permissions, "manage_secret"),
  };
}

function reasonOfStop(row: ShownRow): string | null {
  if (row.rotation_state === "attention") return row.rotation_message ?? "";
  if (!row.is_platform_active) return "Its platform is not active.";
  return row.rotation_id === null ? row.rotation_hindrance : null;
}
