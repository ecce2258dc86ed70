// Toasts about validations that the user started, and about JIT sessions (VAL-65 to VAL-69).
import { isFailing } from "@strongroom/contract";
import type { ValidationEvent } from "#shared/events/validation-events.ts";
import { nameOr } from "#shared/notifications/fallbacks.ts";
import { toast } from "#shared/ui/toast.ts";

/** VAL-65. */
const STARTED_MS = 10_000;

/** One toast per account: the result replaces the start, from whichever source it comes first. */
const toastOf = (accountId: string | null) => ({ id: `validation-${accountId ?? "unknown"}` });

export interface Announced {
  account_id: string | null;
  account_name: string | null;
}

/** Accounts with a toast about the start and none about the result yet. */
const started = new Set<string | null>();

export function announceStart({ account_id: id, account_name: name }: Announced): void {
  started.add(id);
  toast.loading(`Validating account: ${nameOr(name)}`, { ...toastOf(id), duration: STARTED_MS });
}

export function announceSuccess({ account_id: id, account_name: name }: Announced): void {
  started.delete(id);
  toast.success(`Account validation successful: ${nameOr(name)}`, toastOf(id));
}

export function announceFailure({ account_id: id, account_name: name }: Announced): void {
  started.delete(id);
  toast.error(`Account validation failed: ${nameOr(name)}`, toastOf(id));
}

/** Dismisses only the toast about the start; a success shown by a button stays. */
function endQuietly({ account_id: id }: Announced): void {
  if (started.delete(id)) toast.dismiss(toastOf(id).id);
}

export interface Listener {
  /** The signed-in user. */
  userId: string;
  /** VAL-47. Does not affect buttons: a button always shows its own result. */
  tellsSuccess: boolean;
}

/** Ignores validations by other users, schedules and runs; those appear only in the lists. */
export function announceValidation({ type, data }: ValidationEvent, { userId, tellsSuccess }: Listener): void {
  if (type === "jit_verification_status") {
    if (data.status !== null && isFailing(data.status) && data.session_id !== null) {
      toast.error(`JIT verification failed for session: ${data.session_id}`, { id: `jit-${data.session_id}` });
    }
    return;
  }
  if (data.asked_by !== userId) return;
  if (type === "validation_started") announceStart(data);
  if (type === "validation_completed") (tellsSuccess ? announceSuccess : endQuietly)(data);
  if (type === "validation_failed") announceFailure(data);
}
