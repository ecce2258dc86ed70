// "Store a Known Password": one field, for a password that was changed on the target system by hand.
import { PasswordInput } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { weakSecretNote } from "#shared/format/password-strength.ts";
import { FormDialog } from "#shared/ui/form-dialog.tsx";
import { Form } from "#shared/ui/form.tsx";
import type { AccountActionDialogProps } from "../actions/account-action-dialogs.tsx";
import { changeAccount } from "../accounts.queries.ts";
import { editPayloadOf, formOf } from "./account-form-values.ts";
import { editFailureText } from "./save-account.ts";

const EMPTY = { password: "" };

export function StorePasswordDialog({ account, opened, onClose }: AccountActionDialogProps) {
  const client = useQueryClient();
  return (
    <FormDialog
      opened={opened}
      onClose={onClose}
      title="Store a Known Password"
      size="sm"
      initial={EMPTY}
      submitLabel="Store Password"
      failureText={editFailureText}
      save={({ password }) => changeAccount(client, account.id, { ...editPayloadOf(formOf(account)), password })}
      done={({ name }) => `Password of "${name}" stored`}
    >
      {(props) => (
        <Form {...props} check={({ password }) => (password === "" ? { password: "Password is required" } : {})}>
          {(form) => (
            <PasswordInput
              label="Password"
              required
              data-autofocus
              // Prevents the browser from saving or filling in this password.
              autoComplete="new-password"
              spellCheck={false}
              description={
                weakSecretNote(form.values.password) ??
                `The password that ${account.username} has on ${account.hostname_ip} now. The target system is not changed.`
              }
              {...form.getInputProps("password")}
            />
          )}
        </Form>
      )}
    </FormDialog>
  );
}
