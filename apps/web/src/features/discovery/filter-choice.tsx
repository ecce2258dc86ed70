// One filter of a list on the Discovery page: exactly one choice is selected.
import { Select } from "@mantine/core";
import classes from "./discovery.module.css";

interface FilterChoiceProps {
  label: string;
  data: readonly { value: string; label: string }[];
  value: string;
  onChange: (value: string | null) => void;
}

export function FilterChoice({ label, data, value, onChange }: FilterChoiceProps) {
  return (
    <Select
      className={classes.choice}
      aria-label={label}
      data={[...data]}
      value={value}
      allowDeselect={false}
      onChange={onChange}
    />
  );
}
