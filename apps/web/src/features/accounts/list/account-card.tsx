// One account in the list: its details, badges and actions (ACC-08, ACC-14, ACC-15).
import { Checkbox, Loader } from "@mantine/core";
import {
  IconAlertTriangle,
  IconAppWindow,
  IconArrowRight,
  IconBrandWindows,
  IconClock,
  IconCloud,
  IconCopy,
  IconDatabase,
  IconHistory,
  IconKey,
  IconLock,
  IconNetwork,
  IconRefresh,
  IconShieldCheck,
  IconShieldHalf,
  IconTerminal2,
  IconTrash,
  IconWorld,
  type Icon,
} from "@tabler/icons-react";
import { isAccountDatabaseType, type Account, type SystemType } from "@strongroom/contract";
import { memo } from "react";
import { useNavigate } from "react-router";
import { paths } from "#shared/paths.ts";
import { useNow } from "#shared/format/now.ts";
import { CardButton, CardNote, CardSign, CardSigns, ItemCard } from "#shared/ui/item-card.tsx";
import { RelativeTime } from "#shared/ui/relative-time.tsx";
import { RowMenu } from "#shared/ui/row-menu.tsx";
import { TagList } from "#shared/ui/tag-list.tsx";
import { Tag } from "#shared/ui/tag.tsx";
import type { Tone } from "#shared/ui/tone.ts";
import { VerificationBadge } from "#shared/ui/verification-badge.tsx";
import { RotationBadge } from "../account-badges.tsx";
import { noteOf, type AccountNote } from "../account-note.ts";
import { canConnect, canRetrieve, canRequestAccess, systemTypeLabel } from "../account-labels.ts";
import { addressOf, readAccountAnswer } from "../read-account.ts";
import { useValidate } from "../validation/use-validate.ts";

const ICONS: Partial<Record<SystemType, Icon>> = {
  Windows: IconBrandWindows,
  AWS: IconCloud,
  Azure: IconCloud,
  "Network Device": IconNetwork,
  "Security Appliance": IconShieldHalf,
  Application: IconAppWindow,
  Website: IconWorld,
};

/** Dialogs that a card opens. The page renders them, because scrolling may unmount the card. */
export type AccountDialog = "rotate" | "delete" | "history";

export interface AccountCardProps {
  account: Account;
  onOpen: (dialog: AccountDialog, account: Account) => void;
  onCopy: (account: Account) => void;
  isCopying: boolean;
  /** Null when selection mode is off. */
  isSelected: boolean | null;
  onSelect: (id: string, isSelected: boolean) => void;
}

const NOTE_LOOKS: Record<AccountNote["kind"], { tone: Tone; icon: Icon }> = {
  disabled: { tone: "neutral", icon: IconLock },
  "check-out": { tone: "warning", icon: IconLock },
  "own-check-out": { tone: "info", icon: IconClock },
  grant: { tone: "info", icon: IconClock },
  attention: { tone: "danger", icon: IconAlertTriangle },
  rotation: { tone: "info", icon: IconRefresh },
  invalid: { tone: "danger", icon: IconAlertTriangle },
  approval: { tone: "neutral", icon: IconKey },
};

/** Memoised: renders only when its account changes, not when the grid scrolls. */
export const AccountCard = memo(function AccountCard(props: AccountCardProps) {
  const { account, isSelected, onSelect } = props;
  const { isValidating, start } = useValidate(account);
  const read = readAccountAnswer(account);
  const note = noteOf(account, useNow());

  return (
    <ItemCard
      icon={
        isSelected === null ? (
          <AccountIcon type={account.system_type} />
        ) : (
          <Checkbox
            aria-label={`Select ${account.name}`}
            checked={isSelected}
            onChange={(event) => onSelect(account.id, event.currentTarget.checked)}
          />
        )
      }
      title={read.name}
      subtitle={`${read.username} · ${systemTypeLabel(read.system_type)}`}
      subtitleTitle={read.username}
      isBusy={isValidating}
      isAlarming={account.host_key_alarm !== null}
      isSelected={isSelected === true}
      badges={
        <>
          {isValidating ? (
            <Validating />
          ) : (
            <VerificationBadge status={read.validation_status} isHostKeyChanged={account.host_key_alarm !== null} />
          )}
          <RotationBadge account={{ ...account, rotation_status: read.rotation_status }} />
        </>
      }
      facts={[
        { name: "Hostname/IP", value: addressOf({ ...account, hostname_ip: read.hostname }), title: read.hostname },
        { name: "Safe", value: read.safe_name, title: read.safe_name },
        { name: "Connection", value: read.connection_method },
        { name: "Last validated", value: <RelativeTime moment={read.last_validation_date} /> },
        ...(account.tags.length === 0 ? [] : [{ name: "Tags", value: <TagList tags={account.tags} />, isWide: true }]),
      ]}
      note={note !== null && <CardNote {...NOTE_LOOKS[note.kind]} text={note.text} />}
      actions={<Actions {...props} isValidating={isValidating} onValidate={start} />}
    />
  );
});

type ActionsProps = AccountCardProps & { isValidating: boolean; onValidate: () => void };

/** Shows only actions the caller may perform; the server enforces the permissions (OPEN-19). */
function Actions({ account, onOpen, onCopy, isCopying, isValidating, onValidate }: ActionsProps) {
  const navigate = useNavigate();
  const may = (permission: Account["my_permissions"][number]) => account.my_permissions.includes(permission);
  const open = (dialog: AccountDialog) => () => onOpen(dialog, account);
  return (
    <>
      {may("manage_secret") && (
        <CardButton label="Validate" icon={IconShieldCheck} onClick={onValidate} isDisabled={isValidating} isPrimary />
      )}
      {canRetrieve(account) && (
        <CardButton
          label="Copy"
          name="Copy Password"
          icon={IconCopy}
          onClick={() => onCopy(account)}
          isBusy={isCopying}
          isDisabled={account.access_block !== null}
        />
      )}
      {canRequestAccess(account) && (
        <CardButton
          label="Request Access"
          icon={IconKey}
          onClick={() => void navigate(paths.requestAccess(account.id))}
        />
      )}
      <CardSigns>
        {canConnect(account) && (
          <CardSign
            label="Connect"
            icon={IconTerminal2}
            onClick={() => void navigate(paths.connect(account.id), { state: { starts: true } })}
          />
        )}
        <CardSign label="Validation History" icon={IconHistory} onClick={open("history")} />
        {may("manage_secret") && <CardSign label="Rotate" icon={IconRefresh} onClick={open("rotate")} />}
        <CardSign label="Details" icon={IconArrowRight} to={paths.account(account.id)} />
        {may("delete") && (
          <RowMenu
            name={account.name}
            actionsOf={() => [{ label: "Delete", icon: IconTrash, onClick: open("delete"), isDanger: true }]}
          />
        )}
      </CardSigns>
    </>
  );
}

function Validating() {
  return (
    <span role="status" style={{ display: "flex" }}>
      <Tag tone="info" icon={<Loader size={11} color="currentColor" aria-hidden />}>
        Validating...
      </Tag>
    </span>
  );
}

function AccountIcon({ type }: { type: SystemType }) {
  const TypeIcon = isAccountDatabaseType(type) ? IconDatabase : (ICONS[type] ?? IconTerminal2);
  return <TypeIcon size={18} stroke={1.6} aria-hidden />;
}
