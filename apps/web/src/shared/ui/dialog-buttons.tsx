// The buttons at the end of a form or dialog. In a dialog they stay in view while its content scrolls.
import { Group } from "@mantine/core";
import { createContext, use, type ReactNode } from "react";
import classes from "./dialog-buttons.module.css";

/** True inside `Modal`. */
export const IsInDialog = createContext(false);

export interface DialogButtonsProps {
  justify?: "flex-end" | "space-between";
  children: ReactNode;
}

export function DialogButtons({ justify = "flex-end", children }: DialogButtonsProps) {
  const isInDialog = use(IsInDialog);
  return (
    <Group justify={justify} align="flex-start" gap="xs" className={isInDialog ? classes.inDialog : undefined}>
      {children}
    </Group>
  );
}
