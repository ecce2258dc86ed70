// Finds an account among those that can be requested; text that matches none is kept as free text.
import { Combobox, Loader, TextInput, useCombobox } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import type { RequestableAccount } from "@strongroom/contract";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { requestable } from "../access-requests.queries.ts";
import classes from "../list/jit-access-page.module.css";

const TYPING_PAUSE_MS = 250;

export interface PickedResource {
  text: string;
  /** Null means free text. */
  resource: RequestableAccount | null;
}

export interface ResourcePickerProps {
  label: string;
  picked: PickedResource;
  onPick: (picked: PickedResource) => void;
  error?: ReactNode;
  /** The form's name of the field, by which the form moves the focus to it. */
  "data-path"?: string;
  description?: ReactNode;
  /** Filters the offered accounts. */
  isOffered?: (resource: RequestableAccount) => boolean;
}

export function ResourcePicker({
  label,
  picked,
  onPick,
  error,
  "data-path": dataPath,
  description,
  isOffered,
}: ResourcePickerProps) {
  const combobox = useCombobox({ onDropdownClose: () => combobox.resetSelectedOption() });
  const [search] = useDebouncedValue(picked.resource === null ? picked.text.trim() : "", TYPING_PAUSE_MS);
  const found = useQuery(requestable(search));
  const resources = (found.data?.resources ?? []).filter((each) => isOffered?.(each) ?? true);

  return (
    <Combobox
      store={combobox}
      onOptionSubmit={(id) => {
        const resource = resources.find(({ account_id: accountId }) => accountId === id);
        if (resource !== undefined) onPick({ text: resource.name, resource });
        combobox.closeDropdown();
      }}
    >
      <Combobox.Target withExpandedAttribute>
        <TextInput
          label={label}
          required
          maxLength={200}
          autoComplete="off"
          placeholder="Search by account, host or safe"
          description={description}
          error={error}
          data-path={dataPath}
          rightSection={found.isFetching && <Loader size={14} aria-hidden />}
          value={picked.text}
          onChange={(event) => {
            onPick({ text: event.currentTarget.value, resource: null });
            combobox.openDropdown();
          }}
          onClick={() => combobox.openDropdown()}
          onFocus={() => combobox.openDropdown()}
          onBlur={() => combobox.closeDropdown()}
        />
      </Combobox.Target>
      <Combobox.Dropdown hidden={resources.length === 0}>
        <Combobox.Options labelledBy={undefined} aria-label={label} mah={260} style={{ overflowY: "auto" }}>
          {resources.map((resource) => (
            <Combobox.Option key={resource.account_id} value={resource.account_id}>
              <span className={classes.option}>
                <span>{resource.name}</span>
                <span className={classes.optionMore}>
                  {resource.username} on {resource.hostname_ip} · {resource.safe_name}
                </span>
              </span>
            </Combobox.Option>
          ))}
        </Combobox.Options>
      </Combobox.Dropdown>
    </Combobox>
  );
}
