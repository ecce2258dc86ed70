// A discovered account as a row of the list: its state, its actions and the history of decisions.
import { Anchor, Button, Checkbox } from "@mantine/core";
import { IconCheck, IconEye, IconX } from "@tabler/icons-react";
import { DiscoveredStatus, type DiscoveredAccount } from "@strongroom/contract";
import { Link } from "react-router";
import { paths } from "#shared/paths.ts";
import { RelativeTime } from "#shared/ui/relative-time.tsx";
import { Row, RowDetail } from "#shared/ui/row-list.tsx";
import { StatusBadge } from "#shared/ui/status-badge.tsx";
import { Tag } from "#shared/ui/tag.tsx";
import { ACCOUNT_BADGES, ONBOARDING_BADGES, SYSTEM_LABELS } from "../discovery-labels.ts";

export type AccountDialog = "approve" | "reject" | "details";
export type OpenAccounts = (dialog: AccountDialog, accounts: readonly DiscoveredAccount[]) => void;

/** DISC-34. */
export const isDecidable = ({ can_manage, status }: DiscoveredAccount): boolean =>
  can_manage && status === DiscoveredStatus.enum.pending_approval;

export function AccountTags({ account }: { account: DiscoveredAccount }) {
  const { is_locked, changes } = account.discovery_metadata;
  return (
    <>
      {is_locked && <Tag>Locked</Tag>}
      {account.is_managed && <Tag tone="success">In a safe</Tag>}
      {account.missing_since !== null && <Tag tone="warning">No longer found</Tag>}
      {changes.length > 0 && <Tag tone="info">Changed</Tag>}
    </>
  );
}

interface AccountRowProps {
  account: DiscoveredAccount;
  isMarked: boolean;
  onMark: (id: string, isMarked: boolean) => void;
  onOpen: OpenAccounts;
}

export function AccountRow({ account, isMarked, onMark, onOpen }: AccountRowProps) {
  const { account_name: name, hostname_ip: host, discovery_metadata: known } = account;
  const where = `${name} on ${host}`;
  const canDecide = isDecidable(account);
  return (
    <Row
      icon={
        canDecide ? (
          <Checkbox
            aria-label={`Select ${where}`}
            checked={isMarked}
            onChange={({ currentTarget: { checked } }) => onMark(account.id, checked)}
          />
        ) : undefined
      }
      isOver={account.missing_since !== null}
      name={
        <>
          <bdi>{name}</bdi>
          <StatusBadge {...ACCOUNT_BADGES[account.status]} />
          {account.onboarding !== null && <StatusBadge {...ONBOARDING_BADGES[account.onboarding.state]} />}
          {known.is_privileged && <Tag tone="danger">Privileged</Tag>}
          <AccountTags account={account} />
        </>
      }
      actions={
        <>
          {canDecide && (
            <>
              <Button
                size="compact-sm"
                variant="default"
                aria-label={`Approve ${where}`}
                leftSection={<IconCheck size={15} aria-hidden />}
                onClick={() => onOpen("approve", [account])}
              >
                Approve
              </Button>
              <Button
                size="compact-sm"
                variant="light"
                color="red"
                aria-label={`Reject ${where}`}
                leftSection={<IconX size={15} aria-hidden />}
                onClick={() => onOpen("reject", [account])}
              >
                Reject
              </Button>
            </>
          )}
          <Button
            size="compact-sm"
            variant="default"
            aria-label={`Details of ${where}`}
            leftSection={<IconEye size={15} aria-hidden />}
            onClick={() => onOpen("details", [account])}
          >
            Details
          </Button>
        </>
      }
    >
      <RowDetail>
        {`${host} · ${SYSTEM_LABELS[account.system_type]} · First found: `}
        <RelativeTime moment={account.discovered_at} />
      </RowDetail>
      <RowDetail>
        Last login: <RelativeTime moment={known.last_login_at} none="unknown" /> · Password changed:{" "}
        <RelativeTime moment={known.password_changed_at} none="unknown" />
      </RowDetail>
      {account.rejection_reason !== null && account.status === "rejected" && (
        <RowDetail>{`Rejected by ${account.decided_by}: ${account.rejection_reason}`}</RowDetail>
      )}
      {account.rejection_reason !== null && account.status === "pending_approval" && (
        <RowDetail>{`Needs a new decision. Rejected before by ${account.decided_by}: ${account.rejection_reason}`}</RowDetail>
      )}
      {account.onboarding !== null && account.onboarding.state !== "undone" && (
        <RowDetail>{account.onboarding.message}</RowDetail>
      )}
      {account.account_id !== null && (
        <RowDetail>
          <Anchor component={Link} to={paths.account(account.account_id)} size="sm">
            Open the Account in Its Safe
          </Anchor>
        </RowDetail>
      )}
    </Row>
  );
}
