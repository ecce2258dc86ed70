// The dialog "Session Timeout Warning": a countdown with buttons to stay or to sign out (AUTH-59 to AUTH-64).
import { Button, Group, Stack, Text } from "@mantine/core";
import { countdown } from "#shared/format/time.ts";
import { BusyOverlay } from "#shared/ui/loading.tsx";
import { Modal } from "#shared/ui/modal.tsx";

export interface SessionTimeoutDialogProps {
  opened: boolean;
  remainingMs: number;
  isSigningOut: boolean;
  onStay: () => void;
  onLogout: () => void;
}

export function SessionTimeoutDialog({
  opened,
  remainingMs,
  isSigningOut,
  onStay,
  onLogout,
}: SessionTimeoutDialogProps) {
  return (
    <>
      <Modal opened={opened} onClose={onStay} title="Session Timeout Warning" size="sm" isInsistent>
        <Stack gap="md">
          <Text size="md">You have been inactive for a while. Without activity, you will be signed out in</Text>
          <Text role="timer" aria-label="Time left" ta="center" fz={40} fw={600} lh={1.1} ff="monospace">
            {countdown(remainingMs)}
          </Text>
          <Group grow gap="xs">
            <Button variant="default" onClick={onLogout} disabled={isSigningOut}>
              Logout Now
            </Button>
            <Button onClick={onStay} disabled={isSigningOut} data-autofocus>
              Stay Logged In
            </Button>
          </Group>
        </Stack>
      </Modal>
      {isSigningOut && <BusyOverlay text="Securing session..." isWhole />}
    </>
  );
}
