// "Select your role": the three roles with their descriptions (SIGNUP-10 to SIGNUP-12).
import { Group, Radio, Stack, Text } from "@mantine/core";
import type { Role } from "@strongroom/contract";
import classes from "./role-choice.module.css";
import { ROLE_CHOICES } from "./sign-up-form.ts";

export interface RoleChoiceProps {
  value: Role;
  onChange: (role: Role) => void;
}

export function RoleChoice({ value, onChange }: RoleChoiceProps) {
  return (
    <Radio.Group label="Select your role" value={value} onChange={(role) => onChange(role)}>
      <Stack gap={6} mt={4}>
        {ROLE_CHOICES.map(({ role, label, description }) => (
          <label key={role} htmlFor={`choose-${role}`} className={classes.choice} data-checked={value === role}>
            <Group gap="sm" wrap="nowrap" align="flex-start">
              <Radio id={`choose-${role}`} value={role} aria-label={label} aria-describedby={`role-${role}`} mt={2} />
              <div>
                <Text fw={600} size="sm">
                  {label}
                </Text>
                <Text size="sm" c="dimmed" id={`role-${role}`}>
                  {description}
                </Text>
              </div>
            </Group>
          </label>
        ))}
      </Stack>
      {value !== "user" && (
        <Text size="sm" c="dimmed" mt={6} role="status">
          An administrator must approve this role. Until then, you have the User role.
        </Text>
      )}
    </Radio.Group>
  );
}
