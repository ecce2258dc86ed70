// A new password, its strength and its confirmation, for a form that changes or resets a password.
import { PasswordInput, Progress, Stack, Text } from "@mantine/core";
import type { GetInputPropsReturnType } from "@mantine/form";
import { STRENGTHS, strengthOf } from "#shared/format/password-strength.ts";
import type { Strength } from "#shared/format/password-strength.ts";

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

const COLORS: Record<Strength, string> = { "too short": "red", weak: "red", fair: "brass", good: "green" };

interface PasswordStrengthProps {
  password: string;
  /** Words that others know about the user, such as their email. */
  known?: readonly string[];
}

function PasswordStrength({ password, known = [] }: PasswordStrengthProps) {
  if (password === "") return null;
  const strength = strengthOf(password, known);
  const part = (STRENGTHS.indexOf(strength) + 1) / STRENGTHS.length;
  return (
    <Stack gap={4} mt={-8}>
      <Progress value={part * 100} color={COLORS[strength]} size="sm" aria-hidden />
      <Text size="sm" c="dimmed" role="status">
        Strength: {strength}. Common passwords are refused.
      </Text>
    </Stack>
  );
}
