// How far the fix of a finding has come, as the journals of its rotation and its dependent tell.
import type { AccountId, DependentId, FindingFix, RotationId } from "@strongroom/contract";
import type { FixRow } from "./fixes.store.ts";

/** The file has the stored secret until a rotation or a reference replaces it. */
export const canUndo = (fix: FixRow): boolean =>
  fix.undone_at === null &&
  fix.rotation_id === null &&
  fix.active_version === fix.version &&
  fix.dependent_kind !== "file-reference";

export function toFix(fix: FixRow): FindingFix {
  return {
    ...stateOf(fix),
    account_id: fix.account_id as AccountId | null,
    dependent_id: fix.dependent_id as DependentId | null,
    rotation_id: fix.rotation_id as RotationId | null,
    is_new_account: fix.is_new_account,
    vault_settings: fix.settings,
    requested_by: fix.requested_by,
    created_at: fix.created_at.toISOString(),
    can_undo: canUndo(fix),
  };
}

/** The journals of the rotation and of the dependent show the progress of the fix: both survive a kill at any step. */
function stateOf(fix: FixRow): Pick<FindingFix, "state" | "message"> {
  if (fix.undone_at !== null) return { state: "undone", message: "The account was removed again." };
  if (fix.account_id === null || fix.active_version === null) {
    return { state: "attention", message: "The account was deleted." };
  }
  if (fix.dependent_kind === "file-reference" && (fix.rotation_id === null || fix.active_version !== fix.version)) {
    return stateOfReference(fix);
  }
  if (fix.rotation_id === null) return { state: "stored", message: "The secret is stored in a safe." };
  if (fix.active_version === fix.version) {
    const message = fix.rotation_message ?? "The secret is being changed.";
    return { state: fix.is_rotation_stopped ? "attention" : "rotating", message };
  }
  if (fix.dependent_id === null) return { state: "fixed", message: "The secret was changed." };
  if (fix.dependent_state === "current" && fix.dependent_version !== fix.version) {
    return { state: "fixed", message: "The secret was changed, and the file has the new one." };
  }
  const message = fix.dependent_message ?? "The new secret is being written into the file.";
  return { state: fix.dependent_state === "attention" ? "attention" : "updating", message };
}

function stateOfReference(fix: FixRow): Pick<FindingFix, "state" | "message"> {
  if (fix.dependent_state === "current") {
    const rest = fix.rotation_id === null ? " Rotate the secret, because the file showed it." : "";
    return { state: "fixed", message: `The file refers to the account.${rest}` };
  }
  const message = fix.dependent_message ?? "The secret in the file is being replaced by a reference.";
  return { state: fix.dependent_state === "attention" ? "attention" : "updating", message };
}
