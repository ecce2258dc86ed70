// Red banners for loads that failed; the user can dismiss each (DISC-08, DISC-59 to DISC-62).
import { Alert, Button, Group, Stack } from "@mantine/core";
import { IconAlertTriangle, IconRefresh } from "@tabler/icons-react";
import { useState } from "react";
import { messageOf } from "#shared/api/call-error.ts";
import type { LoadFailure } from "#shared/discovery/discovery-tab.ts";

export interface LoadFailuresProps {
  failures: readonly LoadFailure[];
  /** Whether every load of the page failed: one banner then represents all of them. */
  isEverything: boolean;
  /** The banners keep what they show until the loads end, because a load that is repeated has no error in the meantime. */
  isFetching: boolean;
  onRetry: () => void;
}

export function LoadFailures({ failures, isEverything, isFetching, onRetry }: LoadFailuresProps) {
  const [first] = failures;
  const [dismissed, setDismissed] = useState<readonly string[]>([]);
  const [shown, setShown] = useState<readonly LoadFailure[]>([]);
  const latest =
    isEverything && first !== undefined ? [{ text: "Failed to load discovery data", error: first.error }] : failures;
  if (!isFetching && !isSame(latest, shown)) setShown(latest);
  // A banner returns when its load fails again after a success.
  const stillFailing = dismissed.filter((text) => shown.some((each) => each.text === text));
  if (stillFailing.length < dismissed.length) setDismissed(stillFailing);
  const visible = shown.filter(({ text }) => !dismissed.includes(text));
  if (visible.length === 0) return null;
  return (
    <Stack gap="xs">
      {visible.map(({ text, error }) => (
        <Alert
          key={text}
          role="alert"
          color="red"
          title={text}
          icon={<IconAlertTriangle aria-hidden />}
          withCloseButton
          closeButtonLabel={`Dismiss: ${text}`}
          onClose={() => setDismissed([...dismissed, text])}
        >
          <Group justify="space-between" gap="xs">
            <span>{messageOf(error)}</span>
            <Button
              size="compact-sm"
              variant="default"
              leftSection={<IconRefresh size={15} aria-hidden />}
              loading={isFetching}
              onClick={onRetry}
            >
              Retry
            </Button>
          </Group>
        </Alert>
      ))}
    </Stack>
  );
}

const isSame = (these: readonly LoadFailure[], those: readonly LoadFailure[]): boolean =>
  these.length === those.length &&
  these.every(({ text, error }, index) => text === those[index]?.text && error === those[index]?.error);
