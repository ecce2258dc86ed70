// The Basic Scans tab, with the details of a scan (SCAN-01, SCAN-02, SCAN-07 to SCAN-13).
import { Alert, Button, Stack } from "@mantine/core";
import { IconEye, IconPlayerStop, IconRadar2 } from "@tabler/icons-react";
import { DiscoveryScanSort, type DiscoveryScan, type ScanCommand } from "@strongroom/contract";
import { keepPreviousData, useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useSearchParams } from "react-router";
import { counted } from "#shared/format/text.ts";
import { absoluteTime, responseTime } from "#shared/format/time.ts";
import { ConfirmActionDialog } from "#shared/ui/confirm-action-dialog.tsx";
import { useTableSettings } from "#shared/ui/data-table-settings.ts";
import { ColumnChoice, LayoutSwitch, OrderChoice, useLayout } from "#shared/ui/data-table-tools.tsx";
import { Facts } from "#shared/ui/facts.tsx";
import { Loaded } from "#shared/ui/loaded.tsx";
import { LoadMore } from "#shared/ui/load-more.tsx";
import { Modal, type DialogProps } from "#shared/ui/modal.tsx";
import { nextPageOf } from "#shared/ui/next-page.ts";
import { RelativeTime } from "#shared/ui/relative-time.tsx";
import { Row, RowDetail, RowList } from "#shared/ui/row-list.tsx";
import { EmptyState } from "#shared/ui/states.tsx";
import { StatusBadge } from "#shared/ui/status-badge.tsx";
import { SCAN_BADGES, isOpen } from "../discovery-labels.ts";
import classes from "../discovery.module.css";
import { scanCancellation, scanList } from "../discovery.queries.ts";
import { SCAN_COLUMNS, ScanTable } from "./scan-table.tsx";
import { foundText, progressText, type OpenScan, type ScanDialog } from "./scan-texts.ts";

export function ScanList() {
  const [params] = useSearchParams();
  const sort = DiscoveryScanSort.safeParse(params.get("sort")).data;
  const list = useInfiniteQuery({
    ...scanList(sort === undefined ? {} : { sort }),
    placeholderData: keepPreviousData,
  });
  const settings = useTableSettings("scans", SCAN_COLUMNS);
  const [chosenId, setChosenId] = useState<string | null>(null);
  const [dialog, setDialog] = useState<ScanDialog | null>(null);
  const scans = list.data?.pages.flatMap(({ data }) => data) ?? [];
  const chosen = scans.find(({ id }) => id === chosenId);
  const [layout, setLayout] = useLayout("scans", scans.length);
  const propsOf = (name: ScanDialog) => ({ opened: dialog === name, onClose: () => setDialog(null) });
  const open: OpenScan = (scan, name) => {
    setChosenId(scan.id);
    setDialog(name);
  };
  return (
    <>
      <Loaded query={list}>
        {() =>
          scans.length === 0 ? (
            <EmptyState icon={IconRadar2} title="No scans" text="Start a scan on the Discovery Targets tab." />
          ) : (
            <>
              <div className={classes.toolbar} role="group" aria-label="Order and layout of the scans">
                <OrderChoice columns={SCAN_COLUMNS} settings={settings} usual="Newest first" />
                <div className={classes.looks}>
                  {layout === "table" && <ColumnChoice columns={SCAN_COLUMNS} settings={settings} />}
                  <LayoutSwitch layout={layout} onChange={setLayout} />
                </div>
              </div>
              {layout === "table" ? (
                <ScanTable
                  rows={scans}
                  settings={settings}
                  onOpen={open}
                  {...nextPageOf(list)}
                  isStale={list.isPlaceholderData}
                />
              ) : (
                <RowList label="Scans">
                  {scans.map((scan) => (
                    <ScanRow key={scan.id} scan={scan} onOpen={open} />
                  ))}
                </RowList>
              )}
              {(layout === "cards" || list.isFetchNextPageError) && <LoadMore of={list} />}
            </>
          )
        }
      </Loaded>
      {chosen !== undefined && (
        <>
          <ScanDetails scan={chosen} {...propsOf("details")} />
          <CancelScanDialog scan={chosen} {...propsOf("cancel")} />
        </>
      )}
    </>
  );
}

interface ScanRowProps {
  scan: DiscoveryScan;
  onOpen: OpenScan;
}

function ScanRow({ scan, onOpen }: ScanRowProps) {
  const { discovery_targets: target, metadata } = scan;
  return (
    <Row
      icon={<IconRadar2 size={18} aria-hidden />}
      name={
        <>
          <span>{target.name}</span>
          <StatusBadge {...SCAN_BADGES[scan.status]} />
        </>
      }
      actions={
        <>
          <Button
            size="compact-sm"
            variant="default"
            aria-label={`Details of the scan of ${target.name}`}
            leftSection={<IconEye size={15} aria-hidden />}
            onClick={() => onOpen(scan, "details")}
          >
            Details
          </Button>
          {scan.can_manage && isOpen(scan.status) && (
            <Button
              size="compact-sm"
              variant="light"
              color="red"
              aria-label={`Cancel the scan of ${target.name}`}
              leftSection={<IconPlayerStop size={15} aria-hidden />}
              onClick={() => onOpen(scan, "cancel")}
            >
              Cancel
            </Button>
          )}
        </>
      }
    >
      <RowDetail>
        {`${target.hostname} · ${target.target_type.toUpperCase()} · Accounts discovered: ${foundText(scan)}`}
      </RowDetail>
      <RowDetail>
        Requested by {scan.requested_by} <RelativeTime moment={scan.created_at} />
      </RowDetail>
      {scan.progress !== null && <RowDetail>{progressText(scan.progress)}</RowDetail>}
      {metadata?.error_message != null && <RowDetail>{metadata.error_message}</RowDetail>}
    </Row>
  );
}

function leftOut({ metadata, settings }: DiscoveryScan): string {
  const count = (metadata?.accounts_discovered ?? 0) - (metadata?.accounts_stored ?? 0);
  return settings.includeSystemAccounts || count <= 0 ? "" : ` It left out ${counted(count, "system account")}.`;
}

const incompleteText = (reason: string | null): string =>
  reason === null
    ? "The target has more accounts than the scan could store. The Discovered Accounts tab shows the stored ones; start a scan with a higher maximum for the rest."
    : `The list is incomplete. ${reason} The Discovered Accounts tab shows what the scan stored.`;

/** SCAN-08 to SCAN-11. */
function Notice({ scan }: { scan: DiscoveryScan }) {
  const { status, metadata } = scan;
  if (status === "failed") {
    return (
      <Alert color="red" title="The scan failed">
        {metadata?.error_message ?? "The scan ended without a reason."}
      </Alert>
    );
  }
  if (status === "cancelled") return <Alert color="gray" title="The scan was cancelled" />;
  if (metadata === null || status !== "completed") {
    return (
      <Alert color="blue" title="No data yet">
        {scan.progress === null ? "" : `${progressText(scan.progress)}. `}Results appear here when the scan ends.
      </Alert>
    );
  }
  if (metadata.accounts_stored === 0) return <Alert color="green" title="The scan completed and found no accounts" />;
  return (
    <Alert
      color={metadata.is_complete ? "green" : "yellow"}
      title={metadata.is_complete ? "The scan completed" : "The scan is incomplete"}
    >
      {metadata.is_complete
        ? `The accounts are on the Discovered Accounts tab.${leftOut(scan)}`
        : incompleteText(metadata.incomplete_reason)}
    </Alert>
  );
}

function ScanDetails({ scan, ...props }: DialogProps & { scan: DiscoveryScan }) {
  const { discovery_targets: target, metadata, settings } = scan;
  const timeOf = (moment: string | null) => (moment === null ? "–" : absoluteTime(moment));
  return (
    <Modal {...props} title="Scan Details">
      <Stack gap="md">
        <Notice scan={scan} />
        <Facts
          facts={[
            { name: "Target", value: target.name },
            { name: "Host", value: target.hostname },
            { name: "Status", value: SCAN_BADGES[scan.status].label },
            { name: "Requested by", value: scan.requested_by },
            { name: "Started", value: timeOf(scan.started_at) },
            { name: "Ended", value: timeOf(scan.completed_at) },
            { name: "Duration", value: metadata?.scan_duration == null ? "–" : responseTime(metadata.scan_duration) },
            { name: "Accounts discovered", value: foundText(scan) },
            { name: "Accounts stored", value: metadata?.accounts_stored?.toLocaleString() ?? "–" },
            { name: "Logins", value: metadata?.total_connections.toLocaleString() ?? "–" },
            { name: "Include system accounts", value: settings.includeSystemAccounts ? "Yes" : "No" },
            { name: "Timeout", value: responseTime(settings.timeout) },
            { name: "Started by", value: scan.is_scheduled ? "Schedule" : "User" },
            { name: "Maximum accounts", value: settings.maxAccounts.toLocaleString() },
          ]}
        />
        {(metadata?.commands.length ?? 0) > 0 && <Commands commands={metadata!.commands} />}
      </Stack>
    </Modal>
  );
}

/** SCAN-04. */
function Commands({ commands }: { commands: ScanCommand[] }) {
  return (
    <section aria-label="Commands">
      <h3 className={classes.heading}>Commands</h3>
      <RowList label="Commands">
        {commands.map(({ command, success, exitCode, output, error }) => (
          <Row
            key={command}
            name={
              <>
                <span>{command}</span>
                <StatusBadge status={success ? "verified" : "failed"} label={success ? "Succeeded" : "Failed"} />
              </>
            }
          >
            {exitCode !== null && <RowDetail>{`Exit code ${exitCode}`}</RowDetail>}
            {output !== "" && <RowDetail>{output}</RowDetail>}
            {error !== "" && <RowDetail>{error}</RowDetail>}
          </Row>
        ))}
      </RowList>
    </section>
  );
}

function CancelScanDialog({ scan, ...props }: DialogProps & { scan: DiscoveryScan }) {
  return (
    <ConfirmActionDialog
      {...props}
      title="Cancel Scan"
      confirmLabel="Cancel Scan"
      cancelLabel="Keep Scanning"
      variant="danger"
      mutation={scanCancellation(useQueryClient(), scan.id)}
      done="Scan cancelled successfully"
      failed="Failed to cancel scan"
    >
      <p>
        Cancel the scan of <strong>{scan.discovery_targets.name}</strong>? It stores no accounts.
      </p>
    </ConfirmActionDialog>
  );
}
