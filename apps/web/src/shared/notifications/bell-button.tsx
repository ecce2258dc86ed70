// The button of the notification bell, with the unread count.
import { UnstyledButton } from "@mantine/core";
import { IconBell } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import type { ComponentPropsWithRef, ReactNode } from "react";
import { useConnectionState } from "#shared/events/live-events.ts";
import classes from "./notification-bell.module.css";
import { ownNotifications } from "./notifications.queries.ts";

const MOST = 99;

export interface NotificationBellProps {
  /** Replaces the bell's own style. */
  className?: string | undefined;
  /** Rendered beside the bell. */
  children?: ReactNode;
}

interface BellButtonProps extends ComponentPropsWithRef<"button"> {
  isOpen: boolean;
  children?: ReactNode;
}

export function BellButton({ isOpen, className = classes.bell, children, ...rest }: BellButtonProps) {
  const { data } = useQuery(ownNotifications);
  const isOffline = useConnectionState() !== "connected";
  const unread = data?.unread ?? 0;
  const name = ["Notifications", unread > 0 && `${unread} unread`, isOffline && "offline"].filter(Boolean).join(", ");
  return (
    <UnstyledButton
      {...rest}
      className={className}
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
  );
}

/** Empty for zero, "99+" above 99. */
export const badgeText = (unread: number): string => (unread > MOST ? `${MOST}+` : unread > 0 ? String(unread) : "");
