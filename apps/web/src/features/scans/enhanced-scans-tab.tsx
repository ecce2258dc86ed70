// The Enhanced Scans tab, with the details of a scan (SCAN-27 to SCAN-30, SCAN-47 to SCAN-49).
import { Alert, Button, Progress, Stack } from "@mantine/core";
import { IconEye, IconPlayerStop, IconShieldSearch } from "@tabler/icons-react";
import { FRAMEWORK_NAMES, ScanSort, type EnhancedScan } from "@strongroom/contract";
import { keepPreviousData, useInfiniteQuery, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useSearchParams } from "react-router";
import type { DiscoveryTab } from "#shared/discovery/discovery-tab.ts";
import { inBytes } from "#shared/format/size.ts";
import { counted } from "#shared/format/text.ts";
import { absoluteTime, duration } from "#shared/format/time.ts";
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
import { SeverityBadge, StatusBadge } from "#shared/ui/status-badge.tsx";
import { ENHANCED_SCAN_COLUMNS, EnhancedScanTable, type OpenScan, type ScanDialog } from "./enhanced-scan-table.tsx";
import { ScanSchedules } from "./scan-schedules.tsx";
import { DEPTH_LABELS, STATUS_BADGES, TYPE_LABELS, isOpen } from "./scan-labels.ts";
import { coverageGap, coverageText, sourceOf } from "./scan-sources.ts";
import classes from "./scans.module.css";
import { enhancedScan, enhancedScanCancellation, enhancedScans } from "./scans.queries.ts";

const FAILURE = "Failed to load enhanced scans";

export function useEnhancedScansTab(): DiscoveryTab {
  const list = useInfiniteQuery({ ...enhancedScans(), refetchOnMount: "always" });
  const scans = list.data?.pages.flatMap(({ data }) => data) ?? [];
  const running = scans.filter(isOpen).length;
  const total = list.data?.pages[0]?.total;
  return {
    id: "enhanced-scans",
    Content: EnhancedScansTab,
    isRunning: running > 0,
    failure: list.error === null ? null : { text: FAILURE, error: list.error },
    card:
      total === undefined
        ? undefined
        : {
            label: "Enhanced Scans",
            value: running,
            line: `running, of ${total.toLocaleString()}`,
            icon: IconShieldSearch,
          },
  };
}

export function EnhancedScansTab() {
  const [params] = useSearchParams();
  const sort = ScanSort.safeParse(params.get("sort")).data;
  const list = useInfiniteQuery({
    ...enhancedScans(sort === undefined ? {} : { sort }),
    placeholderData: keepPreviousData,
  });
  const settings = useTableSettings("enhanced-scans", ENHANCED_SCAN_COLUMNS);
  const [chosenId, setChosenId] = useState<string | null>(null);
  const [dialog, setDialog] = useState<ScanDialog | null>(null);
  const scans = list.data?.pages.flatMap(({ data }) => data) ?? [];
  const chosen = scans.find(({ id }) => id === chosenId);
  const [layout, setLayout] = useLayout("enhanced-scans", scans.length);
  const propsOf = (name: ScanDialog) => ({ opened: dialog === name, onClose: () => setDialog(null) });
  const open: OpenScan = (scan, name) => {
    setChosenId(scan.id);
    setDialog(name);
  };
  return (
    <>
      <Loaded query={list} failureText={FAILURE}>
        {() =>
          scans.length === 0 ? (
            <EmptyState
              icon={IconShieldSearch}
              title="No Enhanced Scans"
              text="Start an enhanced scan of a Linux host or a database on the Discovery Targets tab. It finds secrets in files and tables."
            />
          ) : (
            <>
              <div className={classes.tools} role="group" aria-label="Order and layout of the enhanced scans">
                <OrderChoice columns={ENHANCED_SCAN_COLUMNS} settings={settings} usual="Newest first" />
                <div className={classes.looks}>
                  {layout === "table" && <ColumnChoice columns={ENHANCED_SCAN_COLUMNS} settings={settings} />}
                  <LayoutSwitch layout={layout} onChange={setLayout} />
                </div>
              </div>
              {layout === "table" ? (
                <EnhancedScanTable
                  rows={scans}
                  settings={settings}
                  onOpen={open}
                  {...nextPageOf(list)}
                  isStale={list.isPlaceholderData}
                />
              ) : (
                <RowList label="Enhanced scans">
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
      <ScanSchedules />
      {chosen !== undefined && (
        <>
          <ScanDetails scan={chosen} {...propsOf("details")} />
          <CancelDialog scan={chosen} {...propsOf("cancel")} />
        </>
      )}
    </>
  );
}

interface ScanRowProps {
  scan: EnhancedScan;
  onOpen: OpenScan;
}

function ScanRow({ scan, onOpen }: ScanRowProps) {
  const { target, results } = scan;
  return (
    <Row
      icon={<IconShieldSearch size={18} aria-hidden />}
      name={
        <>
          <span>{target.name}</span>
          <StatusBadge {...STATUS_BADGES[scan.status]} />
        </>
      }
      actions={
        <>
          <Button
            size="compact-sm"
            variant="default"
            aria-label={`Details of the enhanced scan of ${target.name}`}
            leftSection={<IconEye size={15} aria-hidden />}
            onClick={() => onOpen(scan, "details")}
          >
            Details
          </Button>
          {scan.can_manage && isOpen(scan) && (
            <Button
              size="compact-sm"
              variant="light"
              color="red"
              aria-label={`Cancel the enhanced scan of ${target.name}`}
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
        {`${target.hostname} · ${TYPE_LABELS[scan.scan_type]} · ${DEPTH_LABELS[scan.scan_config.scanDepth]}`}
      </RowDetail>
      <RowDetail>
        {`${counted(results.findings_discovered, "finding")}, ${results.new_findings.toLocaleString()} new, ${results.fixed_findings.toLocaleString()} fixed · Risk score ${results.risk_score}`}
      </RowDetail>
      {isOpen(scan) && <ScanProgress scan={scan} />}
      <RowDetail>
        Requested by {scan.requested_by} <RelativeTime moment={scan.created_at} />
      </RowDetail>
      {scan.error_message !== null && <RowDetail>{scan.error_message}</RowDetail>}
    </Row>
  );
}

function ScanProgress({ scan }: { scan: EnhancedScan }) {
  return (
    <div className={classes.progress}>
      <Progress value={scan.progress} aria-label={`Progress of the enhanced scan of ${scan.target.name}`} />
      <span className={classes.percent}>{`${scan.progress}%`}</span>
    </div>
  );
}

function Notice({ scan }: { scan: EnhancedScan }) {
  if (scan.status === "failed") {
    return (
      <Alert color="red" title="The scan failed">
        {scan.error_message ?? "The scan ended without a reason."}
      </Alert>
    );
  }
  if (scan.status === "cancelled") {
    return (
      <Alert color="gray" title="The scan was cancelled">
        Findings that it stored before are on the Security Findings tab.
      </Alert>
    );
  }
  if (scan.status !== "completed") {
    return (
      <Alert color="blue" title={scan.status === "pending" ? "The scan has not started yet" : "The scan is running"}>
        <ScanProgress scan={scan} />
      </Alert>
    );
  }
  const gap = coverageGap(scan);
  return gap === null ? (
    <Alert color="green" title="The scan read everything that it looked for" />
  ) : (
    <Alert color="yellow" title="The scan did not read everything">
      {gap}
    </Alert>
  );
}

function ScanDetails({ scan, ...props }: DialogProps & { scan: EnhancedScan }) {
  const { results, coverage } = scan;
  const details = useQuery({ ...enhancedScan(scan.id), enabled: props.opened });
  const timeOf = (moment: string | null) => (moment === null ? "–" : absoluteTime(moment));
  const { readAs } = sourceOf(scan.target.target_type);
  const frameworks = scan.compliance_frameworks.map((each) => FRAMEWORK_NAMES[each]).join(", ");
  return (
    <Modal {...props} title="Enhanced Scan Details" size="lg">
      <Stack gap="md">
        <Notice scan={scan} />
        <Facts
          facts={[
            { name: "Target", value: `${scan.target.name} (${scan.target.hostname})` },
            { name: "Type", value: TYPE_LABELS[scan.scan_type] },
            { name: "Depth", value: DEPTH_LABELS[scan.scan_config.scanDepth] },
            { name: "Requested by", value: scan.requested_by },
            { name: "Started", value: timeOf(scan.started_at) },
            { name: "Ended", value: timeOf(scan.completed_at) },
            { name: "Duration", value: scan.duration_seconds === null ? "–" : duration(scan.duration_seconds) },
            { name: "Findings", value: results.findings_discovered.toLocaleString() },
            { name: "Different secrets", value: results.secrets_found.toLocaleString() },
            { name: "New findings", value: results.new_findings.toLocaleString() },
            { name: "Fixed findings", value: results.fixed_findings.toLocaleString() },
            { name: "Compliance violations", value: results.compliance_violations.toLocaleString() },
            { name: "Risk score", value: results.risk_score },
            { name: "Compliance frameworks", value: frameworks === "" ? "None" : frameworks },
            { name: "Coverage", value: `${coverageText(scan)}, ${inBytes(coverage.bytes_read)}` },
            ...(readAs === null ? [] : [{ name: readAs, value: coverage.as_root ? "Yes" : "No" }]),
          ]}
        />
        {coverage.unread.length > 0 && (
          <section>
            <h3 className={classes.heading}>Could Not Be Read</h3>
            <ul className={classes.paths}>
              {coverage.unread.map((path) => (
                <li key={path}>{path}</li>
              ))}
            </ul>
          </section>
        )}
        <section>
          <h3 className={classes.heading}>Most Severe Findings</h3>
          <Loaded query={details} failureText="Failed to load the findings of the scan">
            {({ findings }) =>
              findings.length === 0 ? (
                <p className={classes.sentence}>None</p>
              ) : (
                <RowList label="Most severe findings">
                  {findings.map((finding) => (
                    <Row
                      key={finding.id}
                      name={
                        <>
                          <span>{finding.title}</span>
                          <SeverityBadge severity={finding.severity} />
                        </>
                      }
                    >
                      <RowDetail>{`Risk score ${finding.risk_score}`}</RowDetail>
                    </Row>
                  ))}
                </RowList>
              )
            }
          </Loaded>
        </section>
      </Stack>
    </Modal>
  );
}

function CancelDialog({ scan, ...props }: DialogProps & { scan: EnhancedScan }) {
  return (
    <ConfirmActionDialog
      {...props}
      title="Cancel Enhanced Scan"
      confirmLabel="Cancel Scan"
      cancelLabel="Keep Scanning"
      variant="danger"
      mutation={enhancedScanCancellation(useQueryClient(), scan.id)}
      done="Enhanced scan cancelled successfully"
      failed="Failed to cancel enhanced scan"
    >
      <p>
        Cancel the enhanced scan of <strong>{scan.target.name}</strong>? The findings that it stored so far stay.
      </p>
    </ConfirmActionDialog>
  );
}
