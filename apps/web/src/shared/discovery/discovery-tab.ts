// Tabs and actions that other features contribute to the Discovery page, and the key that marks the start of a scan.
import type { DiscoveryTarget, SkippedTarget } from "@strongroom/contract";
import type { Icon } from "@tabler/icons-react";
import type { ComponentType } from "react";
import type { DialogProps } from "#shared/ui/modal.tsx";
import type { StatCardProps } from "#shared/ui/stat-card.tsx";

/** The tabs of the Discovery page, in order (DISC-04, DISC-05). */
export const DISCOVERY_TABS = {
  targets: "Discovery Targets",
  scans: "Basic Scans",
  "enhanced-scans": "Enhanced Scans",
  findings: "Security Findings",
  accounts: "Discovered Accounts",
  "risk-assessment": "Risk Assessment",
  statistics: "Statistics",
} as const;

export type DiscoveryTabId = keyof typeof DISCOVERY_TABS;

export interface LoadFailure {
  /** Such as "Failed to load enhanced scans". */
  text: string;
  error: unknown;
}

/**
 * A feature returns this from a hook that also starts its loads, so that they begin when the page opens (DISC-57).
 * `app/pages/discovery-page.tsx` calls the hook.
 */
export interface DiscoveryTab {
  id: Exclude<DiscoveryTabId, "targets" | "scans" | "accounts" | "statistics">;
  Content: ComponentType;
  /** Whether a scan is pending or running: the page then polls (SCAN-19). */
  isRunning?: boolean;
  failure?: LoadFailure | null;
  /** The number beside the tab's label. */
  count?: number | undefined;
  /** The tab's card among the page's figures; undefined while it loads. */
  card?: StatCardProps | undefined;
}

/** The reply of a call that scans several targets. */
export interface StartedScans {
  started: readonly object[];
  skipped: readonly SkippedTarget[];
  message: string;
}

/** A dialog that configures and starts a scan of one target or of several. */
export interface ScanDialogProps extends DialogProps {
  /** At least one. */
  targets: readonly [DiscoveryTarget, ...DiscoveryTarget[]];
  /** Called after a scan of several targets, instead of a toast. */
  onStarted?: (reply: StartedScans) => void;
}

/** A main action on each target that the user can manage (DISC-10); `app/pages/discovery-page.tsx` passes it. */
export interface TargetAction {
  label: string;
  icon: Icon;
  /** "Enhanced scan of web-01". */
  nameOf: (target: DiscoveryTarget) => string;
  isOffered: (target: DiscoveryTarget) => boolean;
  Dialog: ComponentType<ScanDialogProps>;
}

/** The mutation key of every call that starts a scan: the page polls for two minutes after it (SCAN-20). */
export const SCAN_START = ["discovery", "scan-start"] as const;
