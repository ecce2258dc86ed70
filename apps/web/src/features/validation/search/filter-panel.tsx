// The filter panel of the advanced search (FILTER-01 to FILTER-09).
import { Button } from "@mantine/core";
import { IconFilter } from "@tabler/icons-react";
import type { ValidationFilter } from "@strongroom/contract";
import { useId, useState } from "react";
import { counted } from "#shared/format/text.ts";
import { SectionCard } from "#shared/ui/section-card.tsx";
import { Tag } from "#shared/ui/tag.tsx";
import { FilterFields } from "./filter-fields.tsx";
import classes from "./filter-panel.module.css";
import { QUICK_FILTERS, appliedCount, objectionTo } from "./search-filter.ts";
import { EMPTY_FILTER } from "../validation-address.ts";

export interface FilterPanelProps {
  applied: ValidationFilter;
  onApply: (filter: ValidationFilter) => void;
  onClear: () => void;
}

export function FilterPanel({ applied, onApply, onClear }: FilterPanelProps) {
  const id = useId();
  const [isOpen, setIsOpen] = useState(true);
  const [filter, setFilter] = useState(applied);
  const count = appliedCount(applied);
  const change = (part: Partial<ValidationFilter>) => setFilter((before) => ({ ...before, ...part }));
  const objection = objectionTo(filter);
  const apply = () => objection === null && onApply(filter);
  const clear = () => {
    setFilter(EMPTY_FILTER);
    onClear();
  };
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
      <QuickButtons
        filter={filter}
        onToggle={(next) => {
          setFilter(next);
          if (objectionTo(next) === null) onApply(next);
        }}
      />
      <div hidden={!isOpen} id={id}>
        <form
          className={classes.form}
          aria-label="Advanced search"
          onSubmit={(event) => {
            event.preventDefault();
            apply();
          }}
        >
          <FilterFields filter={filter} onChange={change} />
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
      </div>
    </SectionCard>
  );
}

interface QuickButtonsProps {
  filter: ValidationFilter;
  onToggle: (filter: ValidationFilter) => void;
}

/** FILTER-01. The buttons apply immediately. */
function QuickButtons({ filter, onToggle }: QuickButtonsProps) {
  return (
    <div className={classes.quick} role="group" aria-label="Quick filters">
      {QUICK_FILTERS.map(({ label, isOn, toggled }) => (
        <Button
          key={label}
          size="compact-sm"
          variant={isOn(filter) ? "filled" : "default"}
          aria-pressed={isOn(filter)}
          onClick={() => onToggle(toggled(filter))}
        >
          {label}
        </Button>
      ))}
    </div>
  );
}
