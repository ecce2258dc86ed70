// Labels and colours of accounts.
import { SYSTEM_TYPE_OPTIONS, type Account, type AccountStatus } from "@strongroom/contract";
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

/** An access block takes precedence over the rotation schedule. */
export function rotationLook({
  rotation_status: status,
  access_block: block,
}: Pick<Account, "rotation_status" | "access_block">): BadgeLook {
  if (block === null) return rotationBadge(status);
  return block.state === "rotating"
    ? { label: "Rotating", tone: "info" }
    : { label: "Rotation stopped", tone: "danger" };
}

export const STATUS_BADGES: Record<AccountStatus, { status: Status; label: string }> = {
  active: { status: "active", label: "Active" },
  disabled: { status: "inactive", label: "Disabled" },
  pending: { status: "pending", label: "Pending" },
};

/** "PostgreSQL" for `postgresql`; unknown types are returned unchanged. */
export const systemTypeLabel = (type: string): string =>
  SYSTEM_TYPE_OPTIONS.find(({ value }) => value === type)?.label ?? type;

type Standing = Pick<Account, "status" | "my_permissions" | "my_grant">;

/** Whether the caller can retrieve the password now, without an access request. */
export const canRetrieve = ({ status, my_permissions: permissions, my_grant: grant }: Standing): boolean =>
  status === "active" && (permissions.includes("retrieve") || grant !== null);

/** Whether the caller can open a session on the account now, without seeing its password. Sessions exist for SSH only. */
export const canConnect = ({
  status,
  my_permissions: permissions,
  my_grant: grant,
  connection_method: method,
}: Standing & Pick<Account, "connection_method">): boolean =>
  status === "active" && method === "SSH" && (permissions.includes("use") || grant !== null);

/** Whether an access request can help: disabled accounts grant no access. */
export const canRequestAccess = (account: Standing): boolean => account.status === "active" && !canRetrieve(account);

export const rotatedOf = ({ id, name }: Pick<Account, "id" | "name">): Rotated => ({ kind: "account", id, name });

/** Shown for a missing value. */
export const NONE = "Not set";
