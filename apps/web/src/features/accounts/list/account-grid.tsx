// The accounts in their loading, empty, error and content states, with the dialogs of their cards.
import { IconSearchOff, IconUserShield } from "@tabler/icons-react";
import type { Account } from "@strongroom/contract";
import { useCallback, useState, type ReactNode } from "react";
import { currentSession } from "#shared/session/session-store.ts";
import { ItemGrid } from "#shared/ui/item-grid.tsx";
import { TableSkeleton, type Layout } from "#shared/ui/data-table-tools.tsx";
import type { TableSettings } from "#shared/ui/data-table-settings.ts";
import { SectionLoading } from "#shared/ui/loading.tsx";
import { EmptyState, ErrorState } from "#shared/ui/states.tsx";
import { nextPageOf } from "#shared/ui/next-page.ts";
import { DeleteAccountDialog, RotateAccountDialog } from "../actions/account-action-dialogs.tsx";
import { AccountCard, type AccountDialog } from "./account-card.tsx";
import { AccountTable } from "./account-table.tsx";
import type { AccountList } from "./use-account-list.ts";
import { isFiltered, type AccountFilter } from "./account-filter.ts";
import classes from "./accounts-page.module.css";
import { loadFailureText } from "../load-failure.ts";
import { copyKey, usePasswordCopy } from "../actions/use-password-copy.tsx";
import type { Selection } from "../bulk/use-selection.ts";
import { ValidationHistoryDialog } from "../validation/validation-history-dialog.tsx";

export interface AccountGridProps {
  list: AccountList;
  accounts: readonly Account[];
  filter: AccountFilter;
  selection: Selection;
  addButton: ReactNode;
  layout: Layout;
  settings: TableSettings;
}

export function AccountGrid(props: AccountGridProps) {
  const { list, accounts, filter, selection, addButton, layout, settings } = props;
  const dialogs = useDialogs(accounts);
  const { copy, copying, dialog: justification } = usePasswordCopy();
  const failure = () => loadFailureText(list.error, currentSession().token !== null);

  if (list.isPending) return <TableSkeleton text="Loading accounts..." />;
  if (list.data === undefined) {
    return <ErrorState message={failure()} onRetry={() => void list.refetch()} isRetrying={list.isFetching} />;
  }
  if (accounts.length === 0) return <NoAccounts filter={filter} addButton={addButton} />;
  return (
    <div className={list.isPlaceholderData ? classes.stale : undefined}>
      {layout === "table" ? (
        <AccountTable
          list={list}
          accounts={accounts}
          settings={settings}
          selection={selection}
          onOpen={dialogs.open}
          onCopy={copy}
        />
      ) : (
        <ItemGrid label="Accounts" items={accounts} {...nextPageOf(list)}>
          {(account) => (
            <AccountCard
              account={account}
              onOpen={dialogs.open}
              onCopy={copy}
              isCopying={copying === copyKey(account.id)}
              isSelected={selection.ids === null ? null : selection.ids.has(account.id)}
              onSelect={selection.select}
            />
          )}
        </ItemGrid>
      )}
      {list.isFetchingNextPage && <SectionLoading text="Loading accounts..." />}
      {list.isFetchNextPageError && <ErrorState message={failure()} onRetry={() => void list.fetchNextPage()} />}
      {justification}
      {dialogs.account !== null && (
        // The key resets the dialog state for each account.
        <div key={dialogs.account.id}>
          <RotateAccountDialog account={dialogs.account} {...dialogs.propsOf("rotate")} />
          <DeleteAccountDialog account={dialogs.account} {...dialogs.propsOf("delete")} />
          <ValidationHistoryDialog account={dialogs.account} {...dialogs.propsOf("history")} />
        </div>
      )}
    </div>
  );
}

/** ACC-10 to ACC-12. */
function NoAccounts({ filter, addButton }: { filter: AccountFilter; addButton: ReactNode }) {
  if (isFiltered(filter)) {
    return <EmptyState icon={IconSearchOff} title="No accounts found" text="No accounts match your search criteria." />;
  }
  return (
    <EmptyState
      icon={IconUserShield}
      title="No accounts found"
      text={filter.status === undefined ? "Get started by adding your first account." : "No accounts in this tab."}
      action={filter.status === undefined ? addButton : undefined}
    />
  );
}

/** Selects the account of the open dialog. Keeps it after closing, for the closing animation. */
function useDialogs(accounts: readonly Account[]) {
  const [dialog, setDialog] = useState<AccountDialog | null>(null);
  const [chosen, setChosen] = useState<Account | null>(null);
  const open = useCallback((which: AccountDialog, of: Account) => {
    setChosen(of);
    setDialog(which);
  }, []);
  return {
    // The current version from the list, not the one the dialog opened with.
    account: accounts.find(({ id }) => id === chosen?.id) ?? chosen,
    open,
    propsOf: (which: AccountDialog) => ({
      opened: dialog === which,
      onClose: () => setDialog((open) => (open === which ? null : open)),
    }),
  };
}
