// The schedule of scans: how often, at which time of the day, and with which delay.
import { Group, Select, TextInput } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import { useState } from "react";
import { USUAL_SCHEDULES, type ScheduleValues } from "./schedule-values.ts";

const USUAL = Object.entries(USUAL_SCHEDULES).map(([value, label]) => ({ value, label }));
const OTHER = "other";

const ZONES = ["UTC", ...Intl.supportedValuesOf("timeZone").filter((zone) => zone !== "UTC")];

interface ScheduleFieldsProps {
  /** Of a form whose values include `ScheduleValues`. */
  form: UseFormReturnType<ScheduleValues>;
  /** The choice without a schedule. */
  none: string;
}

export function ScheduleFields({ form, none }: ScheduleFieldsProps) {
  const { cron } = form.values;
  const [isOther, setIsOther] = useState(cron !== "" && USUAL_SCHEDULES[cron] === undefined);
  return (
    <>
      <Select
        label="Scans"
        data={[{ value: "", label: none }, ...USUAL, { value: OTHER, label: "Another schedule" }]}
        value={isOther ? OTHER : cron}
        allowDeselect={false}
        onChange={(value) => {
          setIsOther(value === OTHER);
          form.setFieldValue("cron", value === OTHER ? cron || "0 2 * * *" : (value ?? ""));
        }}
        error={isOther ? undefined : form.errors["cron"]}
      />
      {isOther && (
        <TextInput
          label="Schedule"
          description="Minute, hour, day of the month, month, day of the week, such as 30 2 * * 1-5."
          maxLength={100}
          {...form.getInputProps("cron")}
        />
      )}
      {cron !== "" && (
        <>
          <Select label="Time Zone" searchable allowDeselect={false} data={ZONES} {...form.getInputProps("timezone")} />
          <TextInput
            label="Random delay (minutes)"
            description="Spreads targets with the same schedule."
            inputMode="numeric"
            maxLength={3}
            {...form.getInputProps("jitterMinutes")}
          />
          <Group grow align="start">
            <TextInput label="Not before" placeholder="22:00" maxLength={5} {...form.getInputProps("windowFrom")} />
            <TextInput label="Not after" placeholder="06:00" maxLength={5} {...form.getInputProps("windowTo")} />
          </Group>
        </>
      )}
    </>
  );
}
