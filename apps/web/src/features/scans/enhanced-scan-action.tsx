// The "Enhanced Scan" action of a discovery target, with "Enhanced Security Discovery Scan" (SCAN-31).
import { Button } from "@mantine/core";
import { IconShieldSearch } from "@tabler/icons-react";
import type { DiscoveryTarget } from "@strongroom/contract";
import { useState } from "react";
import { StartEnhancedScanDialog } from "./start-enhanced-scan-dialog.tsx";

export function EnhancedScanAction({ target }: { target: DiscoveryTarget }) {
  const [isOpen, setIsOpen] = useState(false);
  if (!target.has_enhanced_scans || !target.is_active) return null;
  return (
    <>
      <Button
        size="compact-sm"
        variant="default"
        aria-label={`Enhanced scan of ${target.name}`}
        leftSection={<IconShieldSearch size={15} aria-hidden />}
        onClick={() => setIsOpen(true)}
      >
        Enhanced Scan
      </Button>
      <StartEnhancedScanDialog target={target} opened={isOpen} onClose={() => setIsOpen(false)} />
    </>
  );
}
