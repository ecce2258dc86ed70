// The discovery page. Until discovery of accounts exists, it shows whether stored secrets still work (VAL-51).
import { PageHeader } from "#shared/ui/page-header.tsx";
import { ValidationScreen } from "./validation-screen.tsx";

export default function DiscoveryPage() {
  return (
    <>
      <PageHeader
        title="Discovery"
        subtitle="Discovery of unmanaged accounts is not available in this version. This page shows whether stored accounts still work."
      />
      <ValidationScreen />
    </>
  );
}
