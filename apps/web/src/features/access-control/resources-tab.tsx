// The Resources tab: everyone who can use or retrieve an account of a safe now, and why.
import { Button, SegmentedControl, Table, VisuallyHidden } from "@mantine/core";
import { IconSearchOff } from "@tabler/icons-react";
import type { AccessSafe } from "@strongroom/contract";
import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link, useSearchParams } from "react-router";
import { paths } from "#shared/paths.ts";
import { isCallError } from "#shared/api/call-error.ts";
import { choiceOf, searchOf, withParam } from "#shared/format/address.ts";
import { counted } from "#shared/format/text.ts";
import { AccessList } from "#shared/ui/access-list.tsx";
import { AccountSelect } from "#shared/ui/account-select.tsx";
import { AddressSearch } from "#shared/ui/address-search.tsx";
import { Loaded } from "#shared/ui/loaded.tsx";
import { LoadMore } from "#shared/ui/load-more.tsx";
import { Modal } from "#shared/ui/modal.tsx";
import { RelativeTime } from "#shared/ui/relative-time.tsx";
import type { Found } from "#shared/ui/search-select.tsx";
import { SectionCard } from "#shared/ui/section-card.tsx";
import { EmptyState } from "#shared/ui/states.tsx";
import { accessToAccount, accessToSafe, visibleSafes } from "./access-control.queries.ts";
import classes from "./access-control.module.css";

const KINDS = ["safes", "accounts"] as const;

export function ResourcesTab() {
  const [params, setParams] = useSearchParams();
  const kind = choiceOf(params, "kind", KINDS);
  return (
    <>
      <SegmentedControl
        className={classes.kinds}
        aria-label="Resource type"
        data={[
          { value: "safes", label: "Safes" },
          { value: "accounts", label: "Accounts" },
        ]}
        value={kind}
        onChange={(next) => setParams((before) => withParam(before, "kind", next === "safes" ? "" : next))}
      />
      {kind === "safes" ? <Safes /> : <OneAccount />}
    </>
  );
}

function Safes() {
  const [params] = useSearchParams();
  const list = useInfiniteQuery({ ...visibleSafes(searchOf(params)), placeholderData: keepPreviousData });
  const [chosen, setChosen] = useState<AccessSafe | null>(null);
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <div className={classes.toolbar} role="search" aria-label="Safes">
        <AddressSearch label="Search safes" placeholder="Search safes by name" />
      </div>
      <Loaded query={list} failureText="Failed to load safes">
        {({ pages }) => {
          const safes = pages.flatMap((page) => page.safes);
          if (safes.length === 0) {
            const text = "You see the safes where you can manage members or view the audit trail.";
            return <EmptyState icon={IconSearchOff} title="No safes found" text={text} />;
          }
          return (
            <>
              <SafesTable
                safes={safes}
                onOpen={(safe) => {
                  setChosen(safe);
                  setIsOpen(true);
                }}
              />
              <LoadMore of={list} />
            </>
          );
        }}
      </Loaded>
      {chosen !== null && (
        <Modal opened={isOpen} onClose={() => setIsOpen(false)} title={`Access to ${chosen.name}`} size="lg" isShort>
          <Access id={chosen.safe_id} of="safe" />
        </Modal>
      )}
    </>
  );
}

function SafesTable({ safes, onOpen }: { safes: readonly AccessSafe[]; onOpen: (safe: AccessSafe) => void }) {
  return (
    <div className={classes.card}>
      <Table verticalSpacing="xs" highlightOnHover aria-label="Safes">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Safe</Table.Th>
            <Table.Th className={classes.number}>People</Table.Th>
            <Table.Th className={classes.number}>Accounts</Table.Th>
            <Table.Th className={classes.numberWide}>Active Access</Table.Th>
            <Table.Th className={classes.wide}>Reviewed</Table.Th>
            <Table.Th className={classes.end}>
              <VisuallyHidden component="span">Actions</VisuallyHidden>
            </Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {safes.map((safe) => (
            <Table.Tr key={safe.safe_id}>
              <Table.Td>
                <Link className={classes.nameLink} to={paths.safe(safe.safe_id, "members")}>
                  {safe.name}
                </Link>
                <p className={classes.hint}>
                  Owner: {safe.owner_name}
                  {safe.status !== "active" && ` · ${safe.status}`}
                </p>
                <p className={classes.narrowOnly}>
                  {counted(safe.people, "person", "people")} · {counted(safe.accounts, "account")}
                </p>
              </Table.Td>
              <Table.Td className={classes.number}>{safe.people.toLocaleString()}</Table.Td>
              <Table.Td className={classes.number}>{safe.accounts.toLocaleString()}</Table.Td>
              <Table.Td className={classes.numberWide}>{safe.grants.toLocaleString()}</Table.Td>
              <Table.Td className={classes.wide}>
                <RelativeTime moment={safe.reviewed_at} />
              </Table.Td>
              <Table.Td className={classes.end}>
                <Button
                  size="compact-sm"
                  variant="default"
                  aria-label={`View access to ${safe.name}`}
                  onClick={() => onOpen(safe)}
                >
                  View Access
                </Button>
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  );
}

function OneAccount() {
  const [account, setAccount] = useState<Found | null>(null);
  return (
    <SectionCard title="Access to an Account" description="Everyone who can use or retrieve it now, and why.">
      <div className={classes.field}>
        <AccountSelect
          label="Account"
          placeholder="Search by name, user or host"
          value={account}
          onChange={setAccount}
        />
      </div>
      {account !== null && <Access key={account.value} id={account.value} of="account" />}
    </SectionCard>
  );
}

function Access({ id, of }: { id: string; of: "safe" | "account" }) {
  const access = useInfiniteQuery(of === "safe" ? accessToSafe(id) : accessToAccount(id));
  if (isCallError(access.error) && access.error.status === 403) {
    const text = "You need permission to manage members or view the audit trail of its safe.";
    return <EmptyState title="You cannot see who has access" text={text} />;
  }
  return (
    <Loaded query={access}>
      {({ pages }) => {
        const found = pages.flatMap((page) => page.access);
        const people = new Set(found.map(({ user_id }) => user_id)).size;
        return (
          <>
            {found.length > 0 && !access.hasNextPage && (
              <p className={classes.lead}>{counted(people, "person", "people")} in total.</p>
            )}
            <AccessList access={found} footer={<LoadMore of={access} />} />
          </>
        );
      }}
    </Loaded>
  );
}
