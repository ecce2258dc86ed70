// Account Management: searches, filters and manages the accounts that the caller can see (ACC-01 to ACC-15).
import { Button } from "@mantine/core";
import { IconPlus, IconRefresh } from "@tabler/icons-react";
import { useQuery, useQueryClient, type QueryClient } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { useSearchParams } from "react-router";
import { withParam } from "#shared/format/address.ts";
import { RotationRunCard } from "#shared/rotation/rotation-run-card.tsx";
import { VerificationRunCard } from "#shared/runs/verification-run-card.tsx";
import { PageHeader } from "#shared/ui/page-header.tsx";
import { PageTabs } from "#shared/ui/page-tabs.tsx";
import { useLayout } from "#shared/ui/data-table-tools.tsx";
import { useTableSettings } from "#shared/ui/data-table-settings.ts";
import { ACCOUNT_COLUMNS } from "./account-columns.tsx";
import { filterOf, tabOf } from "./account-filter.ts";
import { CreateAccountDialog } from "../form/account-form-dialogs.tsx";
import { AccountGrid } from "./account-grid.tsx";
import { useAccountList } from "./use-account-list.ts";
import { AccountMenu } from "../actions/account-menu.tsx";
import { AccountStatistics } from "./account-statistics.tsx";
import { AccountToolbar } from "./account-toolbar.tsx";
import classes from "./accounts-page.module.css";
import { accountList, refreshLists, statistics } from "../accounts.queries.ts";
import { BulkBar } from "../bulk/bulk-bar.tsx";
import { ImportDialog } from "./import-dialog.tsx";
import { useLiveAccounts } from "../live-accounts.ts";
import type { AccountRun } from "../bulk/bulk-accounts.queries.ts";
import { runningRotations } from "#shared/rotation/rotation.queries.ts";
import { useSelection } from "../bulk/use-selection.ts";

interface FollowedRuns {
  runs: readonly AccountRun[];
  /** Adds a run that has just started. */
  follow: (run: AccountRun) => void;
  /** Hides the run until the page is opened again. */
  dismiss: (run: AccountRun) => void;
}

export default function AccountsPage() {
  const [params, setParams] = useSearchParams();
  const filter = filterOf(params);
  const client = useQueryClient();
  const figures = useQuery(statistics);
  const list = useAccountList(filter);
  const accounts = useMemo(() => list.data?.pages.flatMap((page) => page.data) ?? [], [list.data]);
  const selection = useSelection(accounts);
  const settings = useTableSettings("accounts", ACCOUNT_COLUMNS);
  // A filter that leaves a few accounts does not change the layout.
  const [layout, setLayout] = useLayout("accounts", Math.max(figures.data?.total ?? 0, accounts.length));
  const [dialog, setDialog] = useState<"create" | "import" | null>(null);
  const { runs, follow, dismiss } = useFollowedRuns();
  const close = () => setDialog(null);
  useLiveAccounts();

  const addButton = (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setDialog("create")}>
      Add Account
    </Button>
  );
  return (
    <>
      <PageHeader
        title="Account Management"
        subtitle="Shared privileged accounts, their safes and their verification status"
        actions={
          <>
            <Button
              variant="default"
              leftSection={<IconRefresh size={16} aria-hidden />}
              onClick={() => refreshLists(client)}
              loading={list.isRefetching}
            >
              Refresh
            </Button>
            {addButton}
            <AccountMenu
              filter={filter}
              onImport={() => setDialog("import")}
              onSelect={selection.begin}
              canSelect={accounts.length > 0}
            />
          </>
        }
      />
      <AccountStatistics figures={figures.data} />
      {runs.map((run) => (
        <FollowedRun key={run.id} run={run} onDismiss={() => dismiss(run)} />
      ))}
      <AccountToolbar accounts={accounts} settings={settings} layout={layout} onLayout={setLayout} />
      <PageTabs
        label="Accounts"
        value={tabOf(params)}
        onChange={(tab) => setParams((before) => withParam(before, "tab", tab === "all" ? "" : tab))}
        tabs={[
          { value: "all", label: "All Accounts", count: figures.data?.total },
          { value: "rotation-due", label: "Rotation Due", count: figures.data?.requiring_rotation },
          { value: "active", label: "Active", count: figures.data?.active },
        ]}
      >
        <AccountGrid
          list={list}
          accounts={accounts}
          filter={filter}
          selection={selection}
          addButton={addButton}
          layout={layout}
          settings={settings}
        />
      </PageTabs>
      {selection.ids !== null && <BulkBar selection={selection} accounts={accounts} onRun={follow} />}
      <CreateAccountDialog opened={dialog === "create"} onClose={close} safeId={filter.safe_id} />
      <ImportDialog opened={dialog === "import"} onClose={close} />
    </>
  );
}

AccountsPage.prefetch = (client: QueryClient, params: URLSearchParams) => {
  void client.prefetchInfiniteQuery(accountList(filterOf(params)));
  void client.prefetchQuery(statistics);
};

/** The progress of a bulk action. */
function FollowedRun({ run, onDismiss }: { run: AccountRun; onDismiss: () => void }) {
  return (
    <div className={classes.run}>
      {run.kind === "rotation" ? (
        <RotationRunCard id={run.id} onDismiss={onDismiss} />
      ) : (
        <VerificationRunCard id={run.id} onDismiss={onDismiss} />
      )}
    </div>
  );
}

/** The newest first. A run stays after its end until it is dismissed. */
function useFollowedRuns(): FollowedRuns {
  const [started, setBegun] = useState<readonly AccountRun[]>([]);
  const [dismissed, setDismissed] = useState<readonly string[]>([]);
  const { data } = useQuery(runningRotations);
  const known = new Set<string>([...started.map(({ id }) => id), ...dismissed]);
  const left = (data?.runs ?? []).filter(({ id }) => !known.has(id));
  return {
    runs: [...started, ...left.map(({ id }): AccountRun => ({ kind: "rotation", id }))],
    follow: (run) => setBegun((before) => [run, ...before]),
    dismiss: ({ id }) => {
      setBegun((before) => before.filter((run) => run.id !== id));
      setDismissed((before) => [...before, id]);
    },
  };
}
