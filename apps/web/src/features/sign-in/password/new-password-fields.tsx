// A new password, its strength and its confirmation, for a form that changes or resets a password.
import { PasswordInput } from "@mantine/core";
import type { GetInputPropsReturnType } from "@mantine/form";
import { PasswordStrength } from "#shared/ui/password-strength.tsx";

interface PasswordForm {
  values: { password: string };
  getInputProps: (path: "password" | "confirmation") => GetInputPropsReturnType;
}

export interface NewPasswordFieldsProps {
  form: PasswordForm;
  label?: string;
  /** The user's own names, which make a password weak. */
  known?: readonly string[];
}

export function NewPasswordFields({ form, label = "New password", known }: NewPasswordFieldsProps) {
  return (
    <>
      <PasswordInput
        label={label}
        description="At least 8 characters, 12 for managers and admins"
        autoComplete="new-password"
        {...form.getInputProps("password")}
      />
      <PasswordStrength password={form.values.password} known={known} />
      <PasswordInput label="Confirm password" autoComplete="new-password" {...form.getInputProps("confirmation")} />
    </>
  );
}
