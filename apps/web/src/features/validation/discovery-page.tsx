// The discovery page. Until discovery of accounts exists, it shows whether stored secrets still work (VAL-51).
import { PageHeader } from "#shared/ui/page-header.tsx";
import { ValidationScreen } from "./validation-screen.tsx";

export default function DiscoveryPage() {
  return (
    <>
      <PageHeader
        title="Discovery"
        subtitle="Find privileged accounts that nobody manages yet; this version does not include it. What is stored already is tried, and stands like this."
      />
      <ValidationScreen />
    </>
  );
}
