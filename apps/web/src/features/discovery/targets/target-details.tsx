// "Target Details": what a table has no room for, and the alarm about a changed host key.
import { Stack } from "@mantine/core";
import type { DiscoveryTarget } from "@strongroom/contract";
import { scheduleText } from "#shared/discovery/schedule-values.ts";
import { absoluteTime, responseTime } from "#shared/format/time.ts";
import { Facts } from "#shared/ui/facts.tsx";
import { Modal, type DialogProps } from "#shared/ui/modal.tsx";
import { SCAN_BADGES, TYPE_LABELS, methodLabel } from "../discovery-labels.ts";
import { TargetHostKey, hostKeyText } from "./target-host-key.tsx";

function scanText(scan: DiscoveryTarget["last_enhanced_scan"]): string {
  if (scan === null) return "Never";
  const { label } = SCAN_BADGES[scan.status];
  return scan.completed_at === null ? label : `${label}, ${absoluteTime(scan.completed_at)}`;
}

export function TargetDetails({ target, ...props }: DialogProps & { target: DiscoveryTarget }) {
  const { host_key: key, last_scan: last, next_scan_at: next, schedule } = target;
  return (
    <Modal {...props} title="Target Details">
      <Stack gap="md">
        <TargetHostKey target={target} />
        <Facts
          facts={[
            { name: "Name", value: target.name },
            { name: "Status", value: target.is_active ? "Active" : "Inactive" },
            { name: "Type", value: TYPE_LABELS[target.target_type] },
            { name: "Connection method", value: methodLabel(target.target_type) },
            { name: "Host", value: target.hostname },
            { name: "Port", value: target.settings.port },
            { name: "Safe", value: target.safe_name },
            { name: "Timeout", value: responseTime(target.settings.timeout) },
            { name: "Last basic scan", value: scanText(last) },
            { name: "Accounts discovered", value: last?.accounts_discovered?.toLocaleString() ?? "–" },
            { name: "Last enhanced scan", value: scanText(target.last_enhanced_scan) },
            { name: "Next scan", value: next === null ? "–" : absoluteTime(next) },
            { name: "Schedule", value: schedule === null ? "Only when started" : scheduleText(schedule) },
            ...(key === null ? [] : [{ name: "Host key", value: hostKeyText(key) }]),
            ...(target.description === null ? [] : [{ name: "Description", value: target.description }]),
          ]}
        />
      </Stack>
    </Modal>
  );
}
