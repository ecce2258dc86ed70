// The region of the toasts: top-right (SHELL-43), below the control that was just pressed.
import { Notifications } from "@mantine/notifications";
import { useEffect } from "react";
import { TOASTS_WIDTH, watchPresses } from "./place-toasts.ts";
import { MAX_TOASTS } from "./toast.ts";
import classes from "./toast-region.module.css";

export function ToastRegion() {
  useEffect(watchPresses, []);
  return (
    <Notifications
      position="top-right"
      limit={MAX_TOASTS}
      containerWidth={TOASTS_WIDTH}
      zIndex={500}
      className={classes.toasts}
    />
  );
}
