// The list of live events of this visit.
import { Anchor } from "@mantine/core";
import { IconActivity } from "@tabler/icons-react";
import { Link } from "react-router";
import type { LoggedEvent } from "#shared/events/event-log.ts";
import { RelativeTime } from "#shared/ui/relative-time.tsx";
import { EmptyState } from "#shared/ui/states.tsx";
import { describeEvent } from "./describe-event.ts";
import classes from "./notifications-page.module.css";

export interface EventListProps {
  /** Newest first. */
  events: readonly LoggedEvent[];
  isConnected: boolean;
}

export function EventList({ events, isConnected }: EventListProps) {
  if (events.length === 0) {
    return (
      <EmptyState
        title="No events"
        icon={IconActivity}
        text={
          isConnected
            ? "Verifications and changes appear here as they happen."
            : "Live updates are disconnected. Reconnecting automatically."
        }
      />
    );
  }
  return (
    <ol className={classes.list} aria-label="Live events">
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
  );
}
