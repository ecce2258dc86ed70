// The small button that shows and hides the details of a row.
import { UnstyledButton } from "@mantine/core";
import { IconChevronRight } from "@tabler/icons-react";
import classes from "./disclosure-button.module.css";

export interface DisclosureButtonProps {
  label: string;
  /** The button's accessible name, when a page has several such buttons. */
  name?: string;
  isOpen: boolean;
  onChange: (isOpen: boolean) => void;
  /** The id of the element that the button shows. */
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
