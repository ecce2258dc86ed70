// The form that adds and edits a credential: the fields of its type, validated by the contract's schema.
import { Select, SimpleGrid, Switch, TextInput } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import {
  CREDENTIAL_TYPES,
  CREDENTIAL_TYPE_LABELS,
  DEFAULT_PORTS,
  ENVIRONMENTS,
  isDatabaseType,
  needsSchemaName,
  type CredentialType,
  type Environment,
} from "@strongroom/contract";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { ConnectionParameters } from "#shared/connectors/connection-parameters.tsx";
import { connectorList } from "#shared/connectors/connectors.queries.ts";
import { afterKind, fieldsOf } from "#shared/connectors/parameter-values.ts";
import { Form } from "#shared/ui/form.tsx";
import type { FormInDialog } from "#shared/ui/form-dialog.tsx";
import {
  checkForm,
  hasAdditionalParams,
  kindOf,
  portAfterType,
  type CredentialFormMode,
  type CredentialFormValues,
} from "./credential-form-values.ts";
import { environmentLabel } from "../credential-labels.ts";
import { fieldErrorsOf } from "./save-credential.ts";
import { SecretField } from "./secret-field.tsx";

export interface CredentialFormProps extends FormInDialog<CredentialFormValues> {
  mode: CredentialFormMode;
}

const TYPE_CHOICES = CREDENTIAL_TYPES.map((type) => ({ value: type, label: CREDENTIAL_TYPE_LABELS[type] }));
const ENVIRONMENT_CHOICES = ENVIRONMENTS.map((value) => ({ value, label: environmentLabel(value) }));
const KEEP_SECRET = "Leave empty to keep the stored secret";

export default function CredentialForm({ mode, ...props }: CredentialFormProps) {
  const nameRef = useRef<HTMLInputElement>(null);
  // The dialog set its initial focus before this lazy form was loaded.
  useEffect(() => nameRef.current?.focus(), []);
  // The list is empty while the connectors load, so no parameter is checked or moved yet.
  const { connectors } = useQuery(connectorList).data ?? { connectors: [] };
  const stored = props.initial.additional_params;

  function check(values: CredentialFormValues) {
    const fields = fieldsOf(connectors, kindOf(values), values.additional_params);
    return checkForm(values, mode, { fields, stored });
  }

  function chooseType(form: UseFormReturnType<CredentialFormValues>, type: CredentialType): void {
    const { values } = form;
    form.setValues({
      type,
      port: portAfterType(values.port, values.type, type),
      additional_params: afterKind(connectors, kindOf(values), kindOf({ ...values, type }), values.additional_params),
    });
  }

  return (
    <Form {...props} check={check} objectionsIn={fieldErrorsOf}>
      {(form) => {
        const { type } = form.values;
        return (
          <>
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
                onChange={(next) => next !== null && chooseType(form, next as CredentialType)}
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
            {isDatabaseType(type) && (
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
              <ConnectionParameters
                form={form}
                kind={kindOf(form.values)}
                stored={stored}
                usualPort={String(DEFAULT_PORTS[type] ?? "")}
              />
            )}
          </>
        );
      }}
    </Form>
  );
}
