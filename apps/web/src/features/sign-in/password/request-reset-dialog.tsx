// Requests a password reset by email; the response is the same for known and unknown addresses (OPEN-09).
import { Button, Group, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { Email } from "@strongroom/contract";
import { zod4Resolver } from "mantine-form-zod-resolver";
import { useEffect } from "react";
import { z } from "zod";
import { isCallError, messageOf } from "#shared/api/call-error.ts";
import { FormStack } from "#shared/ui/form-stack.tsx";
import { Modal } from "#shared/ui/modal.tsx";
import { toast } from "#shared/ui/toast.ts";
import { useRequestReset } from "../sign-in.queries.ts";

const SENT = "Password reset link sent to your email";
const FAILED = "Failed to send reset email";

export interface RequestResetDialogProps {
  opened: boolean;
  onClose: () => void;
  /** The email already typed on the sign-in form. */
  email: string;
  hasMail: boolean;
}

export function RequestResetDialog({ opened, onClose, email, hasMail }: RequestResetDialogProps) {
  const request = useRequestReset();
  const form = useForm({ initialValues: { email: "" }, validate: zod4Resolver(z.object({ email: Email })) });
  const { setValues } = form;
  useEffect(() => {
    if (opened) setValues({ email });
  }, [opened, email, setValues]);

  const submit = form.onSubmit((values) =>
    request.mutate(values.email, {
      onSuccess: () => {
        toast.success(SENT);
        onClose();
      },
      onError: (error) => toast.error(isCallError(error) ? messageOf(error, FAILED) : FAILED),
    }),
  );

  return (
    <Modal opened={opened} onClose={onClose} title="Reset password" size="sm">
      <FormStack label="Reset password" onSubmit={submit}>
        <Text size="sm" c="dimmed">
          {hasMail
            ? "If an account uses this address, it receives a link that works once and expires after 30 minutes."
            : "This installation cannot send email. An administrator sees your request and gives you the link."}
        </Text>
        <TextInput
          type="email"
          label="Email address"
          autoComplete="username"
          data-autofocus
          {...form.getInputProps("email")}
        />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={request.isPending}>
            Send reset link
          </Button>
        </Group>
      </FormStack>
    </Modal>
  );
}
