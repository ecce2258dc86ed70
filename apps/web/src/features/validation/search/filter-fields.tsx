// The fields of the search filter (FILTER-02 to FILTER-07).
import { Checkbox, MultiSelect, SimpleGrid, TextInput } from "@mantine/core";
import {
  JIT_ASSOCIATIONS,
  VALIDATION_STATUS_FILTERS,
  VERIFICATION_CAUSES,
  causeOf,
  type ValidationFilter,
} from "@strongroom/contract";
import { useQuery } from "@tanstack/react-query";
import { capitalised } from "#shared/format/text.ts";
import { MOST_SEARCHED } from "#shared/ui/address-search.tsx";
import { verificationLabel } from "#shared/ui/verification-badge.tsx";
import classes from "./filter-panel.module.css";
import { dayOf, withDay } from "./search-filter.ts";
import { filterChoices } from "../validation.queries.ts";

type Period = ValidationFilter["created"];

interface PeriodFieldsProps {
  label: string;
  period: Period;
  onChange: (period: Period) => void;
}

const STATUS_CHOICES = VALIDATION_STATUS_FILTERS.map((value) => ({ value, label: verificationLabel(value) }));
/** A cause in the address that this version does not know stays a choice. */
const causeChoices = (chosen: readonly string[]) =>
  [...new Set([...VERIFICATION_CAUSES, ...chosen])].map((value) => ({ value, label: causeOf(value).text }));
const JIT_CHOICES = JIT_ASSOCIATIONS.map((value) => ({ value, label: capitalised(value) }));

/** Props of a multi-select field. */
const several = <T extends string>(value: readonly T[], onChange: (value: T[]) => void) => ({
  value: [...value],
  onChange: (next: string[]) => onChange(next as T[]),
  clearable: true,
  placeholder: value.length === 0 ? "Any" : undefined,
});

export interface FilterFieldsProps {
  filter: ValidationFilter;
  onChange: (part: Partial<ValidationFilter>) => void;
}

export function FilterFields({ filter, onChange }: FilterFieldsProps) {
  return (
    <>
      <TextInput
        label="Text"
        placeholder="Host, user, error or JIT justification"
        maxLength={MOST_SEARCHED}
        value={filter.text}
        onChange={(event) => onChange({ text: event.currentTarget.value })}
      />
      <Choices filter={filter} onChange={onChange} />
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="sm" verticalSpacing="sm">
        <PeriodFields
          label="Last validated"
          period={filter.last_validated}
          onChange={(period) => onChange({ last_validated: period })}
        />
        <PeriodFields
          label="Account created"
          period={filter.created}
          onChange={(period) => onChange({ created: period })}
        />
        <PeriodFields
          label="Secret expires"
          period={filter.expires}
          onChange={(period) => onChange({ expires: period })}
        />
      </SimpleGrid>
      <div className={classes.checks}>
        <Checkbox
          label="Critical failures only"
          checked={filter.critical_only}
          onChange={(event) => onChange({ critical_only: event.currentTarget.checked })}
        />
        <Checkbox
          label="Recent failures (24h)"
          checked={filter.recent_failures}
          onChange={(event) => onChange({ recent_failures: event.currentTarget.checked })}
        />
        <Checkbox
          label="Rotation stopped"
          checked={filter.rotation_stopped}
          onChange={(event) => onChange({ rotation_stopped: event.currentTarget.checked })}
        />
        <Checkbox
          label="Not compliant"
          checked={filter.not_compliant}
          onChange={(event) => onChange({ not_compliant: event.currentTarget.checked })}
        />
      </div>
    </>
  );
}

function Choices({ filter, onChange }: FilterFieldsProps) {
  const { data: choices } = useQuery(filterChoices);
  return (
    <SimpleGrid cols={{ base: 1, xs: 2, md: 3 }} spacing="sm" verticalSpacing="sm">
      <MultiSelect
        label="Validation status"
        data={STATUS_CHOICES}
        {...several(filter.statuses, (statuses) => onChange({ statuses }))}
      />
      <MultiSelect label="JIT association" data={JIT_CHOICES} {...several(filter.jit, (jit) => onChange({ jit }))} />
      <MultiSelect
        label="System types"
        searchable
        data={choices?.system_types ?? []}
        {...several(filter.system_types, (types) => onChange({ system_types: types }))}
      />
      <MultiSelect
        label="Connection methods"
        data={choices?.connection_methods ?? []}
        {...several(filter.connection_methods, (methods) => onChange({ connection_methods: methods }))}
      />
      <MultiSelect
        label="Verification methods"
        data={choices?.verification_methods ?? []}
        {...several(filter.verification_methods, (methods) => onChange({ verification_methods: methods }))}
      />
      <MultiSelect
        label="Cause of the failure"
        searchable
        data={causeChoices(filter.causes)}
        {...several(filter.causes, (causes) => onChange({ causes }))}
      />
    </SimpleGrid>
  );
}

function PeriodFields({ label, period, onChange }: PeriodFieldsProps) {
  const day = (end: "from" | "to", word: string) => (
    <TextInput
      type="date"
      aria-label={`${label} ${word}`}
      value={dayOf(period[end])}
      onChange={(event) => onChange(withDay(period, end, event.currentTarget.value))}
    />
  );
  return (
    <fieldset className={classes.period}>
      <legend>{label}</legend>
      <div className={classes.days}>
        {day("from", "from")}
        {day("to", "to")}
      </div>
    </fieldset>
  );
}
