// The notification bell: how many are unread, and a dropdown whose code is fetched when it is first opened (NOTIF-01 to NOTIF-03).
import { Popover, UnstyledButton } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconBell } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense } from "react";
import { useConnectionState } from "#shared/events/live-events.ts";
import { SectionLoading } from "#shared/ui/loading.tsx";
import { badgeText } from "./badge-text.ts";
import classes from "./notification-bell.module.css";
import { ownNotifications } from "./notifications.queries.ts";

const Panel = lazy(() => import("./notification-panel.tsx"));

export interface NotificationBellProps {
  /** Of the button, instead of the bell's own look. */
  className?: string | undefined;
  /** Beside the bell. */
  children?: React.ReactNode;
}

export function NotificationBell({ className = classes.bell, children }: NotificationBellProps) {
  const [isOpen, { toggle, close }] = useDisclosure(false);
  const { data } = useQuery(ownNotifications);
  const isOffline = useConnectionState() !== "connected";
  const unread = data?.unread ?? 0;
  const name = ["Notifications", unread > 0 && `${unread} unread`, isOffline && "offline"].filter(Boolean).join(", ");
  return (
    <Popover opened={isOpen} onDismiss={close} position="bottom-end" width="min(26rem, 100vw - 1rem)" trapFocus>
      <Popover.Target>
        <UnstyledButton
          className={className}
          onClick={toggle}
          aria-label={name}
          aria-expanded={isOpen}
          aria-haspopup="dialog"
          title="Notifications"
        >
          <span className={classes.icon} data-badge={badgeText(unread)} data-offline={isOffline}>
            <IconBell size={17} stroke={1.7} aria-hidden />
          </span>
          {children}
        </UnstyledButton>
      </Popover.Target>
      <Popover.Dropdown className={classes.dropdown} aria-label="Notifications">
        <Suspense fallback={<SectionLoading />}>
          <Panel onClose={close} isOffline={isOffline} />
        </Suspense>
      </Popover.Dropdown>
    </Popover>
  );
}
