// Notifications: the user's stored notifications, and the live events since this page was opened.
import { Button, Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { clearEventLog, useEventLog } from "#shared/events/event-log.ts";
import { useConnectionState } from "#shared/events/live-events.ts";
import { NotificationList } from "#shared/notifications/notification-list.tsx";
import { NotificationActions } from "#shared/notifications/notification-panel.tsx";
import { ownNotifications } from "#shared/notifications/notifications.queries.ts";
import { Loaded } from "#shared/ui/loaded.tsx";
import { PageHeader } from "#shared/ui/page-header.tsx";
import { SectionCard } from "#shared/ui/section-card.tsx";
import { Tag } from "#shared/ui/tag.tsx";
import { worthShowing } from "./describe-event.ts";
import { EventList } from "./event-list.tsx";

export default function NotificationsPage() {
  const query = useQuery(ownNotifications);
  const events = worthShowing(useEventLog());
  const isConnected = useConnectionState() === "connected";

  return (
    <>
      <PageHeader
        title="Notifications"
        subtitle="You can choose in the settings which notifications you receive."
        actions={
          <>
            <Tag tone={isConnected ? "success" : "warning"}>{isConnected ? "Real-time connected" : "Offline"}</Tag>
            <NotificationActions />
          </>
        }
      />
      <Stack gap="md" maw="52rem">
        <SectionCard title="For You">
          <Loaded query={query}>{({ notifications }) => <NotificationList notifications={notifications} />}</Loaded>
        </SectionCard>
        <SectionCard
          title="Live Events"
          description="Events since you opened this page. Earlier events are in the audit trail."
          actions={
            events.length > 0 && (
              <Button variant="subtle" size="compact-sm" onClick={clearEventLog}>
                Clear
              </Button>
            )
          }
        >
          <EventList events={events} isConnected={isConnected} />
        </SectionCard>
      </Stack>
    </>
  );
}
