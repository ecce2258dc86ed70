// The vault: searches, filters and manages a user's personal credentials.
import { Button, NativeSelect } from "@mantine/core";
import { IconPlus, IconKey, IconSearchOff } from "@tabler/icons-react";
import type { Credential } from "@strongroom/contract";
import { keepPreviousData, useInfiniteQuery, type QueryClient } from "@tanstack/react-query";
import { Suspense, lazy, useCallback, useMemo, useState } from "react";
import { Link, useSearchParams } from "react-router";
import type { ReactNode } from "react";
import { paths } from "#shared/paths.ts";
import { messageOf } from "#shared/api/call-error.ts";
import { counted } from "#shared/format/text.ts";
import { SectionLoading } from "#shared/ui/loading.tsx";
import { ItemGrid } from "#shared/ui/item-grid.tsx";
import { PageHeader } from "#shared/ui/page-header.tsx";
import { ErrorState, EmptyState } from "#shared/ui/states.tsx";
import { SavedViewsMenu } from "#shared/saved-views/saved-views-menu.tsx";
import { AddressSearch } from "#shared/ui/address-search.tsx";
import { Modal } from "#shared/ui/modal.tsx";
import { nextPageOf } from "#shared/ui/next-page.ts";
import { ColumnChoice, LayoutSwitch, TableSkeleton, useLayout, type Layout } from "#shared/ui/data-table-tools.tsx";
import { useTableSettings, type TableSettings } from "#shared/ui/data-table-settings.ts";
import { AddCredentialDialog, EditCredentialDialog } from "../form/credential-form-dialogs.tsx";
import { CredentialCard, type CardDialog } from "./credential-card.tsx";
import { CREDENTIAL_COLUMNS, CredentialTable } from "./credential-table.tsx";
import { ClosedVault } from "./closed-vault.tsx";
import { filterOf, TYPE_FILTERS, withFilter } from "./credential-filter.ts";
import classes from "./credential-list-page.module.css";
import { credentialList } from "../credentials.queries.ts";
import { DeleteCredentialDialog } from "../delete-credential-dialog.tsx";
import { useLiveCredentials } from "../live-credentials.ts";

/** Loaded when the dialog first opens. */
const QuickView = lazy(() => import("./quick-view.tsx"));

interface NoCredentialsProps {
  /** Whether a search or type filter is set, so that other credentials may exist. */
  isFiltered: boolean;
  onClear: () => void;
  addButton: ReactNode;
}

export default function CredentialListPage() {
  const [params, setParams] = useSearchParams();
  const filter = filterOf(params);
  const list = useInfiniteQuery({ ...credentialList(filter), placeholderData: keepPreviousData });
  useLiveCredentials();
  const credentials = useMemo(() => list.data?.pages.flatMap((page) => page.data) ?? [], [list.data]);
  const settings = useTableSettings("vault", CREDENTIAL_COLUMNS);
  const most = useMost(credentials.length);
  const [layout, setLayout] = useLayout("vault", most);
  const [isAdding, setIsAdding] = useState(false);
  const dialogs = useCardDialogs(credentials);

  const addButton = (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setIsAdding(true)}>
      Add Credential
    </Button>
  );

  function content() {
    if (list.isPending) return <TableSkeleton text="Unlocking your credentials..." />;
    if (list.data === undefined) {
      return (
        <ErrorState message={messageOf(list.error)} onRetry={() => void list.refetch()} isRetrying={list.isFetching} />
      );
    }
    if (credentials.length === 0) {
      const isFiltered = filter.search !== undefined || filter.type !== undefined;
      return <NoCredentials isFiltered={isFiltered} onClear={() => setParams({})} addButton={addButton} />;
    }
    return (
      <div className={list.isPlaceholderData ? classes.stale : undefined}>
        {layout === "table" ? (
          <CredentialTable list={list} credentials={credentials} settings={settings} onOpen={dialogs.open} />
        ) : (
          <ItemGrid label="Credentials" items={credentials} {...nextPageOf(list)}>
            {(credential) => <CredentialCard credential={credential} onOpen={dialogs.open} />}
          </ItemGrid>
        )}
        {list.isFetchingNextPage && <SectionLoading />}
        {list.isFetchNextPageError && (
          <ErrorState message={messageOf(list.error)} onRetry={() => void list.fetchNextPage()} />
        )}
      </div>
    );
  }

  return (
    <>
      <PageHeader
        title="Credential Vault"
        subtitle="Securely manage and access your privileged credentials"
        actions={addButton}
      />
      <ClosedVault />
      <CredentialToolbar
        count={list.data === undefined ? "" : countText(credentials.length, list.hasNextPage)}
        settings={settings}
        layout={layout}
        onLayout={setLayout}
      />
      {content()}
      <AddCredentialDialog opened={isAdding} onClose={() => setIsAdding(false)} />
      {dialogs.credential !== null && (
        // The key resets the dialog state for each credential.
        <div key={dialogs.credential.id}>
          <QuickViewDialog credential={dialogs.credential} {...dialogs.propsOf("quick-view")} />
          <EditCredentialDialog credential={dialogs.credential} {...dialogs.propsOf("edit")} />
          <DeleteCredentialDialog credential={dialogs.credential} {...dialogs.propsOf("delete")} />
        </div>
      )}
    </>
  );
}

CredentialListPage.prefetch = (client: QueryClient, params: URLSearchParams) => {
  void client.prefetchInfiniteQuery(credentialList(filterOf(params)));
};

/** The total is unknown until the last page is loaded. */
function countText(loaded: number, hasMore: boolean): string {
  return hasMore ? `${loaded.toLocaleString()}+ credentials` : counted(loaded, "credential");
}

interface DialogProps {
  opened: boolean;
  onClose: () => void;
}

/** Selects the credential of the open dialog. Keeps it after closing, for the closing animation. */
function useCardDialogs(credentials: readonly Credential[]) {
  const [dialog, setDialog] = useState<CardDialog | null>(null);
  const [chosen, setChosen] = useState<Credential | null>(null);
  const open = useCallback((which: CardDialog, of: Credential) => {
    setChosen(of);
    setDialog(which);
  }, []);
  // The current version from the list, not the one the dialog opened with.
  const credential = credentials.find(({ id }) => id === chosen?.id) ?? chosen;
  return {
    credential,
    open,
    propsOf: (which: CardDialog): DialogProps => ({
      opened: dialog === which,
      onClose: () => setDialog((open) => (open === which ? null : open)),
    }),
  };
}

/** The longest list so far, so that a filter that leaves a few credentials does not change the layout. */
function useMost(count: number): number {
  const [most, setMost] = useState(count);
  if (count > most) setMost(count);
  return most;
}

interface ToolbarProps {
  count: string;
  settings: TableSettings;
  layout: Layout;
  onLayout: (layout: Layout) => void;
}

function CredentialToolbar({ count, settings, layout, onLayout }: ToolbarProps) {
  const [params, setParams] = useSearchParams();
  const chooseType = (type: string) => setParams((before) => withFilter(before, "type", type), { replace: true });

  return (
    <div className={classes.toolbar} role="search" aria-label="Credentials">
      <AddressSearch label="Search credentials" placeholder="Search by name or username" />
      <NativeSelect
        className={classes.type}
        aria-label="Type"
        data={TYPE_FILTERS.map(({ value, label }) => ({ value, label }))}
        value={params.get("type") ?? ""}
        onChange={(event) => chooseType(event.currentTarget.value)}
      />
      <SavedViewsMenu list="credentials" columns={settings.isChosen ? settings.columns : null} />
      <p className={classes.count} role="status">
        {count}
      </p>
      {layout === "table" && <ColumnChoice columns={CREDENTIAL_COLUMNS} settings={settings} />}
      <LayoutSwitch layout={layout} onChange={onLayout} />
    </div>
  );
}

function NoCredentials({ isFiltered, onClear, addButton }: NoCredentialsProps) {
  if (isFiltered) {
    return (
      <EmptyState
        title="No credentials found"
        text="Try adjusting your search terms"
        icon={IconSearchOff}
        action={
          <Button variant="default" onClick={onClear}>
            Clear Search and Filter
          </Button>
        }
      />
    );
  }
  return (
    <EmptyState
      title="No credentials found"
      text={
        <>
          <span>Get started by adding your first credential</span>
          <br />
          Only you can see your vault. To share accounts with a team, add them to <Link to={paths.safes}>a safe</Link>.
        </>
      }
      icon={IconKey}
      action={addButton}
    />
  );
}

interface QuickViewDialogProps {
  credential: Credential;
  opened: boolean;
  onClose: () => void;
}

/** Shows one credential without leaving the list (VAULT-12, VAULT-13). */
function QuickViewDialog({ credential, opened, onClose }: QuickViewDialogProps) {
  return (
    <Modal opened={opened} onClose={onClose} title="Credential Details" size="lg">
      <Suspense fallback={<SectionLoading />}>
        <QuickView credential={credential} onClose={onClose} />
      </Suspense>
    </Modal>
  );
}
