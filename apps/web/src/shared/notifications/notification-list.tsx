// Notifications as rows: event, severity and link; a click marks one as read, the close button dismisses it (NOTIF-04
// to NOTIF-12).
import { CloseButton, UnstyledButton } from "@mantine/core";
import { IconBellOff } from "@tabler/icons-react";
import type { Notification, Severity } from "@strongroom/contract";
import { useQueryClient } from "@tanstack/react-query";
import { use } from "react";
import { useNavigate } from "react-router";
import { useMutation } from "#shared/api/use-mutation.ts";
import { RelativeTime } from "#shared/ui/relative-time.tsx";
import { EmptyState } from "#shared/ui/states.tsx";
import { Tag } from "#shared/ui/tag.tsx";
import type { Tone } from "#shared/ui/tone.ts";
import { messageOr, nameOr } from "./fallbacks.ts";
import { NotificationActionHandlers } from "./notification-acts.ts";
import classes from "./notification-list.module.css";
import { dismissing, readingOne } from "./notifications.queries.ts";

const TONES: Record<Severity, Tone> = { critical: "danger", high: "danger", medium: "warning", low: "info" };

const toneOf = ({ type, severity }: Notification): Tone =>
  type === "validation_success" || type === "rotation_completed" ? "success" : TONES[severity];

export interface NotificationListProps {
  /** Newest first. */
  notifications: readonly Notification[];
  /** Called when the user opens a notification's target. */
  onFollow?: () => void;
}

export function NotificationList({ notifications, onFollow }: NotificationListProps) {
  if (notifications.length === 0) return <EmptyState icon={IconBellOff} title="No notifications" />;
  return (
    <ul className={classes.list} aria-label="Notifications">
      {notifications.map((notification) => (
        <Line key={notification.id} notification={notification} onFollow={onFollow} />
      ))}
    </ul>
  );
}

function Line({ notification, onFollow }: { notification: Notification; onFollow: (() => void) | undefined }) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const { mutate: read } = useMutation(readingOne(client));
  const { mutate: dismiss } = useMutation(dismissing(client));
  const actsOf = use(NotificationActionHandlers);
  const { id, title, link } = notification;
  const follow = () => {
    if (!notification.read) read(id);
    if (link === null) return;
    onFollow?.();
    void navigate(link);
  };
  return (
    <li className={classes.line} data-tone={toneOf(notification)} data-unread={!notification.read}>
      <div className={classes.body}>
        <UnstyledButton className={classes.main} onClick={follow}>
          <span className={classes.title}>{nameOr(title)}</span>
          <span className={classes.message}>{messageOr(notification.message)}</span>
          <span className={classes.meta}>
            <RelativeTime moment={notification.timestamp} />
            {!notification.read && <Tag tone="info">New</Tag>}
            {notification.actionRequired && <Tag tone="warning">Action required</Tag>}
          </span>
        </UnstyledButton>
        {actsOf(notification)}
      </div>
      <CloseButton size="sm" aria-label={`Dismiss ${title}`} onClick={() => dismiss(id)} />
    </li>
  );
}
