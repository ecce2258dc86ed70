// The search (ACC-07), the filters, and the layout of the list.
import { Autocomplete, Select } from "@mantine/core";
import {
  ACCOUNT_VALIDATION_OF,
  SECRET_AGES,
  SYSTEM_TYPES,
  VERIFICATION_LABELS,
  VERIFICATION_STATUSES,
  listSafes,
  readSafe,
  type Account,
} from "@strongroom/contract";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useSearchParams } from "react-router";
import { queryOf } from "#shared/api/query.ts";
import { withParam } from "#shared/format/address.ts";
import { SavedViewsMenu } from "#shared/saved-views/saved-views-menu.tsx";
import { AddressSearch } from "#shared/ui/address-search.tsx";
import { ColumnChoice, LayoutSwitch, type Layout } from "#shared/ui/data-table-tools.tsx";
import type { TableSettings } from "#shared/ui/data-table-settings.ts";
import { FilterChips, FilterPopover, type FilterChip } from "#shared/ui/filter-chips.tsx";
import { SearchSelect } from "#shared/ui/search-select.tsx";
import { verificationLabel } from "#shared/ui/verification-badge.tsx";
import { systemTypeLabel } from "../account-labels.ts";
import { activePlatforms } from "../accounts.queries.ts";
import { ACCOUNT_COLUMNS } from "./account-columns.tsx";
import { FILTER_PARTS, filterOf, withoutFilters, type AccountFilter, type FilterPart } from "./account-filter.ts";
import classes from "./accounts-page.module.css";

const SYSTEMS = SYSTEM_TYPES.map((type) => ({ value: type, label: systemTypeLabel(type) }));
const VALIDATIONS = VERIFICATION_STATUSES.map((status) => ({
  value: ACCOUNT_VALIDATION_OF[status],
  label: VERIFICATION_LABELS[status],
}));
const ageLabel = (days: number): string => `Older than ${days} days`;
const AGES = SECRET_AGES.map((days) => ({ value: String(days), label: ageLabel(days) }));
const MOST_TAG = 40;

export interface AccountToolbarProps {
  accounts: readonly Account[];
  settings: TableSettings;
  layout: Layout;
  onLayout: (layout: Layout) => void;
}

export function AccountToolbar({ accounts, settings, layout, onLayout }: AccountToolbarProps) {
  const [params, setParams] = useSearchParams();
  const filter = filterOf(params);
  const chips = useChips(filter);
  const narrow = (part: string, value: string | null) =>
    setParams((before) => withParam(before, part, value ?? ""), { replace: true });
  return (
    <>
      <div className={classes.toolbar} role="search" aria-label="Accounts">
        <AddressSearch label="Search accounts" placeholder="Search accounts..." />
        <FilterPopover count={chips.length}>
          <FilterControls accounts={accounts} filter={filter} narrow={narrow} />
        </FilterPopover>
        <SavedViewsMenu list="accounts" columns={settings.isChosen ? settings.columns : null} />
        <div className={classes.looks}>
          {layout === "table" && <ColumnChoice columns={ACCOUNT_COLUMNS} settings={settings} />}
          <LayoutSwitch layout={layout} onChange={onLayout} />
        </div>
      </div>
      <FilterChips
        chips={chips}
        onRemove={(part) => narrow(part, null)}
        onClear={() => setParams(withoutFilters, { replace: true })}
      />
    </>
  );
}

interface FilterControlsProps {
  accounts: readonly Account[];
  filter: AccountFilter;
  narrow: (part: FilterPart, value: string | null) => void;
}

function FilterControls({ accounts, filter, narrow }: FilterControlsProps) {
  const platforms = useQuery(activePlatforms).data?.platforms ?? [];
  const safeName = useSafeName(filter.safe_id);
  return (
    <>
      <SearchSelect
        label="Safe"
        placeholder="Any safe"
        clearable
        value={filter.safe_id === undefined ? null : { value: filter.safe_id, label: safeName }}
        onChange={(found) => narrow("safe", found?.value ?? null)}
        search={(text) => queryOf(listSafes, { query: { search: text, limit: 20 } })}
        foundIn={({ safes }) => safes.map(({ id, name }) => ({ value: id, label: name }))}
      />
      <Select
        label="Platform"
        placeholder="Any platform"
        clearable
        searchable
        data={platforms.map(({ id, name }) => ({ value: id as string, label: name }))}
        value={filter.platform_id ?? null}
        onChange={(value) => narrow("platform", value)}
      />
      <Select
        label="System"
        placeholder="Any system"
        clearable
        searchable
        data={SYSTEMS}
        value={filter.system_type ?? null}
        onChange={(value) => narrow("system", value)}
      />
      <Select
        label="Validation"
        placeholder="Any validation"
        clearable
        data={VALIDATIONS}
        value={filter.validation_status ?? null}
        onChange={(value) => narrow("validation", value)}
      />
      <TagField key={filter.tag} tag={filter.tag} accounts={accounts} onChange={(tag) => narrow("tag", tag)} />
      <Select
        label="Password age"
        placeholder="Any age"
        clearable
        data={AGES}
        value={typeof filter.secret_age === "number" ? String(filter.secret_age) : null}
        onChange={(value) => narrow("age", value)}
      />
    </>
  );
}

interface TagFieldProps {
  tag: string | undefined;
  /** Their tags are suggested: INVARIANT: a user learns no tag of an account that they cannot see. */
  accounts: readonly Account[];
  onChange: (tag: string | null) => void;
}

/** Filters when a suggestion is chosen, on Enter, and when the field is left. */
function TagField({ tag, accounts, onChange }: TagFieldProps) {
  const [text, setText] = useState(tag ?? "");
  const known = [...new Set(accounts.flatMap(({ tags }) => tags))].toSorted();
  const apply = (value: string) => value.trim().toLowerCase() !== (tag ?? "") && onChange(value);
  return (
    <Autocomplete
      label="Tag"
      placeholder="Any tag"
      maxLength={MOST_TAG}
      limit={20}
      data={known}
      value={text}
      onChange={setText}
      onOptionSubmit={apply}
      onBlur={() => apply(text)}
      onKeyDown={(event) => event.key === "Enter" && apply(text)}
    />
  );
}

const HIDDEN_SAFE = "Only this safe";
const HIDDEN_PLATFORM = "Only this platform";

/** A link or a saved view may name a safe that the reader cannot see: then its name stays unknown. */
function useSafeName(id: string | undefined): string {
  const safe = useQuery({ ...queryOf(readSafe, { params: { id: id ?? "" } }), enabled: id !== undefined });
  return safe.data?.name ?? HIDDEN_SAFE;
}

function useChips(filter: AccountFilter): FilterChip[] {
  const safe = useSafeName(filter.safe_id);
  const { data } = useQuery({ ...activePlatforms, enabled: filter.platform_id !== undefined });
  const values: Record<FilterPart, [name: string, value: string | undefined]> = {
    safe: ["Safe", filter.safe_id && safe],
    platform: [
      "Platform",
      filter.platform_id && (data?.platforms.find(({ id }) => id === filter.platform_id)?.name ?? HIDDEN_PLATFORM),
    ],
    system: ["System", filter.system_type && systemTypeLabel(filter.system_type)],
    validation: ["Validation", filter.validation_status && verificationLabel(filter.validation_status)],
    tag: ["Tag", filter.tag],
    age: ["Password", filter.secret_age === undefined ? undefined : ageLabel(Number(filter.secret_age)).toLowerCase()],
  };
  return FILTER_PARTS.flatMap((part) => {
    const [name, value] = values[part];
    return value === undefined ? [] : [{ part, name, value }];
  });
}
