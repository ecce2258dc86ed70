// Requests a password reset by email; the response is the same for known and unknown addresses (OPEN-09).
import { Text, TextInput } from "@mantine/core";
import { Email } from "@strongroom/contract";
import { z } from "zod";
import { isCallError, messageOf } from "#shared/api/call-error.ts";
import { firstObjections } from "#shared/api/field-errors.ts";
import { FormDialog } from "#shared/ui/form-dialog.tsx";
import { Form } from "#shared/ui/form.tsx";
import type { DialogProps } from "#shared/ui/modal.tsx";
import { useRequestReset } from "../sign-in.queries.ts";

const SENT = "Password reset link sent to your email";
const FAILED = "Failed to send reset email";

export interface RequestResetDialogProps extends DialogProps {
  /** The email already typed on the sign-in form. */
  email: string;
  hasMail: boolean;
}

export default function RequestResetDialog({ opened, onClose, email, hasMail }: RequestResetDialogProps) {
  const { mutateAsync: request } = useRequestReset();
  return (
    <FormDialog
      opened={opened}
      onClose={onClose}
      title="Reset password"
      size="sm"
      initial={{ email }}
      submitLabel="Send Reset Link"
      failureText={(error) => (isCallError(error) ? messageOf(error, FAILED) : FAILED)}
      save={(values) => request(values.email)}
      done={SENT}
    >
      {(props) => (
        <Form label="Reset password" check={(values) => firstObjections(z.object({ email: Email }), values)} {...props}>
          {(form) => (
            <>
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
            </>
          )}
        </Form>
      )}
    </FormDialog>
  );
}
