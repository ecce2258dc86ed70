// A step-up for users without a password or second factor in Strongroom: their identity provider authenticates them again.
import { Button, Group, Stack, Text } from "@mantine/core";
import { IconExternalLink } from "@tabler/icons-react";
import { useEffect, useRef, useState } from "react";
import { navigateAway, requireWebAddress } from "#shared/session/navigate-away.ts";
import { messageOf } from "#shared/api/call-error.ts";
import { FailureAlert } from "#shared/ui/failure-alert.tsx";
import { beginAtProvider } from "./factors.queries.ts";
import { onProof } from "#shared/session/proof-channel.ts";

export interface ProviderProofProps {
  name: string;
  onProved: () => void;
  onCancel: () => void;
}

export function ProviderProof({ name, onProved, onCancel }: ProviderProofProps) {
  const [isWaiting, setIsWaiting] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);
  const proved = useRef(onProved);
  useEffect(() => onProof(() => proved.current()), []);

  async function leave(): Promise<void> {
    setFailure(null);
    // Opened synchronously, because browsers block windows that open after the click handler.
    const opened = globalThis.window.open("about:blank", "_blank", "popup,width=520,height=720");
    try {
      const { pathname, search } = globalThis.location;
      const { url } = await beginAtProvider(`${pathname}${search}`);
      requireWebAddress(url);
      setIsWaiting(true);
      if (opened === null) navigateAway(url);
      else opened.location.href = url;
    } catch (error) {
      opened?.close();
      setFailure(messageOf(error));
    }
  }

  return (
    <Stack gap="md">
      <Text size="sm">
        {isWaiting
          ? `Waiting for ${name}. This window continues after you sign in there.`
          : `You sign in with ${name}. Sign in there again in a new window to confirm your identity.`}
      </Text>
      {failure !== null && <FailureAlert message={failure} />}
      <Group grow preventGrowOverflow={false} gap="xs">
        <Button variant="default" size="md" onClick={onCancel}>
          Cancel
        </Button>
        <Button
          size="md"
          leftSection={<IconExternalLink size={18} aria-hidden />}
          data-autofocus
          onClick={() => void leave()}
        >
          {isWaiting ? "Open Again" : `Continue to ${name}`}
        </Button>
      </Group>
    </Stack>
  );
}
