// Where toasts show: top-right (SHELL-43).
import { Notifications } from "@mantine/notifications";
import { MOST_TOASTS } from "./toast.ts";

export function ToastPlace() {
  return <Notifications position="top-right" limit={MOST_TOASTS} containerWidth={380} zIndex={500} />;
}
