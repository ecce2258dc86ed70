// Chooses a person or a group by searching for them on the server.
import { IconRobot, IconUser, IconUsersGroup } from "@tabler/icons-react";
import { isMachineAddress, type ReplyOf, type findPrincipals } from "@strongroom/contract";
import type { ReactNode } from "react";
import { SearchSelect, type Found } from "#shared/ui/search-select.tsx";
import { groupValue } from "./principal-value.ts";
import { principals } from "./safes.queries.ts";

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
  answer.principals.flatMap(({ user_id: id, name, email }) =>
    id === null
      ? []
      : [
          isMachineAddress(email)
            ? { value: id, label: name, hint: "Machine identity", icon: <IconRobot size={ICON_SIZE} aria-hidden /> }
            : { value: id, label: name, hint: email ?? undefined, icon: <IconUser size={ICON_SIZE} aria-hidden /> },
        ],
  );

const groupsIn = (answer: Answer): Found[] =>
  answer.principals.flatMap(({ group_id: id, name }) =>
    id === null
      ? []
      : [{ value: groupValue(id), label: name, hint: "Group", icon: <IconUsersGroup size={ICON_SIZE} aria-hidden /> }],
  );

const everyoneIn = (answer: Answer): Found[] => [...groupsIn(answer), ...peopleIn(answer)];

export function PrincipalSelect({ onlyPeople = false, ...props }: PrincipalSelectProps) {
  return (
    <SearchSelect
      {...props}
      placeholder={onlyPeople ? "Search by name or email" : "Search people and groups"}
      search={principals}
      foundIn={onlyPeople ? peopleIn : everyoneIn}
    />
  );
}
