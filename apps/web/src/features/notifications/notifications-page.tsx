// Notifications: what happened live since this page was opened, and whether the live connection stands.
import { Anchor, Button } from "@mantine/core";
import { IconBell } from "@tabler/icons-react";
import { Link } from "react-router";
import { clearEventLog, useEventLog } from "#shared/events/event-log.ts";
import { useConnectionState } from "#shared/events/live-events.ts";
import { PageHeader } from "#shared/ui/page-header.tsx";
import { RelativeTime } from "#shared/ui/relative-time.tsx";
import { EmptyState } from "#shared/ui/states.tsx";
import { Tag } from "#shared/ui/tag.tsx";
import { describeEvent, worthShowing } from "./describe-event.ts";
import classes from "./notifications-page.module.css";

export default function NotificationsPage() {
  const events = worthShowing(useEventLog());
  const isConnected = useConnectionState() === "connected";

  return (
    <>
      <PageHeader
        title="Notifications"
        subtitle="What happened while this page has been open. What happened before is in the audit trail."
        actions={
          <>
            <Tag tone={isConnected ? "success" : "warning"}>{isConnected ? "Real-time connected" : "Offline"}</Tag>
            {events.length > 0 && (
              <Button variant="default" size="compact-sm" onClick={clearEventLog}>
                Clear All
              </Button>
            )}
          </>
        }
      />
      {events.length === 0 ? (
        <EmptyState
          title="No notifications"
          icon={IconBell}
          text={
            isConnected
              ? "Nothing has happened yet. Verifications and changes show here as they happen."
              : "The live connection is down, so nothing can show here. It is tried again by itself."
          }
        />
      ) : (
        <ol className={classes.list} aria-label="Notifications">
          {events.map((event) => {
            const { title, message, tone, link } = describeEvent(event);
            return (
              <li key={event.id} className={classes.row} data-tone={tone}>
                <div>
                  <p className={classes.title}>
                    {link === null ? (
                      title
                    ) : (
                      <Anchor component={Link} to={link} c="inherit" inherit>
                        {title}
                      </Anchor>
                    )}
                  </p>
                  {message !== "" && <p className={classes.message}>{message}</p>}
                </div>
                <span className={classes.time}>
                  <RelativeTime moment={event.timestamp} />
                </span>
              </li>
            );
          })}
        </ol>
      )}
    </>
  );
}
