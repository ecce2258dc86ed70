// The People tab: each person with their roles and the number of accounts they can access now.
import { Select, Table } from "@mantine/core";
import { IconUrgent, IconUserOff } from "@tabler/icons-react";
import { ROLES, type AccessPerson } from "@strongroom/contract";
import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { Link, useSearchParams } from "react-router";
import { searchOf, withParam } from "#shared/format/address.ts";
import { counted } from "#shared/format/text.ts";
import { AddressSearch } from "#shared/ui/address-search.tsx";
import { Loaded } from "#shared/ui/loaded.tsx";
import { LoadMore } from "#shared/ui/load-more.tsx";
import { EmptyState } from "#shared/ui/states.tsx";
import { Tag } from "#shared/ui/tag.tsx";
import { ROLE_LABELS } from "./access-labels.ts";
import { people } from "./access-control.queries.ts";
import classes from "./access-control.module.css";

export function PeopleTab() {
  const [params, setParams] = useSearchParams();
  const role = ROLES.find((each) => each === params.get("role"));
  const list = useInfiniteQuery({ ...people({ search: searchOf(params), role }), placeholderData: keepPreviousData });
  return (
    <>
      <div className={classes.toolbar} role="search" aria-label="People">
        <AddressSearch label="Search people" placeholder="Search people by name or email" />
        <Select
          className={classes.choice}
          aria-label="Role"
          data={[{ value: "", label: "All roles" }, ...ROLES.map((value) => ({ value, label: ROLE_LABELS[value] }))]}
          value={role ?? ""}
          allowDeselect={false}
          onChange={(next) => setParams((before) => withParam(before, "role", next ?? ""), { replace: true })}
        />
      </div>
      <Loaded query={list} failureText="Failed to load people">
        {({ pages }) => {
          const found = pages.flatMap((page) => page.people);
          if (found.length === 0) {
            return <EmptyState icon={IconUserOff} title="No people found" text="No people match your search." />;
          }
          return (
            <>
              <PeopleTable people={found} />
              <LoadMore of={list} />
            </>
          );
        }}
      </Loaded>
    </>
  );
}

function PeopleTable({ people: shown }: { people: readonly AccessPerson[] }) {
  return (
    <div className={classes.card}>
      <Table verticalSpacing="xs" highlightOnHover aria-label="People">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Person</Table.Th>
            <Table.Th className={classes.wide}>Role</Table.Th>
            <Table.Th className={classes.number}>Safes</Table.Th>
            <Table.Th className={classes.number}>Can Use</Table.Th>
            <Table.Th className={classes.number}>Can Retrieve</Table.Th>
            <Table.Th className={classes.numberWide}>Active Access</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {shown.map((person) => (
            <PersonRow key={person.user_id} person={person} />
          ))}
        </Table.Tbody>
      </Table>
    </div>
  );
}

const personAddress = (id: string): string => `?person=${id}`;

function PersonRow({ person }: { person: AccessPerson }) {
  return (
    <Table.Tr>
      <Table.Td>
        <Link className={classes.nameLink} to={personAddress(person.user_id)}>
          {person.name}
        </Link>
        <p className={classes.hint}>{person.email}</p>
        <p className={classes.narrowOnly}>
          {ROLE_LABELS[person.role]} · {counted(person.safes, "safe")} · {person.accounts_usable.toLocaleString()} to
          use, {person.accounts_retrievable.toLocaleString()} to retrieve
        </p>
        <p className={classes.tags}>
          {person.kind === "machine" && <Tag>Machine</Tag>}
          {person.status === "disabled" && <Tag>Disabled</Tag>}
          {person.may_break_glass && (
            <Tag tone="warning" icon={<IconUrgent size={13} aria-hidden />}>
              Emergency access
            </Tag>
          )}
        </p>
      </Table.Td>
      <Table.Td className={classes.wide}>
        <Tag tone={person.role === "admin" ? "info" : "neutral"}>{ROLE_LABELS[person.role]}</Tag>
      </Table.Td>
      <Table.Td className={classes.number}>{person.safes.toLocaleString()}</Table.Td>
      <Table.Td className={classes.number}>{person.accounts_usable.toLocaleString()}</Table.Td>
      <Table.Td className={classes.number}>{person.accounts_retrievable.toLocaleString()}</Table.Td>
      <Table.Td className={classes.numberWide}>{person.grants.toLocaleString()}</Table.Td>
    </Table.Tr>
  );
}
