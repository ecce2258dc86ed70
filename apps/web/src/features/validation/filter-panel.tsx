// The filter panel of the advanced search (FILTER-01 to FILTER-09).
import { Button, Checkbox, Collapse, MultiSelect, SimpleGrid, TextInput } from "@mantine/core";
import { IconFilter } from "@tabler/icons-react";
import { JIT_ASSOCIATIONS, VALIDATION_STATUSES, type ValidationFilter } from "@strongroom/contract";
import { useQuery } from "@tanstack/react-query";
import { useId, useState } from "react";
import { asWords, capitalised, counted } from "#shared/format/text.ts";
import { MOST_SEARCHED } from "#shared/ui/address-search.tsx";
import { SectionCard } from "#shared/ui/section-card.tsx";
import { Tag } from "#shared/ui/tag.tsx";
import { STATUS_WORDS } from "./figures.ts";
import classes from "./filter-panel.module.css";
import { PeriodFields } from "./period-fields.tsx";
import { QUICK_FILTERS, appliedCount, objectionTo } from "./search-filter.ts";
import { EMPTY_FILTER } from "./validation-address.ts";
import { filterChoices } from "./validation.queries.ts";

export interface FilterPanelProps {
  applied: ValidationFilter;
  onApply: (filter: ValidationFilter) => void;
  onClear: () => void;
}

const STATUS_CHOICES = VALIDATION_STATUSES.map((value) => ({ value, label: STATUS_WORDS[value] }));
const JIT_CHOICES = JIT_ASSOCIATIONS.map((value) => ({ value, label: capitalised(value) }));
const inWords = (values: readonly string[]) => values.map((value) => ({ value, label: asWords(value) }));

export function FilterPanel({ applied, onApply, onClear }: FilterPanelProps) {
  const id = useId();
  const [isOpen, setIsOpen] = useState(true);
  const [filter, setFilter] = useState(applied);
  const { data: choices } = useQuery(filterChoices);
  const count = appliedCount(applied);
  const change = (part: Partial<ValidationFilter>) => setFilter((before) => ({ ...before, ...part }));
  const objection = objectionTo(filter);
  const apply = () => objection === null && onApply(filter);
  const clear = () => {
    setFilter(EMPTY_FILTER);
    onClear();
  };
  const several = <T extends string>(value: readonly T[], onChange: (value: T[]) => void) => ({
    value: [...value],
    onChange: (next: string[]) => onChange(next as T[]),
    clearable: true,
    comboboxProps: { withinPortal: true },
    placeholder: value.length === 0 ? "Any" : undefined,
  });

  return (
    <SectionCard
      title="Filters"
      actions={
        <span className={classes.head}>
          <Tag tone={count === 0 ? "neutral" : "info"}>{counted(count, "filter")} applied</Tag>
          <Button
            variant="subtle"
            size="compact-sm"
            onClick={() => setIsOpen(!isOpen)}
            aria-expanded={isOpen}
            aria-controls={id}
          >
            {isOpen ? "Collapse" : "Expand"}
          </Button>
        </span>
      }
    >
      <div className={classes.quick} role="group" aria-label="Quick filters">
        {QUICK_FILTERS.map(({ label, isOn, toggled }) => (
          <Button
            key={label}
            size="compact-sm"
            variant={isOn(filter) ? "filled" : "default"}
            aria-pressed={isOn(filter)}
            onClick={() => {
              const next = toggled(filter);
              setFilter(next);
              if (objectionTo(next) === null) onApply(next);
            }}
          >
            {label}
          </Button>
        ))}
      </div>
      <Collapse expanded={isOpen} id={id}>
        <form
          className={classes.form}
          aria-label="Advanced search"
          onSubmit={(event) => {
            event.preventDefault();
            apply();
          }}
        >
          <TextInput
            label="Text"
            placeholder="Host, user, error or JIT justification"
            maxLength={MOST_SEARCHED}
            value={filter.text}
            onChange={(event) => change({ text: event.currentTarget.value })}
          />
          <SimpleGrid cols={{ base: 1, xs: 2, md: 3 }} spacing="sm" verticalSpacing="sm">
            <MultiSelect
              label="Validation status"
              data={STATUS_CHOICES}
              {...several(filter.statuses, (statuses) => change({ statuses }))}
            />
            <MultiSelect
              label="JIT association"
              data={JIT_CHOICES}
              {...several(filter.jit, (jit) => change({ jit }))}
            />
            <MultiSelect
              label="System types"
              searchable
              data={choices?.system_types ?? []}
              {...several(filter.system_types, (types) => change({ system_types: types }))}
            />
            <MultiSelect
              label="Connection methods"
              data={choices?.connection_methods ?? []}
              {...several(filter.connection_methods, (methods) => change({ connection_methods: methods }))}
            />
            <MultiSelect
              label="Verification methods"
              data={inWords(choices?.verification_methods ?? [])}
              {...several(filter.verification_methods, (methods) => change({ verification_methods: methods }))}
            />
          </SimpleGrid>
          <SimpleGrid cols={{ base: 1, md: 2 }} spacing="sm" verticalSpacing="sm">
            <PeriodFields
              label="Last validated"
              period={filter.last_validated}
              onChange={(period) => change({ last_validated: period })}
            />
            <PeriodFields
              label="Account created"
              period={filter.created}
              onChange={(period) => change({ created: period })}
            />
          </SimpleGrid>
          <div className={classes.checks}>
            <Checkbox
              label="Critical failures only"
              checked={filter.critical_only}
              onChange={(event) => change({ critical_only: event.currentTarget.checked })}
            />
            <Checkbox
              label="Recent failures (24h)"
              checked={filter.recent_failures}
              onChange={(event) => change({ recent_failures: event.currentTarget.checked })}
            />
          </div>
          {objection !== null && (
            <p className={classes.objection} role="alert">
              {objection}
            </p>
          )}
          <div className={classes.buttons}>
            <Button variant="default" onClick={clear}>
              Clear All Filters
            </Button>
            <Button type="submit" leftSection={<IconFilter size={16} aria-hidden />} disabled={objection !== null}>
              Apply Filters
            </Button>
          </div>
        </form>
      </Collapse>
    </SectionCard>
  );
}
