// The bell with its popover, loaded by the first click and therefore initially open.
import { Popover } from "@mantine/core";
import { useMounted } from "@mantine/hooks";
import { useState } from "react";
import { BellButton, type NotificationBellProps } from "./bell-button.tsx";
import { NotificationPanel } from "./notification-panel.tsx";
import classes from "./notification-panel.module.css";

export default function BellPopover(props: NotificationBellProps) {
  const [isWanted, setIsWanted] = useState(true);
  // Opens after the button is mounted, because the dropdown is positioned at it and returns the focus to it.
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
