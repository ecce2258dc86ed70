// The words and colours in which accounts are shown.
import {
  SYSTEM_TYPE_OPTIONS,
  type Account,
  type AccountStatus,
  type AccountValidationStatus,
} from "@strongroom/contract";
import type { Rotated } from "#shared/rotation/rotation.queries.ts";
import type { Status } from "#shared/ui/status-badge.tsx";
import type { Tone } from "#shared/ui/tone.ts";

interface BadgeLook {
  label: string;
  tone: Tone;
}

const ROTATION_BADGES: Record<string, BadgeLook> = {
  current: { label: "Current", tone: "success" },
  due_soon: { label: "Due Soon", tone: "warning" },
  overdue: { label: "Overdue", tone: "danger" },
  no_policy: { label: "No Policy", tone: "neutral" },
};

/** ACC-32. */
export const rotationBadge = (status: string): BadgeLook =>
  ROTATION_BADGES[status] ?? { label: "Unknown", tone: "neutral" };

export const VALIDATION_BADGES: Record<AccountValidationStatus, { status: Status; label: string }> = {
  untested: { status: "inactive", label: "Untested" },
  valid: { status: "verified", label: "Valid" },
  invalid: { status: "failed", label: "Invalid" },
  pending: { status: "pending", label: "Pending" },
};

export const STATUS_BADGES: Record<AccountStatus, { status: Status; label: string }> = {
  active: { status: "active", label: "Active" },
  disabled: { status: "inactive", label: "Disabled" },
  pending: { status: "pending", label: "Pending" },
};

/** "PostgreSQL" for `postgresql`; what the list does not know stays as it is. */
export const systemTypeLabel = (type: string): string =>
  SYSTEM_TYPE_OPTIONS.find(({ value }) => value === type)?.label ?? type;

type Standing = Pick<Account, "status" | "my_permissions" | "my_grant">;

/** Whether the caller gets at its password now, without asking anybody. */
export const canRetrieve = ({ status, my_permissions: permissions, my_grant: grant }: Standing): boolean =>
  status === "active" && (permissions.includes("retrieve") || grant !== null);

/** Whether asking would help: nobody lends what is disabled. */
export const mayAsk = (account: Standing): boolean => account.status === "active" && !canRetrieve(account);

export const rotatedOf = ({ id, name }: Pick<Account, "id" | "name">): Rotated => ({ kind: "account", id, name });

/** A value that is not there. */
export const NONE = "Not set";
