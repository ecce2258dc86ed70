// The notification bell with its unread count. Its popover is loaded on the first click, to keep the initial download
// small (NOTIF-01 to NOTIF-03).
import { lazy, Suspense, useState } from "react";
import { BellButton, type NotificationBellProps } from "./bell-button.tsx";

const BellPopover = lazy(() => import("./bell-popover.tsx"));

export function NotificationBell(props: NotificationBellProps) {
  const [wasOpened, setWasOpened] = useState(false);
  const closed = <BellButton {...props} isOpen={false} onClick={() => setWasOpened(true)} />;
  if (!wasOpened) return closed;
  return (
    <Suspense fallback={closed}>
      <BellPopover {...props} />
    </Suspense>
  );
}
