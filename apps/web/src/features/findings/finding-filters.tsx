// The filters above the list of security findings.
import { Button, MultiSelect, RangeSlider, Switch } from "@mantine/core";
import { IconFilterOff } from "@tabler/icons-react";
import { FindingSeverity, FindingStatus, FindingType } from "@strongroom/contract";
import { useState } from "react";
import { AddressSearch } from "#shared/ui/address-search.tsx";
import type { ChosenFilter } from "./finding-filter.ts";
import { SEVERITY_LABELS, STATUS_BADGES, TYPE_LABELS } from "./finding-labels.ts";
import classes from "./findings.module.css";

export interface FindingFiltersProps {
  chosen: ChosenFilter;
  onChange: (part: string, value: string) => void;
  onShowRules: () => void;
}

/** FIND-08. */
export function FindingFilters({ chosen, onChange, onShowRules }: FindingFiltersProps) {
  const [risk, setRisk] = useState(chosen.risk);
  return (
    <div className={classes.toolbar} role="search" aria-label="Security findings">
      <AddressSearch label="Search findings" placeholder="Search host, file, setting or user..." />
      <MultiSelect
        className={classes.choice}
        aria-label="Severity"
        placeholder={chosen.severity.length === 0 ? "All severities" : ""}
        data={FindingSeverity.options.map((value) => ({ value, label: SEVERITY_LABELS[value] }))}
        value={chosen.severity}
        onChange={(values) => onChange("severity", values.join(","))}
      />
      <MultiSelect
        className={classes.choice}
        aria-label="Type"
        placeholder={chosen.findingType.length === 0 ? "All types" : ""}
        data={FindingType.options.map((value) => ({ value, label: TYPE_LABELS[value] }))}
        value={chosen.findingType}
        onChange={(values) => onChange("type", values.join(","))}
      />
      <MultiSelect
        className={classes.choice}
        aria-label="Status"
        placeholder={chosen.status.length === 0 ? "All statuses" : ""}
        data={FindingStatus.options.map((value) => ({ value, label: STATUS_BADGES[value].label }))}
        value={chosen.status}
        onChange={(values) => onChange("findingStatus", values.join(","))}
      />
      <div className={classes.choice}>
        <p className={classes.sentence}>{`Risk score ${risk[0]} to ${risk[1]}`}</p>
        <RangeSlider
          min={0}
          max={100}
          minRange={0}
          label={null}
          value={risk}
          onChange={setRisk}
          onChangeEnd={([least, most]) => onChange("risk", least === 0 && most === 100 ? "" : `${least}-${most}`)}
          thumbFromLabel="Lowest risk score"
          thumbToLabel="Highest risk score"
        />
      </div>
      <Switch
        label="Assigned to me"
        checked={chosen.isMine}
        onChange={({ currentTarget }) => onChange("mine", currentTarget.checked ? "true" : "")}
      />
      <Switch
        label="Below the scan's threshold, too"
        checked={chosen.isAll}
        onChange={({ currentTarget }) => onChange("all", currentTarget.checked ? "true" : "")}
      />
      <Button
        variant="default"
        leftSection={<IconFilterOff size={16} aria-hidden />}
        title="Rules that treat findings as false positives"
        onClick={onShowRules}
      >
        Rules
      </Button>
    </div>
  );
}
