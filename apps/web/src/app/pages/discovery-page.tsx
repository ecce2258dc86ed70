// The Discovery page, with the validation screen of the validation feature.
import { DiscoveryPage } from "#features/discovery/discovery-page.tsx";
import { ValidationScreen } from "#features/validation/validation-screen.tsx";

export default function Discovery() {
  return <DiscoveryPage Validation={ValidationScreen} />;
}
