// Search fields for safes, groups and people, shared by the forms of access control.
import { IconUser, IconUsersGroup } from "@tabler/icons-react";
import type { ReplyOf, findPrincipals, listGroups, listSafes } from "@strongroom/contract";
import { useState, type ReactNode } from "react";
import { SearchSelect, twoLetters, type Found } from "#shared/ui/search-select.tsx";
import { groupsFound, principalsFound, safesFound } from "./access-control.queries.ts";

const ICON = 16;

export interface FieldProps {
  /** The id of the selected entry; empty when the field is cleared. */
  onChange: (id: string) => void;
  error?: ReactNode;
}

function useChoice(onChange: FieldProps["onChange"]) {
  const [chosen, setChosen] = useState<Found | null>(null);
  return {
    value: chosen,
    onChange: (next: Found | null) => {
      setChosen(next);
      onChange(next?.value ?? "");
    },
  };
}

const safesIn = ({ safes }: ReplyOf<typeof listSafes>): Found[] =>
  safes.map(({ id, name, owner_name }) => ({ value: id, label: name, hint: `Owner: ${owner_name}` }));

export function SafeField({ onChange, error }: FieldProps) {
  return (
    <SearchSelect
      label="Safe"
      placeholder="Search safes"
      search={safesFound}
      foundIn={safesIn}
      nothingFound="No safes where you can manage members"
      error={error}
      {...useChoice(onChange)}
    />
  );
}

const groupsIn = ({ groups }: ReplyOf<typeof listGroups>): Found[] =>
  groups.map(({ id, name }) => ({ value: id, label: name, icon: <IconUsersGroup size={ICON} aria-hidden /> }));

export function GroupField({ onChange, error }: FieldProps) {
  return (
    <SearchSelect
      label="Group"
      placeholder="Search groups"
      search={groupsFound}
      foundIn={groupsIn}
      nothingFound="No matching group"
      error={error}
      {...useChoice(onChange)}
    />
  );
}

type Principals = ReplyOf<typeof findPrincipals>["principals"];

const toFound = ({ user_id, group_id, name, hint }: Principals[number]): Found =>
  user_id === null
    ? { value: `group:${group_id}`, label: name, hint: "Group", icon: <IconUsersGroup size={ICON} aria-hidden /> }
    : { value: `user:${user_id}`, label: name, hint: hint ?? undefined, icon: <IconUser size={ICON} aria-hidden /> };

interface PrincipalFieldProps extends FieldProps {
  label: string;
  onlyPeople?: boolean;
}

/** The value is `user:…` or `group:…`. */
export function PrincipalField({ label, onlyPeople = false, onChange, error }: PrincipalFieldProps) {
  return (
    <SearchSelect
      label={label}
      placeholder={onlyPeople ? "Search by name or email" : "Search people and groups"}
      search={principalsFound}
      foundIn={({ principals }: ReplyOf<typeof findPrincipals>) =>
        principals.filter(({ user_id }) => !onlyPeople || user_id !== null).map(toFound)
      }
      missingIn={twoLetters}
      error={error}
      {...useChoice(onChange)}
    />
  );
}
