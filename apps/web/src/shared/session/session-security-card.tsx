// The card "Session Security": the user's own inactivity timeout and warning, stored in this browser (DEMO-03,
// DEMO-07 to DEMO-09).
import { Button, Group, NativeSelect, SimpleGrid, Text } from "@mantine/core";
import { useState } from "react";
import { SectionCard } from "#shared/ui/section-card.tsx";
import { toast } from "#shared/ui/toast.ts";
import {
  DEFAULT_SETTINGS,
  TIMEOUT_OPTIONS,
  WARNING_OPTIONS,
  storeSettings,
  useSessionSettings,
  type SessionSettings,
} from "./session-settings.ts";

const minutes = (count: number): string =>
  count < 60 ? `${count} minutes` : count === 60 ? "1 hour" : `${count / 60} hours`;

const choices = (options: readonly number[], usual: number) =>
  options.map((option) => ({
    value: String(option),
    label: option === usual ? `${minutes(option)} (default)` : minutes(option),
  }));

export interface SessionSecurityCardProps {
  /** The effective limits, including the installation's. */
  note?: string;
}

export function SessionSecurityCard({ note }: SessionSecurityCardProps) {
  const stored = useSessionSettings() ?? DEFAULT_SETTINGS;
  const [edited, setEdited] = useState<SessionSettings | null>(null);
  const shown = edited ?? stored;

  const save = () => {
    storeSettings(shown);
    setEdited(null);
    toast.success("Session settings saved");
  };

  return (
    <SectionCard
      title="Session Security"
      description="How long this browser can be idle before you are signed out, and when you are warned."
    >
      <SimpleGrid cols={{ base: 1, xs: 2 }} maw="34rem">
        <NativeSelect
          label="Session timeout"
          data={choices(TIMEOUT_OPTIONS, DEFAULT_SETTINGS.timeout)}
          value={String(shown.timeout)}
          onChange={(event) =>
            setEdited({ ...shown, timeout: Number(event.currentTarget.value) as SessionSettings["timeout"] })
          }
        />
        <NativeSelect
          label="Warning before timeout"
          data={choices(WARNING_OPTIONS, DEFAULT_SETTINGS.warningTime)}
          value={String(shown.warningTime)}
          onChange={(event) =>
            setEdited({ ...shown, warningTime: Number(event.currentTarget.value) as SessionSettings["warningTime"] })
          }
        />
      </SimpleGrid>
      {note !== undefined && (
        <Text size="sm" c="dimmed" mt="sm">
          {note}
        </Text>
      )}
      <Group mt="md">
        <Button onClick={save} disabled={edited === null}>
          Save Session Settings
        </Button>
      </Group>
    </SectionCard>
  );
}
