// The bell's popover: settings, Mark All Read, Clear All, and the newest notifications (NOTIF-01, NOTIF-03,
// NOTIF-04).
import { ActionIcon, Anchor, Button } from "@mantine/core";
import { IconSettings } from "@tabler/icons-react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "react-router";
import { paths } from "#shared/paths.ts";
import { useMutation } from "#shared/api/use-mutation.ts";
import { useConnectionState } from "#shared/events/live-events.ts";
import { Loaded } from "#shared/ui/loaded.tsx";
import { Tag } from "#shared/ui/tag.tsx";
import { NotificationList } from "./notification-list.tsx";
import classes from "./notification-panel.module.css";
import { clearing, ownNotifications, readingAll } from "./notifications.queries.ts";

export function NotificationPanel({ onClose }: { onClose: () => void }) {
  const isOffline = useConnectionState() !== "connected";
  const query = useQuery(ownNotifications);
  return (
    <div className={classes.panel}>
      <div className={classes.head}>
        <h2 className={classes.title}>Notifications</h2>
        {isOffline && <Tag tone="warning">Offline</Tag>}
        <span className={classes.actions}>
          <NotificationActions />

          <ActionIcon
            component={Link}
            to={paths.settings}
            aria-label="Notification settings"
            title="Settings"
            onClick={onClose}
          >
            <IconSettings size={17} aria-hidden />
          </ActionIcon>
        </span>
      </div>
      <div className={classes.scroll}>
        <Loaded query={query}>
          {({ notifications }) => <NotificationList notifications={notifications} onFollow={onClose} />}
        </Loaded>
      </div>
      <div className={classes.foot}>
        <Anchor component={Link} to={paths.notifications} fz="sm" onClick={onClose}>
          Open Notifications
        </Anchor>
      </div>
    </div>
  );
}

/** Also used on the Notifications page. */
export function NotificationActions() {
  const client = useQueryClient();
  const { data } = useQuery(ownNotifications);
  const read = useMutation(readingAll(client));
  const clear = useMutation(clearing(client));
  const isEmpty = data === undefined || data.notifications.length === 0;
  return (
    <>
      <Button
        size="compact-sm"
        variant="subtle"
        disabled={data === undefined || data.unread === 0}
        onClick={() => read.mutate()}
      >
        Mark All Read
      </Button>
      <Button size="compact-sm" variant="subtle" disabled={isEmpty} onClick={() => clear.mutate()}>
        Clear All
      </Button>
    </>
  );
}
