// "Test": shows the result of each step of a connection to the provider.
import { Button, Group, Stack, TextInput } from "@mantine/core";
import { IconCircleCheck, IconCircleX, IconPlugConnected } from "@tabler/icons-react";
import type { IdentityProvider, ReplyOf, testIdentityProvider } from "@strongroom/contract";
import { useState } from "react";
import { messageOf } from "#shared/api/call-error.ts";
import { useMutation } from "#shared/api/use-mutation.ts";
import { Modal } from "#shared/ui/modal.tsx";
import { ErrorState } from "#shared/ui/states.tsx";
import { toneStyle } from "#shared/ui/tone.ts";
import { connectionTest } from "./identity-providers.queries.ts";
import classes from "./identity-providers.module.css";

export interface TestProviderDialogProps {
  provider: IdentityProvider;
  opened: boolean;
  onClose: () => void;
}

export function TestProviderDialog({ provider, opened, onClose }: TestProviderDialogProps) {
  const { mutate, data, error, isPending } = useMutation(connectionTest(provider.id));
  const [username, setUsername] = useState("");
  return (
    <Modal opened={opened} onClose={onClose} title={`Test ${provider.name}`}>
      <form
        aria-label="Test"
        onSubmit={(event) => {
          event.preventDefault();
          mutate(username);
        }}
      >
        <Stack gap="md">
          {provider.kind === "ldap" && (
            <TextInput
              label="User name or email"
              description="The user to look up; no password is needed. Leave empty to test only the connection"
              value={username}
              onChange={(event) => setUsername(event.currentTarget.value)}
              data-autofocus
            />
          )}
          <div aria-live="polite">
            {error !== null && <ErrorState message={messageOf(error)} />}
            {error === null && data !== undefined && !isPending && <Steps report={data} />}
          </div>
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              Done
            </Button>
            <Button type="submit" loading={isPending} leftSection={<IconPlugConnected size={16} aria-hidden />}>
              Test
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

function Steps({ report }: { report: ReplyOf<typeof testIdentityProvider> }) {
  return (
    <ul className={classes.steps} aria-label="Test results">
      {report.steps.map(({ is_good: isGood, text }) => (
        <li key={text} className={classes.step} style={toneStyle(isGood ? "success" : "danger")}>
          {isGood ? (
            <IconCircleCheck className={classes.sign} size={17} role="img" aria-label="Passed" />
          ) : (
            <IconCircleX className={classes.sign} size={17} role="img" aria-label="Failed" />
          )}
          <span>{text}</span>
        </li>
      ))}
    </ul>
  );
}
