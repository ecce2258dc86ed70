// One host: its accounts, discovery targets with findings, verifications and sessions, as far as the caller can see them.
import { Button } from "@mantine/core";
import { IconArrowLeft, IconServerOff } from "@tabler/icons-react";
import type { Account } from "@strongroom/contract";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link, useParams } from "react-router";
import { messageOf } from "#shared/api/call-error.ts";
import { paths } from "#shared/paths.ts";
import { counted } from "#shared/format/text.ts";
import { systemLabel } from "#shared/runs/system-label.ts";
import { LoadMore } from "#shared/ui/load-more.tsx";
import { nextPageOf, type PagedList } from "#shared/ui/next-page.ts";
import { TableSkeleton } from "#shared/ui/data-table-tools.tsx";
import { useTableSettings } from "#shared/ui/data-table-settings.ts";
import { DataTable, type DataColumn } from "#shared/ui/data-table.tsx";
import { DetailColumns, DetailHeader, type ParentList } from "#shared/ui/detail-page.tsx";
import { Row, RowDetail, RowList } from "#shared/ui/row-list.tsx";
import { SectionCard } from "#shared/ui/section-card.tsx";
import { EmptyState, ErrorState } from "#shared/ui/states.tsx";
import { TagList } from "#shared/ui/tag-list.tsx";
import { VerificationBadge } from "#shared/ui/verification-badge.tsx";
import { HostTargets } from "./host-targets.tsx";
import { HostAttempts, HostSessions } from "./host-activity.tsx";
import { accountsOnHost, targetsOnHost } from "./hosts.queries.ts";

const LIST: ParentList = { to: paths.accounts, title: "Account Management", backLabel: "Back to Accounts" };

const COLUMNS: readonly DataColumn<Account>[] = [
  { id: "username", header: "Username", width: 7, cell: ({ username }) => username, title: ({ username }) => username },
  {
    id: "name",
    header: "Name",
    width: 8,
    grow: 1.5,
    cell: ({ name }) => name,
    title: ({ name }) => name,
    stacked: "line",
  },
  {
    id: "service",
    header: "Service",
    width: 7,
    cell: serviceOf,
    title: serviceOf,
    stacked: "line",
  },
  { id: "safe", header: "Safe", width: 7, cell: ({ safe_name }) => safe_name, stacked: "line", isRoomy: true },
  {
    id: "validation",
    header: "Validation",
    width: 8,
    grow: 0,
    cell: ({ last_validation_status, host_key_alarm }) => (
      <VerificationBadge status={last_validation_status} isHostKeyChanged={host_key_alarm !== null} />
    ),
    stacked: "badge",
  },
  {
    id: "tags",
    header: "Tags",
    width: 6,
    cell: ({ tags }) => <TagList tags={tags} />,
    stacked: "badge",
    isRoomy: true,
  },
];

/** "PostgreSQL · 5432". */
function serviceOf({ system_type: type, port }: Account): string {
  return port === null ? systemLabel(type) : `${systemLabel(type)} · ${port}`;
}

export default function HostPage() {
  const { name = "" } = useParams();
  const accounts = useInfiniteQuery(accountsOnHost(name));
  const targets = useQuery(targetsOnHost(name));
  const found = accounts.data?.pages.flatMap((page) => page.data) ?? [];
  const seenTargets = targets.data?.data ?? [];

  if (accounts.isPending || targets.isLoading) return <TableSkeleton text="Loading host..." />;
  if (accounts.data === undefined)
    return <ErrorState message={messageOf(accounts.error)} onRetry={() => void accounts.refetch()} isPage />;
  const header = <DetailHeader list={LIST} title={name} subtitle={subtitleOf(found, seenTargets.length)} />;
  if (found.length === 0 && seenTargets.length === 0) return <NoHost />;
  return (
    <>
      {header}
      <DetailColumns
        main={
          <>
            <SectionCard title="Accounts">
              {found.length === 0 ? (
                <p>No account on this host that you can see.</p>
              ) : (
                <HostAccounts accounts={found} list={accounts} />
              )}
              {accounts.isFetchNextPageError && <LoadMore of={accounts} />}
            </SectionCard>
            <HostAttempts host={name} />
          </>
        }
        side={
          <>
            <Services accounts={found} />
            <HostTargets targets={seenTargets} />
            <HostSessions host={name} />
          </>
        }
      />
    </>
  );
}

function subtitleOf(accounts: readonly Account[], targets: number): string {
  const parts = [counted(accounts.length, "account")];
  if (targets > 0) parts.push(counted(targets, "discovery target"));
  return parts.join(" · ");
}

/** The same page for a host that does not exist and for one of which the caller sees nothing. */
function NoHost() {
  return (
    <EmptyState
      icon={IconServerOff}
      title="Host not found"
      text="No account or discovery target that you can see is on a host with this name."
      action={
        <Button component={Link} to={LIST.to} variant="default" leftSection={<IconArrowLeft size={16} aria-hidden />}>
          {LIST.backLabel}
        </Button>
      }
    />
  );
}

const nameOf = ({ username, name }: Account): string => `${username} (${name})`;
const linkOf = ({ id }: Account): string => paths.account(id);

interface HostAccountsProps {
  accounts: readonly Account[];
  list: PagedList;
}

function HostAccounts({ accounts, list }: HostAccountsProps) {
  const settings = useTableSettings("host-accounts", COLUMNS);
  return (
    <DataTable
      label="Accounts on this host"
      rows={accounts}
      columns={COLUMNS}
      settings={settings}
      nameOf={nameOf}
      linkOf={linkOf}
      {...nextPageOf(list)}
    />
  );
}

/** The services of the accounts: system and port, with the number of accounts. */
function Services({ accounts }: { accounts: readonly Account[] }) {
  const services = [...Map.groupBy(accounts, serviceOf)].toSorted(([a], [b]) => a.localeCompare(b));
  if (services.length === 0) return null;
  return (
    <SectionCard title="Services">
      <RowList label="Services">
        {services.map(([service, on]) => (
          <Row key={service} name={service}>
            <RowDetail>{counted(on.length, "account")}</RowDetail>
          </Row>
        ))}
      </RowList>
    </SectionCard>
  );
}
