// The colour scheme: light, dark or the system's.
import { SegmentedControl, useMantineColorScheme, type MantineColorScheme } from "@mantine/core";
import { SectionCard } from "#shared/ui/section-card.tsx";

const SCHEMES: readonly { value: MantineColorScheme; label: string }[] = [
  { value: "auto", label: "System" },
  { value: "light", label: "Light" },
  { value: "dark", label: "Dark" },
];

export function AppearanceCard() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <SectionCard title="Appearance" description="Saved in this browser.">
      <SegmentedControl
        aria-label="Colour scheme"
        data={[...SCHEMES]}
        value={colorScheme}
        onChange={(scheme) => setColorScheme(scheme)}
      />
    </SectionCard>
  );
}
