// A form with stacked fields that shows our error messages and not the browser's.
import { Stack } from "@mantine/core";
import type { FormEvent, ReactNode } from "react";

export interface FormStackProps {
  /** The form's accessible name. */
  label: string;
  onSubmit: (event: FormEvent<HTMLFormElement>) => void;
  children: ReactNode;
  /** A CSS length. */
  maxWidth?: string;
}

export function FormStack({ label, onSubmit, children, maxWidth }: FormStackProps) {
  return (
    <form aria-label={label} noValidate onSubmit={onSubmit} style={{ maxWidth }}>
      <Stack gap="md">{children}</Stack>
    </form>
  );
}
