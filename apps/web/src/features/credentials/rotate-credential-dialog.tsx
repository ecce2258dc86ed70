// "Rotate Password": what a rotation will do (VAULT-49), and that this release does not rotate yet.
import { Alert, Button, Group, List, Stack } from "@mantine/core";
import { IconInfoCircle } from "@tabler/icons-react";
import type { Credential } from "@strongroom/contract";
import { Modal } from "#shared/ui/modal.tsx";

export interface RotateCredentialDialogProps {
  credential: Credential;
  opened: boolean;
  onClose: () => void;
}

export function RotateCredentialDialog({ credential, opened, onClose }: RotateCredentialDialogProps) {
  return (
    <Modal opened={opened} onClose={onClose} title="Rotate Password">
      <Stack gap="md">
        <p style={{ margin: 0 }}>
          Rotating the password of <strong>{credential.name}</strong> means:
        </p>
        <List spacing={4} size="md">
          <List.Item>A new password will be generated</List.Item>
          <List.Item>The target system will be updated</List.Item>
          <List.Item>The old password will be invalidated</List.Item>
          <List.Item>It cannot be undone</List.Item>
          <List.Item>It may take a few minutes</List.Item>
        </List>
        <Alert color="petrol" variant="light" icon={<IconInfoCircle aria-hidden />}>
          This release cannot rotate passwords yet: change it on the system and store the new one with Edit.
        </Alert>
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose} data-autofocus>
            Cancel
          </Button>
          <Button disabled>Rotate Password</Button>
        </Group>
      </Stack>
    </Modal>
  );
}
