// The dashboard's header: connection state, latest event, range and buttons (VAL-02 to VAL-06).
import { ActionIcon, Menu, SegmentedControl } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconDownload, IconPlugConnected, IconPlugConnectedX, IconRefresh, IconSettings } from "@tabler/icons-react";
import type { DashboardPreferences, ValidationRange } from "@strongroom/contract";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useSearchParams } from "react-router";
import { useConnectionState } from "#shared/events/live-events.ts";
import { withParam } from "#shared/format/address.ts";
import { NotificationBell } from "#shared/notifications/notification-bell.tsx";
import { PageHeader } from "#shared/ui/page-header.tsx";
import { RelativeTime } from "#shared/ui/relative-time.tsx";
import { Tag } from "#shared/ui/tag.tsx";
import { EVENT_LABELS, type FeedEvent } from "./overview/live-feed.ts";
import { SettingsDialog } from "./settings/settings-dialog.tsx";
import type { Report } from "./report/use-report.ts";
import { RANGE_CHOICES } from "./validation-address.ts";
import classes from "./validation-header.module.css";
import { refreshValidation } from "./validation.queries.ts";

const ICON_SIZE = 18;

export interface ValidationHeaderProps {
  range: ValidationRange;
  latest: FeedEvent | undefined;
  dashboard: { isFetching: boolean };
  report: Report;
  preferences: DashboardPreferences | undefined;
}

export function ValidationHeader({ range, latest, dashboard, report, preferences }: ValidationHeaderProps) {
  const client = useQueryClient();
  const [, setParams] = useSearchParams();
  const [isSetting, settings] = useDisclosure(false);
  const [isRefreshing, setIsRefreshing] = useState(false);
  const refresh = () => {
    setIsRefreshing(true);
    void refreshValidation(client).finally(() => setIsRefreshing(false));
  };
  return (
    <>
      <PageHeader
        title="Validation Dashboard"
        subtitle={<State latest={latest} />}
        actions={
          <div className={classes.actions}>
            <SegmentedControl
              aria-label="Time range"
              size="sm"
              data={RANGE_CHOICES}
              value={range}
              onChange={(next) => setParams((before) => withParam(before, "range", next), { replace: true })}
            />
            <span className={classes.icons}>
              <ActionIcon
                size="lg"
                variant="default"
                aria-label="Refresh the dashboard"
                title="Refresh"
                onClick={refresh}
                loading={isRefreshing && dashboard.isFetching}
              >
                <IconRefresh size={ICON_SIZE} aria-hidden />
              </ActionIcon>

              <ExportMenu report={report} />
              <NotificationBell />

              <ActionIcon
                size="lg"
                variant="default"
                aria-label="Dashboard Settings"
                title="Settings"
                onClick={settings.open}
                disabled={preferences === undefined}
              >
                <IconSettings size={ICON_SIZE} aria-hidden />
              </ActionIcon>
            </span>
          </div>
        }
      />
      {preferences !== undefined && (
        <SettingsDialog preferences={preferences} opened={isSetting} onClose={settings.close} />
      )}
    </>
  );
}

/** VAL-03, VAL-04, OPEN-136. */
function State({ latest }: { latest: FeedEvent | undefined }) {
  const isLive = useConnectionState() === "connected";
  return (
    <span className={classes.state}>
      <Tag
        tone={isLive ? "success" : "warning"}
        icon={isLive ? <IconPlugConnected size={13} aria-hidden /> : <IconPlugConnectedX size={13} aria-hidden />}
      >
        {isLive ? "Real-time connected" : "Offline"}
      </Tag>
      {latest === undefined ? (
        <span>No event yet</span>
      ) : (
        <span>
          Latest event: {EVENT_LABELS[latest.type]}
          {latest.name !== null && `, ${latest.name}`}, <RelativeTime moment={latest.timestamp} />
        </span>
      )}
    </span>
  );
}

function ExportMenu({ report }: { report: Report }) {
  return (
    <Menu position="bottom-end" withinPortal>
      <Menu.Target>
        <ActionIcon size="lg" variant="default" aria-label="Export" title="Export" loading={report.isSaving}>
          <IconDownload size={ICON_SIZE} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => report.save("xlsx")}>Report as XLSX</Menu.Item>
        <Menu.Item onClick={() => report.save("json")}>Report as JSON</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
