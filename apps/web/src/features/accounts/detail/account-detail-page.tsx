// One account: its details, validation, earlier passwords, access, history and actions.
import { Button } from "@mantine/core";
import { IconCopy, IconEye, IconKey, IconTerminal2 } from "@tabler/icons-react";
import type { Account } from "@strongroom/contract";
import { useInfiniteQuery, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Link, useNavigate, useParams } from "react-router";
import { paths } from "#shared/paths.ts";
import { useMutation } from "#shared/api/use-mutation.ts";
import { HostKeyAlarm } from "#shared/ui/host-key-alarm.tsx";
import { RotationHistory } from "#shared/rotation/rotation-history.tsx";
import { DetailColumns, DetailHeader, DetailLoaded, type ParentList } from "#shared/ui/detail-page.tsx";
import { AccessList } from "#shared/ui/access-list.tsx";
import { LoadMore } from "#shared/ui/load-more.tsx";
import { Loaded } from "#shared/ui/loaded.tsx";
import { SectionCard } from "#shared/ui/section-card.tsx";
import { AuditHistory } from "#shared/audit/audit-history.tsx";
import { EvidenceButton } from "#shared/audit/evidence-button.tsx";
import { RotationPanel } from "#shared/rotation/rotation-panel.tsx";
import { rotationObstacle } from "#shared/rotation/rotation-obstacle.ts";
import { AccessBlockBanner } from "../access-block-banner.tsx";
import { DeleteAccountDialog, MoveAccountDialog, RotateAccountDialog } from "../actions/account-action-dialogs.tsx";
import { AccountActions, type DetailDialog } from "../actions/account-actions.tsx";
import { EditAccountDialog } from "../form/account-form-dialogs.tsx";
import { CheckOutBanner } from "./check-out-banner.tsx";
import { AccountInformation } from "./account-information.tsx";
import { AccountSessions } from "./account-sessions.tsx";
import { canConnect, canRetrieve, canRequestAccess, rotatedOf, systemTypeLabel } from "../account-labels.ts";
import { accountAccess, accountDetail, accountHistory, hostKeyAcceptance } from "../accounts.queries.ts";
import { DependentsPanel } from "../dependents/dependents-panel.tsx";
import { useLiveAccounts } from "../live-accounts.ts";
import { ACCOUNT_NOT_FOUND, isNotFound } from "../load-failure.ts";
import { addressOf } from "../read-account.ts";
import { StorePasswordDialog } from "../form/store-password-dialog.tsx";
import { ReconcileAccountDialog } from "./reconcile-account-dialog.tsx";
import { SecretVersions } from "./secret-versions.tsx";
import { copyKey, usePasswordCopy } from "../actions/use-password-copy.tsx";
import { ValidationHistoryDialog } from "../validation/validation-history-dialog.tsx";
import { useCanReconcile, useHasReconcileAccount } from "./use-reconcile.ts";
import { ValidationPanel } from "../validation/validation-panel.tsx";

const ICON_SIZE = 16;

const LIST: ParentList = { to: paths.accounts, title: "Account Management", backLabel: "Back to Accounts" };

export default function AccountDetailPage() {
  const { id = "" } = useParams();
  const detail = useQuery(accountDetail(id));
  useLiveAccounts();
  return (
    <DetailLoaded
      query={detail}
      list={LIST}
      loadingText="Loading account..."
      isMissing={isNotFound}
      missing={{ title: ACCOUNT_NOT_FOUND, text: "It was deleted or is in a safe you cannot see." }}
      failure={{ title: "Account", text: "Failed to load account" }}
    >
      {(account) => <Detail key={account.id} account={account} />}
    </DetailLoaded>
  );
}

function Detail({ account }: { account: Account }) {
  const navigate = useNavigate();
  const { copy, copying, show, isShowing, dialog: passwordDialogs } = usePasswordCopy();
  const { mutateAsync: acceptKey } = useMutation(hostKeyAcceptance(useQueryClient(), account.id));
  const [dialog, setDialog] = useState<DetailDialog | null>(null);
  const propsOf = (which: DetailDialog) => ({
    account,
    opened: dialog === which,
    onClose: () => setDialog((open) => (open === which ? null : open)),
  });
  const may = (permission: Account["my_permissions"][number]) => account.my_permissions.includes(permission);

  return (
    <>
      <DetailHeader
        list={LIST}
        title={account.name}
        subtitle={`${account.username} · ${systemTypeLabel(account.system_type)} · ${addressOf(account)}`}
        actions={
          <>
            {canRetrieve(account) && (
              <Button
                leftSection={<IconCopy size={ICON_SIZE} aria-hidden />}
                onClick={() => copy(account)}
                loading={copying === copyKey(account.id)}
                disabled={account.access_block !== null}
              >
                Copy Password
              </Button>
            )}
            {canRetrieve(account) && (
              <Button
                variant="default"
                leftSection={<IconEye size={ICON_SIZE} aria-hidden />}
                onClick={() => show(account)}
                loading={isShowing}
                disabled={account.access_block !== null}
              >
                Show Password
              </Button>
            )}
            {canConnect(account) && (
              <Button
                component={Link}
                to={paths.connect(account.id)}
                state={{ starts: true }}
                variant="default"
                leftSection={<IconTerminal2 size={ICON_SIZE} aria-hidden />}
              >
                Connect
              </Button>
            )}
            {canRequestAccess(account) && (
              <Button
                component={Link}
                to={paths.requestAccess(account.id)}
                leftSection={<IconKey size={ICON_SIZE} aria-hidden />}
              >
                Request Access
              </Button>
            )}
          </>
        }
      />
      <CheckOutBanner account={account} />
      <AccessBlockBanner account={account} />
      <HostKeyAlarm host={account.hostname_ip} alarm={account.host_key_alarm} accept={acceptKey} />
      <DetailColumns
        main={
          <>
            <AccountInformation account={account} />
            <RotationHistory of={rotatedOf(account)} />
            <SecretVersions account={account} copying={copying} onCopy={(version) => copy(account, version)} />
            <DependentsPanel account={account} />
            {(may("manage_members") || may("view_audit")) && <AccountAccess id={account.id} />}
            {may("view_audit") && <AccountHistory id={account.id} />}
          </>
        }
        side={
          <>
            <ValidationPanel account={account} onHistory={() => setDialog("history")} />
            <AccountRotation account={account} onOpen={setDialog} />
            {may("view_audit") && account.connection_method === "SSH" && <AccountSessions account={account} />}
            <AccountActions account={account} onOpen={setDialog} />
          </>
        }
      />
      {passwordDialogs}
      <ValidationHistoryDialog {...propsOf("history")} />
      <RotateAccountDialog {...propsOf("rotate")} />
      <ReconcileAccountDialog {...propsOf("reconcile")} />
      <StorePasswordDialog {...propsOf("store")} />
      <EditAccountDialog {...propsOf("edit")} />
      <MoveAccountDialog {...propsOf("move")} />
      <DeleteAccountDialog {...propsOf("delete")} onDeleted={() => void navigate(paths.accounts)} />
    </>
  );
}

function AccountAccess({ id }: { id: string }) {
  const access = useInfiniteQuery(accountAccess(id));
  return (
    <SectionCard title="Who Can Access This" description="Everyone who can use or retrieve this account now, and why.">
      <Loaded query={access}>
        {({ pages }) => <AccessList access={pages.flatMap((page) => page.access)} footer={<LoadMore of={access} />} />}
      </Loaded>
    </SectionCard>
  );
}

/** The audit entries, for users who may view them. */
function AccountHistory({ id }: { id: string }) {
  return (
    <AuditHistory
      of={useInfiniteQuery(accountHistory(id))}
      actions={<EvidenceButton about="account" id={id} name="this account" />}
    />
  );
}

interface AccountRotationProps {
  account: Account;
  onOpen: (dialog: DetailDialog) => void;
}

/** The rotation state, with the actions for a rotation that needs attention. */
function AccountRotation({ account, onOpen }: AccountRotationProps) {
  const canReconcile = useCanReconcile(account);
  const may = (permission: Account["my_permissions"][number]) => account.my_permissions.includes(permission);
  return (
    <RotationPanel
      of={rotatedOf(account)}
      mayRotate={may("manage_secret")}
      remedies={{
        ...(canReconcile ? { reconcile: () => onOpen("reconcile") } : {}),
        ...(may("update_secret") ? { store: () => onOpen("store") } : {}),
      }}
      obstacle={rotationObstacle(account.connector, useHasReconcileAccount(account))}
    />
  );
}
