// Provides validation events while the dashboard is open: live, or polled without a live connection.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { onLiveEvent, useConnectionFailures } from "#shared/events/live-events.ts";
import { isValidationEvent } from "#shared/events/validation-events.ts";
import { useUser } from "#shared/session/session-store.ts";
import { toast } from "#shared/ui/toast.ts";
import { DEFAULT_ALERT_SETTINGS, alertSettings } from "../settings/alert-settings.ts";
import { announceValidation } from "../notices/announce-validation.ts";
import { POLL_MS, isPolling, withEvent, withPolled, type FeedEvent } from "./live-feed.ts";
import {
  dashboardPreferences,
  notificationPreferences,
  recentAttempts,
  refreshValidation,
} from "../validation.queries.ts";

/** VAL-57. */
const UNAVAILABLE = "Real-time monitoring unavailable. Dashboard will refresh periodically.";
const UNAVAILABLE_MS = 5_000;

function useTellsSuccess(): boolean {
  const { data: dashboard } = useQuery(dashboardPreferences);
  const { data: notifications } = useQuery(notificationPreferences);
  if (dashboard === undefined || notifications === undefined) return DEFAULT_ALERT_SETTINGS.tellsSuccess;
  return alertSettings(dashboard, notifications).tellsSuccess;
}

/** Newest first. */
export function useValidationFeed(): readonly FeedEvent[] {
  const client = useQueryClient();
  const { id: userId } = useUser();
  const [feed, setFeed] = useState<readonly FeedEvent[]>([]);
  const tellsSuccess = useTellsSuccess();
  const polls = isPolling(useConnectionFailures());

  useEffect(
    () =>
      onLiveEvent((event) => {
        if (!isValidationEvent(event)) return;
        setFeed((before) => withEvent(before, event));
        announceValidation(event, { userId, tellsSuccess });
      }),
    [userId, tellsSuccess],
  );

  useEffect(() => {
    let isGone = false;
    async function poll(): Promise<void> {
      // A failed poll is repeated at the next interval; the lists show the reason.
      const read = await recentAttempts().catch(() => null);
      if (!isGone && read !== null) setFeed((before) => withPolled(before, read.attempts));
    }
    void poll();
    if (!polls) return () => void (isGone = true);
    toast.custom(UNAVAILABLE, { id: "validation-polling", duration: UNAVAILABLE_MS });
    const timer = setInterval(() => {
      void poll();
      void refreshValidation(client);
    }, POLL_MS);
    return () => {
      isGone = true;
      clearInterval(timer);
    };
  }, [client, polls]);

  return feed;
}
