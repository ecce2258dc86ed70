// Field components of the platform form.
import { Stack, Switch, TextInput } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import { useId, type ReactNode } from "react";
import { boundsOf, type NumberField, type PlatformFormValues, type SwitchField } from "./platform-form-values.ts";
import classes from "./platforms.module.css";

export type PlatformFormControl = UseFormReturnType<PlatformFormValues>;

export function Part({ title, description, children }: { title: string; description: string; children: ReactNode }) {
  const id = useId();
  return (
    <section className={classes.part} aria-labelledby={id}>
      <h3 className={classes.partTitle} id={id}>
        {title}
      </h3>
      <p className={classes.partHint}>{description}</p>
      <Stack gap="sm">{children}</Stack>
    </section>
  );
}

interface CountProps {
  form: PlatformFormControl;
  field: NumberField;
  label: string;
  unit?: string;
  description?: string;
  isDisabled?: boolean;
}

export function Count({ form, field, label, unit, description, isDisabled = false }: CountProps) {
  return (
    <TextInput
      type="number"
      inputMode="numeric"
      step={1}
      {...boundsOf(field)}
      label={label}
      description={description}
      disabled={isDisabled}
      inputWrapperOrder={["label", "input", "error", "description"]}
      rightSection={unit === undefined ? undefined : <span className={classes.unit}>{unit}</span>}
      rightSectionWidth={unit === undefined ? undefined : "6.25rem"}
      classNames={{ section: classes.unitSection }}
      {...form.getInputProps(field)}
    />
  );
}

interface ChoiceProps {
  form: PlatformFormControl;
  field: SwitchField;
  label: string;
  description: string;
  isDisabled?: boolean;
}

export function Choice({ form, field, label, description, isDisabled = false }: ChoiceProps) {
  return (
    <Switch
      label={label}
      description={description}
      disabled={isDisabled}
      {...form.getInputProps(field, { type: "checkbox" })}
    />
  );
}
