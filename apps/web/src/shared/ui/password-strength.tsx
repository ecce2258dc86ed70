// Shows the strength of a new password while the user types.
import { Progress, Stack, Text } from "@mantine/core";
import { STRENGTHS, strengthOf, type Strength } from "#shared/format/password-strength.ts";

const COLORS: Record<Strength, string> = { "too short": "red", weak: "red", fair: "brass", good: "green" };

export interface PasswordStrengthProps {
  password: string;
  /** Words that others know about the user, such as their email. */
  known?: readonly string[];
}

export function PasswordStrength({ password, known = [] }: PasswordStrengthProps) {
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
