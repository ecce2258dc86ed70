// The accounts of one safe, each linked to its page; bulk actions are on the accounts page.
import { Button, Table } from "@mantine/core";
import { IconArrowRight, IconPlus, IconUserShield } from "@tabler/icons-react";
import type { Account, Safe } from "@strongroom/contract";
import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "react-router";
import { paths } from "#shared/paths.ts";
import { capitalised } from "#shared/format/text.ts";
import { Loaded } from "#shared/ui/loaded.tsx";
import { LoadMore } from "#shared/ui/load-more.tsx";
import { RelativeTime } from "#shared/ui/relative-time.tsx";
import { SectionCard } from "#shared/ui/section-card.tsx";
import { EmptyState } from "#shared/ui/states.tsx";
import { Tag } from "#shared/ui/tag.tsx";
import { may } from "../safe-labels.ts";
import { safeAccounts } from "../safes.queries.ts";
import classes from "../safes.module.css";

const ICON_SIZE = 16;
export function SafeAccounts({ safe }: { safe: Safe }) {
  const accounts = useInfiniteQuery(safeAccounts(safe.id));
  const addLink = may(safe, "add") && (
    <Button
      component={Link}
      to={paths.accountsIn(safe.id)}
      size="compact-md"
      leftSection={<IconPlus size={ICON_SIZE} aria-hidden />}
    >
      Add Accounts
    </Button>
  );
  return (
    <SectionCard
      title="Accounts"
      description="Their passwords are encrypted with this safe's own key."
      actions={
        <div className={classes.buttons}>
          <Button
            component={Link}
            to={paths.accountsIn(safe.id)}
            variant="default"
            size="compact-md"
            rightSection={<IconArrowRight size={ICON_SIZE} aria-hidden />}
          >
            Open in Accounts
          </Button>
        </div>
      }
    >
      <Loaded query={accounts}>
        {({ pages }) => {
          const found = pages.flatMap((page) => page.data);
          if (found.length === 0) {
            return (
              <EmptyState
                icon={IconUserShield}
                title="No accounts in this safe"
                text="Accounts in a safe are shared with its members."
                action={addLink}
              />
            );
          }
          return (
            <>
              <AccountTable accounts={found} />
              <LoadMore of={accounts} />
            </>
          );
        }}
      </Loaded>
    </SectionCard>
  );
}

function AccountTable({ accounts }: { accounts: readonly Account[] }) {
  return (
    <Table verticalSpacing="xs" horizontalSpacing={6} highlightOnHover layout="fixed" aria-label="Accounts">
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Account</Table.Th>
          <Table.Th className={classes.wide}>Platform</Table.Th>
          <Table.Th className={classes.wide}>Last Accessed</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {accounts.map((account) => (
          <Table.Tr key={account.id}>
            <Table.Td>
              <Link className={classes.itemName} to={paths.account(account.id)}>
                {account.name}
              </Link>{" "}
              {account.status !== "active" && <Tag>{capitalised(account.status)}</Tag>}
              <p className={classes.hint}>
                {account.username} · {account.hostname_ip}
              </p>
            </Table.Td>
            <Table.Td className={classes.wide}>{account.platform_name}</Table.Td>
            <Table.Td className={classes.wide}>
              <RelativeTime moment={account.last_accessed} />
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}
