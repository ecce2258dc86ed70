// The loading-animation showcase (DEMO-01).
import { Button, Group, SimpleGrid, Stack, Text } from "@mantine/core";
import { useEffect, useState } from "react";
import { BusyOverlay, PageLoading, SectionLoading } from "#shared/ui/loading.tsx";
import { SectionCard } from "#shared/ui/section-card.tsx";
import { DemoLayout } from "./demo-layout.tsx";

const SHOW_MS = 3000;

/** The loading texts of the product's screens. */
const SCREEN_TEXTS = [
  "Authenticating...",
  "Securing your dashboard...",
  "Unlocking your credentials...",
  "Loading credential details...",
];

export default function LoadingDemoPage() {
  const [overlay, setOverlay] = useState<"card" | "window" | null>(null);
  useEffect(() => {
    if (overlay === null) return undefined;
    const timer = setTimeout(() => setOverlay(null), SHOW_MS);
    return () => clearTimeout(timer);
  }, [overlay]);

  return (
    <DemoLayout title="Loading animations" subtitle="Every loading indicator with its default text.">
      <Stack gap="md">
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <SectionCard title="Full page">
            <PageLoading />
          </SectionCard>
          <Stack gap="md">
            <SectionCard title="Part of a page">
              <SectionLoading />
            </SectionCard>
            <SectionCard title="Action in progress">
              <Text size="sm">
                The overlay covers the affected area. With reduced motion the key fades instead of turning.
              </Text>
              <Group mt="sm" gap="xs">
                <Button variant="default" onClick={() => setOverlay("card")}>
                  Cover this card
                </Button>
                <Button variant="default" onClick={() => setOverlay("window")}>
                  Cover the window
                </Button>
              </Group>
              {overlay !== null && <BusyOverlay isWhole={overlay === "window"} />}
            </SectionCard>
          </Stack>
        </SimpleGrid>
        <SectionCard title="In use">
          <SimpleGrid cols={{ base: 1, xs: 2, md: 4 }}>
            {SCREEN_TEXTS.map((text) => (
              <SectionLoading key={text} text={text} />
            ))}
          </SimpleGrid>
        </SectionCard>
      </Stack>
    </DemoLayout>
  );
}
