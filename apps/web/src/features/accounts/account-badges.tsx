// Badges of an account: validation result, rotation state and status.
import type { Account, AccountStatus } from "@strongroom/contract";
import { StatusBadge } from "#shared/ui/status-badge.tsx";
import { Tag } from "#shared/ui/tag.tsx";
import { STATUS_BADGES, rotationLook } from "./account-labels.ts";

/** ACC-15. */
export function RotationBadge({ account }: { account: Pick<Account, "rotation_status" | "access_block"> }) {
  const { label, tone } = rotationLook(account);
  return (
    <Tag tone={tone} title="Rotation">
      {label}
    </Tag>
  );
}

export function AccountStatusBadge({ status }: { status: AccountStatus }) {
  return <StatusBadge {...STATUS_BADGES[status]} />;
}
