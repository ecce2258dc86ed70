// The form that adds and edits a credential: the fields of its type, validated by the contract's schema.
import { Button, Group, JsonInput, Select, SimpleGrid, Stack, Switch, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import {
  CREDENTIAL_TYPES,
  CREDENTIAL_TYPE_LABELS,
  ENVIRONMENTS,
  isDatabaseType,
  needsSchemaName,
  type CredentialType,
  type Environment,
} from "@strongroom/contract";
import { useEffect, useRef, useState } from "react";
import { FailureAlert, focusFirstError } from "#shared/ui/failure-alert.tsx";
import {
  INVALID_JSON,
  checkForm,
  hasAdditionalParams,
  paramsHelp,
  portAfterType,
  type CredentialFormMode,
  type CredentialFormValues,
} from "./credential-form-values.ts";
import { environmentLabel } from "../credential-labels.ts";
import { fieldErrorsOf, saveFailureText } from "./save-credential.ts";
import { SecretField } from "./secret-field.tsx";

export interface CredentialFormProps {
  mode: CredentialFormMode;
  initial: CredentialFormValues;
  submitLabel: string;
  /** Shown when the server gives no reason. */
  failureText: string;
  onCancel: () => void;
  /** Rejects when the server refuses the values. */
  onSubmit: (values: CredentialFormValues) => Promise<void>;
}

const TYPE_CHOICES = CREDENTIAL_TYPES.map((type) => ({ value: type, label: CREDENTIAL_TYPE_LABELS[type] }));
const ENVIRONMENT_CHOICES = ENVIRONMENTS.map((value) => ({ value, label: environmentLabel(value) }));
const KEEP_SECRET = "Leave empty to keep the stored secret";

export default function CredentialForm({
  mode,
  initial,
  submitLabel,
  failureText,
  onCancel,
  onSubmit,
}: CredentialFormProps) {
  const [failure, setFailure] = useState<string | null>(null);
  const nameRef = useRef<HTMLInputElement>(null);
  // The dialog set its initial focus before this lazy form was loaded.
  useEffect(() => nameRef.current?.focus(), []);
  const form = useForm<CredentialFormValues>({
    initialValues: initial,
    validate: (values) => checkForm(values, mode),
    // CRED-36: any edit clears the error.
    onValuesChange: () => setFailure(null),
  });
  const { type } = form.values;
  const isDatabase = isDatabaseType(type);

  function chooseType(next: CredentialType): void {
    form.setFieldValue("port", portAfterType(form.values.port, type, next));
    form.setFieldValue("type", next);
  }

  async function submit(values: CredentialFormValues): Promise<void> {
    setFailure(null);
    try {
      await onSubmit(values);
    } catch (error) {
      form.setErrors(fieldErrorsOf(error));
      setFailure(saveFailureText(error, failureText));
    }
  }

  return (
    <form onSubmit={form.onSubmit(submit, focusFirstError(form))} noValidate>
      <Stack gap="md">
        {failure !== null && <FailureAlert message={failure} />}
        <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="md" verticalSpacing="sm">
          <TextInput
            label="Name"
            required
            maxLength={100}
            ref={nameRef}
            data-autofocus
            {...form.getInputProps("name")}
          />
          <Select
            label="Type"
            required
            data={TYPE_CHOICES}
            allowDeselect={false}
            searchable
            nothingFoundMessage="No matching type"
            {...form.getInputProps("type")}
            onChange={(next) => next !== null && chooseType(next as CredentialType)}
          />
          <TextInput label="Username" maxLength={50} autoComplete="off" {...form.getInputProps("username")} />
          <Select
            label="Environment"
            required
            data={ENVIRONMENT_CHOICES}
            allowDeselect={false}
            {...form.getInputProps("environment")}
            onChange={(next) => next !== null && form.setFieldValue("environment", next as Environment)}
          />
          <TextInput label="Host" maxLength={253} placeholder="db01.example.com" {...form.getInputProps("host")} />
          <TextInput label="Port" inputMode="numeric" maxLength={5} {...form.getInputProps("port")} />
        </SimpleGrid>
        <SecretField
          type={type}
          value={form.values.value}
          error={form.errors["value"]}
          isRequired={mode === "add"}
          hint={mode === "edit" ? KEEP_SECRET : undefined}
          onChange={(value) => form.setFieldValue("value", value)}
        />
        {isDatabase && (
          <>
            <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="md" verticalSpacing="sm">
              <TextInput label="Database name" required maxLength={128} {...form.getInputProps("database_name")} />
              <TextInput
                label="Schema name"
                required={needsSchemaName(type)}
                maxLength={128}
                {...form.getInputProps("schema_name")}
              />
            </SimpleGrid>
            <TextInput
              label="Connection string"
              placeholder="scheme://host:port/database"
              description="Overrides host, port and database. Put the password in the field above, not here."
              maxLength={2000}
              {...form.getInputProps("connection_string")}
            />
            <Switch label="SSL enabled" {...form.getInputProps("ssl_enabled", { type: "checkbox" })} />
          </>
        )}
        {hasAdditionalParams(type) && (
          <JsonInput
            label="Additional parameters (JSON)"
            description={paramsHelp(type)}
            rows={3}
            resize="vertical"
            formatOnBlur
            validationError={INVALID_JSON}
            {...form.getInputProps("additional_params")}
          />
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onCancel} disabled={form.submitting}>
            Cancel
          </Button>
          <Button type="submit" loading={form.submitting}>
            {submitLabel}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
