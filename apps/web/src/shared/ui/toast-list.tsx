// Draws the toasts at the top right (SHELL-43), below the control that was just pressed.
import { Notifications } from "@mantine/notifications";
import { MAX_TOASTS, TOASTS_WIDTH } from "./place-toasts.ts";
import classes from "./toast-list.module.css";

export { notifications } from "@mantine/notifications";

export const toastList = (
  <Notifications
    position="top-right"
    limit={MAX_TOASTS}
    containerWidth={TOASTS_WIDTH}
    zIndex={500}
    className={classes.toasts}
  />
);
