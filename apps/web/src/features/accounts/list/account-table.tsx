// The accounts as a dense table: the default above 20 accounts.
import {
  IconCopy,
  IconHistory,
  IconKey,
  IconRefresh,
  IconShieldCheck,
  IconTerminal2,
  IconTrash,
} from "@tabler/icons-react";
import type { Account } from "@strongroom/contract";
import { useQueryClient } from "@tanstack/react-query";
import { useCallback } from "react";
import { paths } from "#shared/paths.ts";
import { DataTable } from "#shared/ui/data-table.tsx";
import type { TableSettings } from "#shared/ui/data-table-settings.ts";
import type { RowAction } from "#shared/ui/row-menu.tsx";
import { nextPageOf } from "#shared/ui/next-page.ts";
import { canConnect, canRequestAccess, canRetrieve } from "../account-labels.ts";
import type { Selection } from "../bulk/use-selection.ts";
import { startValidation } from "../validation/use-validate.ts";
import type { AccountDialog } from "./account-card.tsx";
import { ACCOUNT_COLUMNS } from "./account-columns.tsx";
import type { AccountList } from "./use-account-list.ts";

export interface AccountTableProps {
  list: AccountList;
  accounts: readonly Account[];
  settings: TableSettings;
  selection: Selection;
  onOpen: (dialog: AccountDialog, account: Account) => void;
  onCopy: (account: Account) => void;
}

const NONE: ReadonlySet<string> = new Set();
const nameOf = ({ name, hostname_ip: host }: Account): string => (name.includes(host) ? name : `${name} on ${host}`);
const linkOf = ({ id }: Account): string => paths.account(id);
const isAlarming = ({ host_key_alarm: alarm }: Account): boolean => alarm !== null;

export function AccountTable({ list, accounts, settings, selection, onOpen, onCopy }: AccountTableProps) {
  const client = useQueryClient();
  const actionsOf = useCallback(
    (account: Account) => [
      ...actionsOn(account, onOpen, onCopy),
      ...(account.my_permissions.includes("manage_secret")
        ? [{ label: "Validate", icon: IconShieldCheck, onClick: () => void startValidation(client, account) }]
        : []),
    ],
    [client, onOpen, onCopy],
  );
  return (
    <DataTable
      label="Accounts"
      rows={accounts}
      columns={ACCOUNT_COLUMNS}
      settings={settings}
      nameOf={nameOf}
      linkOf={linkOf}
      actionsOf={actionsOf}
      isAlarming={isAlarming}
      selection={{ ids: selection.ids ?? NONE, select: selection.select, selectOnly: selection.selectOnly }}
      {...nextPageOf(list)}
    />
  );
}

/** Only the actions that the caller may perform; the server enforces the permissions (OPEN-19). */
function actionsOn(
  account: Account,
  onOpen: AccountTableProps["onOpen"],
  onCopy: AccountTableProps["onCopy"],
): RowAction[] {
  const may = (permission: Account["my_permissions"][number]) => account.my_permissions.includes(permission);
  const open = (dialog: AccountDialog) => () => onOpen(dialog, account);
  const actions: [isAllowed: boolean, action: RowAction][] = [
    [canConnect(account), { label: "Connect", icon: IconTerminal2, to: paths.connect(account.id) }],
    [
      canRetrieve(account),
      {
        label: "Copy Password",
        icon: IconCopy,
        onClick: () => onCopy(account),
        isDisabled: account.access_block !== null,
      },
    ],
    [canRequestAccess(account), { label: "Request Access", icon: IconKey, to: paths.requestAccess(account.id) }],
    [true, { label: "Validation History", icon: IconHistory, onClick: open("history") }],
    [may("manage_secret"), { label: "Rotate", icon: IconRefresh, onClick: open("rotate") }],
    [may("delete"), { label: "Delete", icon: IconTrash, onClick: open("delete"), isDanger: true }],
  ];
  return actions.filter(([isAllowed]) => isAllowed).map(([, action]) => action);
}
