// The filters of an audit list: search, status, severity and days, all kept in the address (AUDIT-03 to AUDIT-06).
import { Button, Pill, Select, TextInput } from "@mantine/core";
import { hasSeverities } from "@strongroom/contract";
import { useId, type ReactNode } from "react";
import { useSearchParams } from "react-router";
import { withParam } from "#shared/format/address.ts";
import { AddressSearch } from "#shared/ui/address-search.tsx";
import { PERIODS, SEVERITY_CHOICES, STATUS_CHOICES, firstDay, viewOf } from "./audit-filter.ts";
import classes from "./trail.module.css";

/** AUDIT-18. */
const TYPING_PAUSE_MS = 500;

export interface TrailFiltersProps {
  /** For lists with more than one kind of event. */
  events?: readonly { value: string; label: string }[] | undefined;
  /** Beside the filters, such as saved views. */
  tools?: ReactNode;
}

export function TrailFilters({ events, tools }: TrailFiltersProps) {
  const [params, setParams] = useSearchParams();
  const choose = (part: string) => (value: string | null) =>
    setParams((before) => withParam(before, part, value ?? ""), { replace: true });
  const choosePeriod = (days: number) =>
    setParams((before) => withParam(withParam(before, "from", firstDay(days, new Date())), "to", ""), {
      replace: true,
    });
  const chosen = (part: string) => ({ value: params.get(part) ?? "", onChange: choose(part), allowDeselect: false });
  return (
    <div className={classes.filters}>
      <div className={classes.search}>
        <AddressSearch
          label="Search the audit trail"
          placeholder="Person, account, host, ticket, event or id"
          pauseMs={TYPING_PAUSE_MS}
        />
      </div>
      <Select aria-label="Status" data={STATUS_CHOICES} {...chosen("status")} />
      {hasSeverities(viewOf(params)) && (
        <Select aria-label="Severity" data={SEVERITY_CHOICES} {...chosen("severity")} />
      )}
      {events !== undefined && (
        <Select
          aria-label="Event"
          data={[...events]}
          {...chosen("event")}
          searchable
          nothingFoundMessage="No such event"
        />
      )}
      <Day label="From" name="Start date" value={params.get("from") ?? ""} onChange={choose("from")} />
      <Day label="To" name="End date" value={params.get("to") ?? ""} onChange={choose("to")} />
      <div className={classes.periods} role="group" aria-label="Period">
        {PERIODS.map(({ label, days }) => (
          <Button key={label} size="compact-sm" variant="default" onClick={() => choosePeriod(days)}>
            {label}
          </Button>
        ))}
        {CHIPS.map(({ part, label }) =>
          params.get(part) === null ? null : (
            <Pill
              key={part}
              size="md"
              withRemoveButton
              removeButtonProps={{ "aria-label": `Remove filter: ${label}`, tabIndex: 0, "aria-hidden": false }}
              onRemove={() => choose(part)("")}
            >
              {label}
            </Pill>
          ),
        )}
      </div>
      {tools !== undefined && <div className={classes.tools}>{tools}</div>}
    </div>
  );
}

/** Filters that entries and other pages set, by id. */
const CHIPS = [
  { part: "actor", label: "One person" },
  { part: "target", label: "One object" },
] as const;

interface DayProps {
  label: string;
  name: string;
  value: string;
  onChange: (day: string) => void;
}

function Day({ label, name, value, onChange }: DayProps) {
  const id = useId();
  return (
    <div className={classes.days}>
      <span aria-hidden id={id}>
        {label}
      </span>
      <TextInput
        type="date"
        aria-label={name}
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
    </div>
  );
}
