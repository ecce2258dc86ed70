// How an account stands: whether its password works, whether it is due, whether it may be used.
import type { Account, AccountStatus, AccountValidationStatus } from "@strongroom/contract";
import { StatusBadge } from "#shared/ui/status-badge.tsx";
import { Tag } from "#shared/ui/tag.tsx";
import { STATUS_BADGES, VALIDATION_BADGES, rotationBadge } from "./account-words.ts";

export function ValidationBadge({ status }: { status: AccountValidationStatus }) {
  return <StatusBadge {...VALIDATION_BADGES[status]} />;
}

/** ACC-15. */
export function RotationBadge({ status }: { status: Account["rotation_status"] }) {
  const { label, tone } = rotationBadge(status);
  return (
    <Tag tone={tone} title="Rotation">
      {label}
    </Tag>
  );
}

export function AccountStatusBadge({ status }: { status: AccountStatus }) {
  return <StatusBadge {...STATUS_BADGES[status]} />;
}
