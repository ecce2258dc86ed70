// The small button that shows and hides the details of a row.
import { UnstyledButton } from "@mantine/core";
import { IconChevronRight } from "@tabler/icons-react";
import classes from "./disclosure-button.module.css";

export interface DisclosureButtonProps {
  label: string;
  /** Its accessible name, when a page has several. */
  name?: string;
  isOpen: boolean;
  onChange: (isOpen: boolean) => void;
  /** The id of the element it shows. */
  controls: string;
}

export function DisclosureButton({ label, name, isOpen, onChange, controls }: DisclosureButtonProps) {
  return (
    <UnstyledButton
      className={classes.toggle}
      onClick={() => onChange(!isOpen)}
      aria-expanded={isOpen}
      aria-controls={controls}
      aria-label={name}
    >
      <IconChevronRight className={classes.chevron} data-open={isOpen} size={14} aria-hidden />
      {label}
    </UnstyledButton>
  );
}
