// The toasts of the Validation Dashboard: what came of what this person had validated, and of what is lent (VAL-65 to VAL-69).
import type { ValidationEvent } from "#shared/events/validation-events.ts";
import { nameOr } from "#shared/notifications/fallbacks.ts";
import { toast } from "#shared/ui/toast.ts";

/** VAL-65. */
const STARTED_MS = 10_000;

/** One toast for each account: its end takes the place of its beginning, whoever tells of it first. */
const toastOf = (accountId: string | null) => ({ id: `validation-${accountId ?? "unknown"}` });

export interface Announced {
  account_id: string | null;
  account_name: string | null;
}

/** Of which the beginning was told, and the end not yet. */
const begun = new Set<string | null>();

export function tellStarted({ account_id: id, account_name: name }: Announced): void {
  begun.add(id);
  toast.loading(`Validating account: ${nameOr(name)}`, { ...toastOf(id), duration: STARTED_MS });
}

export function tellSucceeded({ account_id: id, account_name: name }: Announced): void {
  begun.delete(id);
  toast.success(`Account validation successful: ${nameOr(name)}`, toastOf(id));
}

export function tellFailed({ account_id: id, account_name: name }: Announced): void {
  begun.delete(id);
  toast.error(`Account validation failed: ${nameOr(name)}`, toastOf(id));
}

/** Only takes back that it began; a success that a button has told already stays. */
function endQuietly({ account_id: id }: Announced): void {
  if (begun.delete(id)) toast.dismiss(toastOf(id).id);
}

export interface Listener {
  /** Who is signed in here. */
  userId: string;
  /** VAL-47. Whoever pressed a button here is told by that button, with or without it. */
  tellsSuccess: boolean;
}

/** What others asked for, and what a schedule or a run tries, is in the lists. */
export function announceValidation({ type, data }: ValidationEvent, { userId, tellsSuccess }: Listener): void {
  if (type === "jit_verification_status") {
    if (data.status === "failed" && data.session_id !== null) {
      toast.error(`JIT verification failed for session: ${data.session_id}`, { id: `jit-${data.session_id}` });
    }
    return;
  }
  if (data.asked_by !== userId) return;
  if (type === "validation_started") tellStarted(data);
  if (type === "validation_completed") (tellsSuccess ? tellSucceeded : endQuietly)(data);
  if (type === "validation_failed") tellFailed(data);
}
