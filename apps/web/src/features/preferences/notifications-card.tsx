// The user's notification preferences, stored on the server (NOTIF-06).
import { NativeSelect, Stack, Switch } from "@mantine/core";
import type { NotificationPreferences } from "@strongroom/contract";
import { messageOf } from "#shared/api/call-error.ts";
import { capitalised } from "#shared/format/text.ts";
import { SectionSkeleton } from "#shared/ui/section-skeleton.tsx";
import { SectionCard } from "#shared/ui/section-card.tsx";
import { ErrorState } from "#shared/ui/states.tsx";
import { toast } from "#shared/ui/toast.ts";
import { useNotificationPreferences, useSaveNotificationPreferences } from "./preferences.queries.ts";

type SwitchName = Exclude<keyof NotificationPreferences, "minimumSeverity">;
const SWITCHES: readonly { name: SwitchName; label: string; description: string }[] = [
  {
    name: "enableValidationAlerts",
    label: "Validation alerts",
    description: "A stored secret was verified on its target",
  },
  {
    name: "enableCriticalFailures",
    label: "Critical failures",
    description: "A secret stopped working or a host key changed",
  },
  {
    name: "enableJitAlerts",
    label: "Just-in-time access",
    description: "Access was granted, is about to end or has ended",
  },
  { name: "enableSuccessNotifications", label: "Successes", description: "Also notify about successful results" },
  { name: "alertSounds", label: "Alert sounds", description: "Critical alerts are also spoken" },
  { name: "emailNotifications", label: "Email", description: "Also by email, if this installation can send email" },
];
const SEVERITIES: readonly NotificationPreferences["minimumSeverity"][] = ["low", "medium", "high", "critical"];

export function NotificationsCard() {
  const { data, error, refetch, isFetching } = useNotificationPreferences();
  const save = useSaveNotificationPreferences();
  const change = (part: Partial<NotificationPreferences>) => {
    if (data === undefined) return;
    save.mutate(
      { ...data, ...part },
      {
        onSuccess: () => toast.success("Notification preferences saved"),
        onError: (failure) => toast.error(messageOf(failure, "Failed to save notification preferences")),
      },
    );
  };

  return (
    <SectionCard title="Notifications" description="Saved as soon as you change it.">
      {data === undefined && error === null && <SectionSkeleton text="Loading your preferences..." />}
      {data === undefined && error !== null && (
        <ErrorState message={messageOf(error)} onRetry={() => void refetch()} isRetrying={isFetching} />
      )}
      {data !== undefined && (
        <Stack gap="sm" maw="34rem">
          {SWITCHES.map(({ name, label, description }) => (
            <Switch
              key={name}
              label={label}
              description={description}
              checked={data[name]}
              disabled={save.isPending}
              onChange={(event) => change({ [name]: event.currentTarget.checked })}
            />
          ))}
          <NativeSelect
            label="Minimum severity"
            data={SEVERITIES.map((severity) => ({ value: severity, label: capitalised(severity) }))}
            value={data.minimumSeverity}
            disabled={save.isPending}
            maw="14rem"
            onChange={(event) =>
              change({ minimumSeverity: event.currentTarget.value as NotificationPreferences["minimumSeverity"] })
            }
          />
        </Stack>
      )}
    </SectionCard>
  );
}
