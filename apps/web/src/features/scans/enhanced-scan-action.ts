// The "Enhanced Scan" action of a discovery target, with "Enhanced Security Discovery Scan" (SCAN-31).
import { IconShieldSearch } from "@tabler/icons-react";
import type { TargetAction } from "#shared/discovery/discovery-tab.ts";
import { StartEnhancedScanDialog } from "./start-enhanced-scan-dialog.tsx";

export const ENHANCED_SCAN: TargetAction = {
  label: "Enhanced Scan",
  icon: IconShieldSearch,
  nameOf: ({ name }) => `Enhanced scan of ${name}`,
  isOffered: (target) => target.has_enhanced_scans && target.is_active,
  Dialog: StartEnhancedScanDialog,
};
