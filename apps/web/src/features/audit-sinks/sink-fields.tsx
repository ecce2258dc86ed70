// The special field types of the sink form.
import { Button, Checkbox, Group, PasswordInput, Stack, Textarea } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import { IconKey } from "@tabler/icons-react";
import { copySecret } from "#shared/ui/copy.ts";
import { toast } from "#shared/ui/toast.ts";
import classes from "./audit-sinks.module.css";
import type { SecretField, SinkFormValues } from "./sink-form-values.ts";

export type SinkForm = UseFormReturnType<SinkFormValues>;

interface PemProps {
  form: SinkForm;
  field: "ca" | "client_certificate";
  label: string;
  description: string;
}

export function Pem({ form, field, label, description }: PemProps) {
  return (
    <Textarea
      label={label}
      description={description}
      placeholder="-----BEGIN CERTIFICATE-----"
      rows={3}
      spellCheck={false}
      classNames={{ input: classes.code }}
      {...form.getInputProps(field)}
    />
  );
}

interface SecretInputProps {
  form: SinkForm;
  field: SecretField;
  label: string;
  description?: string;
  isStored: boolean;
  /** Several lines, such as a private key. */
  isLong?: boolean;
  /** Offers to generate a random value. */
  canMake?: boolean;
}

/** Never shows the stored secret; an empty field keeps it. */
export function SecretInput({
  form,
  field,
  label,
  description,
  isStored,
  isLong = false,
  canMake = false,
}: SecretInputProps) {
  const isRemoved = form.values.removed[field];
  const common = {
    label,
    description,
    placeholder: isStored ? "Stored. Leave empty to keep it." : undefined,
    disabled: isRemoved,
    autoComplete: "new-password",
    spellCheck: false,
    ...form.getInputProps(field),
  };
  function make(): void {
    const key = btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(32))));
    form.setFieldValue(field, key);
    copySecret(key).then(
      () => toast.success("New key copied. Give it to the receiver."),
      () => toast.error("Failed to copy the new key. Show it and copy it manually."),
    );
  }
  return (
    <Stack gap={6}>
      {isLong ? <Textarea {...common} rows={3} classNames={{ input: classes.code }} /> : <PasswordInput {...common} />}
      {(isStored || canMake) && (
        <Group gap="md" justify="space-between">
          {isStored ? (
            <Checkbox
              size="sm"
              label={`Remove the stored value (${label.toLowerCase()})`}
              {...form.getInputProps(`removed.${field}`, { type: "checkbox" })}
            />
          ) : (
            <span />
          )}
          {canMake && (
            <Button
              variant="default"
              size="compact-sm"
              leftSection={<IconKey size={14} aria-hidden />}
              onClick={make}
              disabled={isRemoved}
            >
              Generate a Key
            </Button>
          )}
        </Group>
      )}
    </Stack>
  );
}
