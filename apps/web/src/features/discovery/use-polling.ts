// Refetches discovery while scans run and no live events arrive (SCAN-18 to SCAN-23, OPEN-113).
import { useMutationState, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { SCAN_START, type DiscoveryTabId } from "#shared/discovery/discovery-tab.ts";
import { useConnectionState } from "#shared/events/live-events.ts";
import { pollDiscovery } from "./discovery.queries.ts";

/** Milliseconds. */
const WHILE_SCANNING = 5_000;
const ON_A_SCANS_TAB = 10_000;
const AFTER_A_START = 120_000;

export interface Polled {
  /** Whether any scan is pending or running. */
  isRunning: boolean;
  tab: DiscoveryTabId;
}

export function usePolling({ isRunning, tab }: Polled): void {
  const client = useQueryClient();
  const isLive = useConnectionState() === "connected";
  const hasStarted = useHasStarted();
  const isOnScans = tab === "scans" || tab === "enhanced-scans";
  const interval = isLive ? null : isRunning || hasStarted ? WHILE_SCANNING : isOnScans ? ON_A_SCANS_TAB : null;
  useEffect(() => {
    if (interval === null) return undefined;
    const timer = setInterval(() => {
      if (document.visibilityState === "visible") void pollDiscovery(client);
    }, interval);
    return () => clearInterval(timer);
  }, [client, interval]);
}

/** Whether the user started a scan within the last two minutes. */
function useHasStarted(): boolean {
  const starts = useMutationState({
    filters: { mutationKey: SCAN_START, status: "success" },
    select: ({ state }) => state.submittedAt,
  });
  const latest = Math.max(0, ...starts);
  const [endedFor, setEndedFor] = useState(0);
  useEffect(() => {
    const timer = setTimeout(() => setEndedFor(latest), latest + AFTER_A_START - Date.now());
    return () => clearTimeout(timer);
  }, [latest]);
  return latest > endedFor;
}
