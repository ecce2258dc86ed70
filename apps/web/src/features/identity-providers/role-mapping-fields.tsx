// Rows that map a provider's group to a role.
import { ActionIcon, Button, Input, Select, TextInput } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import { IconPlus, IconTrash } from "@tabler/icons-react";
import { ROLES } from "@strongroom/contract";
import { capitalised } from "#shared/format/text.ts";
import type { ProviderFormValues } from "./provider-form-values.ts";
import classes from "./identity-providers.module.css";

const CHOICES = ROLES.map((value) => ({ value, label: capitalised(value) }));

export function RoleMappingFields({ form }: { form: UseFormReturnType<ProviderFormValues> }) {
  const rows = form.values.role_mappings;
  return (
    <Input.Wrapper
      label="Roles by group"
      description="Each sign-in assigns the highest role of the user's groups. Without mappings, roles are assigned here"
      error={form.errors["role_mappings"]}
      labelElement="div"
    >
      <div className={classes.rows}>
        {rows.map((_, place) => (
          // oxlint-disable-next-line no-array-index-key -- rows have no other name, and keep their place
          <div key={place} className={classes.row}>
            <TextInput
              aria-label={`Group ${place + 1}`}
              placeholder="Group"
              className={classes.group}
              {...form.getInputProps(`role_mappings.${place}.group`)}
            />
            <Select
              aria-label={`Role of group ${place + 1}`}
              data={CHOICES}
              allowDeselect={false}
              className={classes.role}
              {...form.getInputProps(`role_mappings.${place}.role`)}
            />
            <ActionIcon
              aria-label={`Remove group ${place + 1}`}
              onClick={() => form.removeListItem("role_mappings", place)}
            >
              <IconTrash size={16} aria-hidden />
            </ActionIcon>
          </div>
        ))}
        <Button
          variant="default"
          size="compact-sm"
          leftSection={<IconPlus size={14} aria-hidden />}
          className={classes.add}
          onClick={() => form.insertListItem("role_mappings", { group: "", role: "user" })}
        >
          Add a Group
        </Button>
      </div>
    </Input.Wrapper>
  );
}
