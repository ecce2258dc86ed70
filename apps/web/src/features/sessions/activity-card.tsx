// The Live Activity feed, newest first, with the real times of its entries (SES-06, SES-07).
import { useQuery } from "@tanstack/react-query";
import { messageOf } from "#shared/api/call-error.ts";
import { Loaded } from "#shared/ui/loaded.tsx";
import { RelativeTime } from "#shared/ui/relative-time.tsx";
import { NoRows } from "#shared/ui/row-list.tsx";
import { SectionCard } from "#shared/ui/section-card.tsx";
import { activity } from "./sessions.queries.ts";
import classes from "./sessions.module.css";

export function ActivityCard() {
  const feed = useQuery(activity);
  return (
    <SectionCard title="Live Activity">
      <Loaded
        query={feed}
        failureText={feed.error === null ? undefined : `Failed to load activity: ${messageOf(feed.error)}`}
      >
        {({ entries }) =>
          entries.length === 0 ? (
            <NoRows>No activity yet</NoRows>
          ) : (
            // The keyboard can scroll only what can be focused.
            // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
            <ul className={classes.feed} aria-label="Live Activity" tabIndex={0}>
              {entries.map(({ session_id: id, at, text }) => (
                <li key={`${id} ${at} ${text}`} className={classes.entry}>
                  <span>{text}</span>
                  <span className={classes.entryTime}>
                    <RelativeTime moment={at} />
                  </span>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </SectionCard>
  );
}
