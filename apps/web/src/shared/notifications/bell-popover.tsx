// The bell once it was clicked: the button with what it opens. Opens by itself when it comes, because of that click.
import { Popover } from "@mantine/core";
import { useMounted } from "@mantine/hooks";
import { useState } from "react";
import { BellButton, type NotificationBellProps } from "./notification-bell.tsx";
import { NotificationPanel } from "./notification-panel.tsx";
import classes from "./notification-panel.module.css";

export default function BellPopover(props: NotificationBellProps) {
  const [isWanted, setIsWanted] = useState(true);
  // Only after the button is there: it is what the dropdown stands at and gives the focus back to.
  const isOpen = useMounted() && isWanted;
  const close = () => setIsWanted(false);
  return (
    <Popover
      opened={isOpen}
      onDismiss={close}
      position="bottom-end"
      width="min(26rem, 100vw - 1rem)"
      trapFocus
      returnFocus
      withinPortal
    >
      <Popover.Target>
        <BellButton {...props} isOpen={isOpen} onClick={() => setIsWanted(!isOpen)} />
      </Popover.Target>
      <Popover.Dropdown className={classes.dropdown} aria-label="Notifications">
        <NotificationPanel onClose={close} />
      </Popover.Dropdown>
    </Popover>
  );
}
