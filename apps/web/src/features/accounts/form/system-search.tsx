// The search with which "Create New Account" starts: a system sets its type, method, port, protocol and platform.
import { Select, type ComboboxItem, type OptionsFilter } from "@mantine/core";
import { IconSearch } from "@tabler/icons-react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { messageOf } from "#shared/api/call-error.ts";
import { ConnectorIcon, ConnectorOption } from "#shared/connectors/connector-icon.tsx";
import { connectorList } from "#shared/connectors/connectors.queries.ts";
import { toast } from "#shared/ui/toast.ts";
import { activePlatforms } from "../accounts.queries.ts";
import classes from "./account-form.module.css";
import type { AccountFormControl } from "./account-form-values.ts";
import { SYSTEMS, isChosen, matchingSystems, platformSystems, valuesOfSystem, type FoundSystem } from "./systems.ts";

export function SystemSearch({ form }: { form: AccountFormControl }) {
  const client = useQueryClient();
  const platforms = useQuery(activePlatforms).data?.platforms ?? [];
  const [chosen, setChosen] = useState<FoundSystem | null>(null);
  const inputRef = useRef<HTMLInputElement>(null);
  // Once this lazy form is loaded, the dialog has set its initial focus already.
  useEffect(() => inputRef.current?.focus(), []);
  const systems = [...platformSystems(platforms), ...SYSTEMS];
  const iconOf = (value: string) => systems.find(({ id }) => id === value)?.icon;
  const current = chosen !== null && isChosen(chosen, form.values) ? chosen : null;

  // A fast user chooses before the connectors and platforms are loaded.
  async function choose(found: FoundSystem): Promise<void> {
    setChosen(found);
    try {
      const [{ connectors }, { platforms: loaded }] = await Promise.all([
        client.ensureQueryData(connectorList),
        client.ensureQueryData(activePlatforms),
      ]);
      form.setValues(valuesOfSystem(found, { values: form.getValues(), connectors, platforms: loaded }));
    } catch (error) {
      toast.error(messageOf(error), { title: "The system could not be chosen" });
    }
  }

  return (
    <Select
      ref={inputRef}
      data-autofocus
      className={classes.whole}
      label="System"
      placeholder="Search: postgres, linux, cisco…"
      description="Fills in the type, method, port, protocol and platform"
      data={groupsOf(systems)}
      searchable
      openOnFocus={false}
      // Otherwise a fast user's Enter finds no highlighted option, because opening the list removes the highlight.
      selectFirstOptionOnDropdownOpen
      maxDropdownHeight={320}
      allowDeselect={false}
      nothingFoundMessage="No matching system. Choose a system type below."
      leftSection={current === null ? <IconSearch size={16} aria-hidden /> : <ConnectorIcon name={current.icon} />}
      renderOption={({ option }) => <ConnectorOption icon={iconOf(option.value)} label={option.label} />}
      filter={filterOf(systems)}
      value={current?.id ?? null}
      onChange={(id) => {
        const found = systems.find((each) => each.id === id);
        if (found !== undefined) void choose(found);
      }}
    />
  );
}

const itemOf = ({ id, label }: FoundSystem): ComboboxItem => ({ value: id, label });

const groupsOf = (systems: readonly FoundSystem[]) =>
  [...Map.groupBy(systems, ({ group }) => group)].map(([group, found]) => ({ group, items: found.map(itemOf) }));

/** While a search is typed, the best match comes first, so groups are left out. */
const filterOf =
  (systems: readonly FoundSystem[]): OptionsFilter =>
  ({ options, search }) =>
    search.trim() === "" ? options : matchingSystems(systems, search).map(itemOf);
