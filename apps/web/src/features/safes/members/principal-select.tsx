// Searches users and groups on the server and selects one.
import { IconRobot, IconUser, IconUsersGroup } from "@tabler/icons-react";
import type { ReplyOf, findPrincipals } from "@strongroom/contract";
import type { ReactNode } from "react";
import { useUser } from "#shared/session/session-store.ts";
import { SearchSelect, twoLetters, type Found } from "#shared/ui/search-select.tsx";
import { groupValue } from "./principal-value.ts";
import { knownPrincipals, principals } from "../safes.queries.ts";

export interface PrincipalSelectProps {
  label: string;
  description?: ReactNode;
  required?: boolean;
  onlyPeople?: boolean;
  error?: ReactNode;
  value: Found | null;
  onChange: (found: Found | null) => void;
}

type Answer = ReplyOf<typeof findPrincipals>;
const ICON_SIZE = 16;

const peopleIn = (answer: Answer): Found[] =>
  answer.principals.flatMap(({ user_id: id, name, hint, is_machine }) =>
    id === null
      ? []
      : [
          is_machine
            ? { value: id, label: name, hint: "Machine identity", icon: <IconRobot size={ICON_SIZE} aria-hidden /> }
            : { value: id, label: name, hint: hint ?? undefined, icon: <IconUser size={ICON_SIZE} aria-hidden /> },
        ],
  );

const groupsIn = (answer: Answer): Found[] =>
  answer.principals.flatMap(({ group_id: id, name }) =>
    id === null
      ? []
      : [{ value: groupValue(id), label: name, hint: "Group", icon: <IconUsersGroup size={ICON_SIZE} aria-hidden /> }],
  );

const everyoneIn = (answer: Answer): Found[] => [...groupsIn(answer), ...peopleIn(answer)];

/** Users who may not search the directory must enter a whole address or the name of a group they belong to. */
const addressOrGroup = (text: string): string | null =>
  text.length < 2 ? "Enter a full email address, or the name of a group that you are in" : null;

export function PrincipalSelect({ onlyPeople = false, ...props }: PrincipalSelectProps) {
  const { role } = useUser();
  const foundIn = onlyPeople ? peopleIn : everyoneIn;
  if (role !== "admin" && role !== "manager") {
    return (
      <SearchSelect
        {...props}
        placeholder={onlyPeople ? "Email address" : "Email address or your group"}
        search={knownPrincipals}
        foundIn={foundIn}
        missingIn={addressOrGroup}
        nothingFound="No user with this email address"
      />
    );
  }
  return (
    <SearchSelect
      {...props}
      placeholder={onlyPeople ? "Search by name or email" : "Search people and groups"}
      search={principals}
      foundIn={foundIn}
      missingIn={twoLetters}
    />
  );
}
