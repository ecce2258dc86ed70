// The Discovery page, with the tabs of other features and the validation screen.
import type { DiscoveryTab } from "#shared/discovery/discovery-tab.ts";
import { DiscoveryPage } from "#features/discovery/discovery-page.tsx";
import { useFindingsTab } from "#features/findings/findings-tab.tsx";
import { ENHANCED_SCAN } from "#features/scans/enhanced-scan-action.ts";
import { useEnhancedScansTab } from "#features/scans/enhanced-scans-tab.tsx";
import { ReportsCard } from "#features/reports/reports-card.tsx";
import { RiskTab } from "#features/risk/risk-tab.tsx";
import { ValidationScreen } from "#features/validation/validation-screen.tsx";

const RISK: DiscoveryTab = { id: "risk-assessment", Content: () => <RiskTab Reports={ReportsCard} /> };

export default function Discovery() {
  // One line for each feature with a tab: the hook starts the tab's loads and returns its state.
  const others: DiscoveryTab[] = [useEnhancedScansTab(), useFindingsTab(), RISK];
  return <DiscoveryPage others={others} targetAction={ENHANCED_SCAN} Validation={ValidationScreen} />;
}
