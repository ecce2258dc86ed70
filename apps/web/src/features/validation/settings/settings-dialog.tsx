// "Dashboard settings": refresh interval, visible widgets and alerts (VAL-06, VAL-47).
import { Checkbox, NativeSelect, SimpleGrid, Stack, Switch } from "@mantine/core";
import type { DashboardPreferences } from "@strongroom/contract";
import { useQueryClient } from "@tanstack/react-query";
import { useMutation } from "#shared/api/use-mutation.ts";
import { Form } from "#shared/ui/form.tsx";
import { Modal } from "#shared/ui/modal.tsx";
import { toast } from "#shared/ui/toast.ts";
import { WIDGETS, intervalChoices } from "./settings-values.ts";
import { RANGE_CHOICES } from "../validation-address.ts";
import { savingPreferences } from "../validation.queries.ts";

export interface SettingsDialogProps {
  preferences: DashboardPreferences;
  opened: boolean;
  onClose: () => void;
}

const ALERTS = [
  { name: "enableCriticalAlerts", label: "Critical alerts", description: "A red notice that stays until dismissed" },
  {
    name: "enableSuccessNotifications",
    label: "Successes",
    description: "Also notify about successful results",
  },
  { name: "alertSounds", label: "Alert sounds", description: "Critical alerts are also spoken" },
] as const;

export function SettingsDialog({ preferences, opened, onClose }: SettingsDialogProps) {
  const { mutateAsync } = useMutation(savingPreferences(useQueryClient()));
  async function save(values: DashboardPreferences): Promise<void> {
    await mutateAsync(values);
    toast.success("Dashboard preferences saved");
    onClose();
  }
  const all = WIDGETS.map(({ name }) => name);
  const initial = {
    ...preferences,
    visibleWidgets: preferences.visibleWidgets.length === 0 ? all : preferences.visibleWidgets,
  };
  return (
    <Modal opened={opened} onClose={onClose} title="Dashboard Settings">
      <Form
        initial={initial}
        check={({ visibleWidgets }) =>
          visibleWidgets.length === 0 ? { visibleWidgets: "Show at least one section" } : {}
        }
        submitLabel="Save"
        failureText="Failed to save dashboard preferences"
        onCancel={onClose}
        onSubmit={save}
      >
        {(form) => (
          <Stack gap="md">
            <SimpleGrid cols={{ base: 1, xs: 2 }}>
              <NativeSelect
                label="Default time range"
                data={RANGE_CHOICES}
                {...form.getInputProps("defaultTimeRange")}
              />
              <NativeSelect
                label="Refresh interval"
                data={intervalChoices(preferences.refreshInterval)}
                disabled={!form.values.autoRefresh}
                value={String(form.values.refreshInterval)}
                onChange={(event) => form.setFieldValue("refreshInterval", Number(event.currentTarget.value))}
              />
            </SimpleGrid>
            <Switch label="Automatic refresh" {...form.getInputProps("autoRefresh", { type: "checkbox" })} />
            <Checkbox.Group label="Overview sections" {...form.getInputProps("visibleWidgets")}>
              <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="xs" verticalSpacing="xs" mt={6}>
                {WIDGETS.map(({ name, label }) => (
                  <Checkbox key={name} value={name} label={label} />
                ))}
              </SimpleGrid>
            </Checkbox.Group>
            {ALERTS.map(({ name, label, description }) => (
              <Switch
                key={name}
                label={label}
                description={description}
                {...form.getInputProps(`notifications.${name}`, { type: "checkbox" })}
              />
            ))}
          </Stack>
        )}
      </Form>
    </Modal>
  );
}
