// Offers the provider's own sign-out after a sign-out here, because the provider may still have a session in this
// browser.
import { Alert, Button, Stack, Text } from "@mantine/core";
import { IconInfoCircle } from "@tabler/icons-react";
import { useState } from "react";
import { messageOf } from "#shared/api/call-error.ts";
import type { ProviderSession } from "#shared/session/session-store.ts";
import { leaveProvider } from "./provider.queries.ts";
import { navigateAway } from "#shared/session/navigate-away.ts";

export function ProviderSessionNote({ provider: { id, name } }: { provider: ProviderSession }) {
  const [isBusy, setIsBusy] = useState(false);
  const [note, setNote] = useState<string | null>(null);

  async function leave(): Promise<void> {
    setIsBusy(true);
    setNote(null);
    try {
      const { url } = await leaveProvider(id);
      if (url === null) setNote(`${name} does not support sign-out from other systems. Sign out there.`);
      else navigateAway(url);
    } catch (error) {
      setNote(messageOf(error));
    } finally {
      setIsBusy(false);
    }
  }

  return (
    <Alert color="petrol" icon={<IconInfoCircle aria-hidden />} title="You are signed out of Strongroom">
      <Stack gap="sm" align="flex-start">
        <Text size="sm">You may still be signed in to {name} in this browser.</Text>
        <Button variant="default" size="sm" loading={isBusy} onClick={() => void leave()}>
          Sign out of {name} too
        </Button>
        {note !== null && (
          <Text size="sm" role="alert">
            {note}
          </Text>
        )}
      </Stack>
    </Alert>
  );
}
