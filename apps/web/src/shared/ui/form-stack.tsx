// A form whose fields stand below each other; our own messages replace the browser's.
import { Stack } from "@mantine/core";
import type { FormEvent, ReactNode } from "react";

export interface FormStackProps {
  /** The form's name for those who cannot see what is around it. */
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
