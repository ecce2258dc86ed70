// The active filters of a list as chips that remove them, and the popover that holds the controls of all filters.
import { Button, Popover } from "@mantine/core";
import { IconFilter, IconX } from "@tabler/icons-react";
import { useState, type ReactNode } from "react";
import classes from "./filter-chips.module.css";

export interface FilterChip {
  /** Unique among the chips. */
  part: string;
  /** "Safe". */
  name: string;
  value: string;
}

export interface FilterChipsProps {
  chips: readonly FilterChip[];
  onRemove: (part: string) => void;
  onClear: () => void;
}

export function FilterChips({ chips, onRemove, onClear }: FilterChipsProps) {
  if (chips.length === 0) return null;
  return (
    <ul className={classes.chips} aria-label="Active filters">
      {chips.map(({ part, name, value }) => (
        <li key={part} className={classes.chip}>
          <span className={classes.text}>
            <span className={classes.name}>{name}:</span> {value}
          </span>
          <button
            type="button"
            className={classes.remove}
            aria-label={`Remove filter ${name}: ${value}`}
            onClick={() => onRemove(part)}
          >
            <IconX size={13} aria-hidden />
          </button>
        </li>
      ))}
      {chips.length > 1 && (
        <li>
          <Button variant="subtle" size="compact-sm" onClick={onClear}>
            Clear Filters
          </Button>
        </li>
      )}
    </ul>
  );
}

/** The controls render when the popover first opens, so that they load their choices only then. */
export function FilterPopover({ count, children }: { count: number; children: ReactNode }) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <Popover
      opened={isOpen}
      onChange={setIsOpen}
      position="bottom-start"
      width={300}
      withinPortal={false}
      trapFocus
      shadow="md"
      // The choices of a select are outside the popover.
      closeOnClickOutside={false}
    >
      <Popover.Target>
        <Button
          variant={count > 0 ? "light" : "default"}
          leftSection={<IconFilter size={16} aria-hidden />}
          onClick={() => setIsOpen((before) => !before)}
        >
          {count > 0 ? `Filters (${count})` : "Filters"}
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label="Filters" className={classes.controls}>
        {/* Takes the focus, because a select opens its choices when it is focused. */}
        <h2 className={classes.title} tabIndex={-1} data-autofocus>
          Filters
        </h2>
        {children}
        <Button variant="default" size="compact-md" onClick={() => setIsOpen(false)}>
          Done
        </Button>
      </Popover.Dropdown>
    </Popover>
  );
}
