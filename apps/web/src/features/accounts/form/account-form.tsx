// The form that creates and edits an account: five sections, with one validation error at a time (ACC-46 to ACC-75).
import { Button, Checkbox, PasswordInput, Select, TextInput, Textarea } from "@mantine/core";
import {
  ACCOUNT_DETAILS,
  ACCOUNT_DETAIL_NAMES,
  CONNECTION_METHODS,
  SYSTEM_TYPE_OPTIONS,
  pick,
  type ConnectionMethod,
} from "@strongroom/contract";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useId, useRef, useState, type ReactNode } from "react";
import { fieldErrorsOf } from "#shared/api/field-errors.ts";
import { ConnectionParameters } from "#shared/connectors/connection-parameters.tsx";
import { connectorList } from "#shared/connectors/connectors.queries.ts";
import { afterKind, afterProtocol, fieldsOf, type Params } from "#shared/connectors/parameter-values.ts";
import { weakSecretNote } from "#shared/format/password-strength.ts";
import { DialogButtons } from "#shared/ui/dialog-buttons.tsx";
import { FailureAlert } from "#shared/ui/failure-alert.tsx";
import { useSubmission } from "#shared/ui/form.tsx";
import { TagsField } from "#shared/ui/tags-field.tsx";
import {
  type AccountFormControl,
  afterSystem,
  checkForm,
  isDatabase,
  isFormField,
  kindOf,
  needsSchema,
  portOfSystem,
  protocolAfter,
  systemTypeOf,
  type AccountFormMode,
  type AccountFormValues,
  type SystemChoice,
} from "./account-form-values.ts";
import classes from "./account-form.module.css";
import { activePlatforms } from "../accounts.queries.ts";
import { LoginTest } from "./login-test.tsx";
import { PlatformField, SafeField } from "./organization-fields.tsx";
import { SystemSearch } from "./system-search.tsx";

export interface AccountFormProps {
  mode: AccountFormMode;
  initial: AccountFormValues;
  submitLabel: string;
  busyLabel: string;
  /** Turns a failed save into the text above the form. */
  failureText: (error: unknown) => string;
  onCancel: () => void;
  /** Rejects when the server refuses the values. */
  onSubmit: (values: AccountFormValues) => Promise<void>;
  /** The parts that may be edited; other parts are hidden. Defaults to all. */
  may?: EditableParts;
}

interface EditableParts {
  name: boolean;
  properties: boolean;
  secret: boolean;
}
const EVERYTHING: EditableParts = { name: true, properties: true, secret: true };

const SYSTEM_CHOICES = SYSTEM_TYPE_OPTIONS.map(({ value, label }) => ({
  value: label === "MariaDB" ? "mariadb" : value,
  label,
}));

export default function AccountForm(props: AccountFormProps) {
  const { mode, initial, submitLabel, busyLabel, failureText, onCancel, onSubmit, may = EVERYTHING } = props;
  const { connectors } = useConnectors();
  const stored = initial.additional_params;
  const { form, failure, submit } = useSubmission<AccountFormValues>({
    initial,
    check: (values) => {
      const fields = fieldsOf(connectors, kindOf(values), values.additional_params);
      return checkForm(values, mode, { fields, stored });
    },
    objectionsIn: (error) => fieldErrorsOf(error, isFormField),
    failureText,
    onSubmit,
    // ACC-59: any edit clears the errors.
    onEdit: ({ clearErrors }) => clearErrors(),
  });

  return (
    <form onSubmit={submit} noValidate className={classes.form}>
      {failure !== null && <FailureAlert {...failure} />}
      {(may.name || may.properties) && <InformationFields form={form} mode={mode} may={may} />}
      {(may.secret || may.properties) && <CredentialFields form={form} mode={mode} may={may} stored={stored} />}
      {may.properties && <PropertyFields form={form} mode={mode} stored={stored} />}
      {mode === "create" && (
        <>
          <Checkbox
            label="Rotate the password now"
            description="After storing it, Strongroom sets a new, unknown password on the target."
            {...form.getInputProps("rotates", { type: "checkbox" })}
          />
          <LoginTest form={form} isComplete={() => !form.validate().hasErrors} />
        </>
      )}
      <DialogButtons>
        <Button variant="default" onClick={onCancel} disabled={form.submitting}>
          Cancel
        </Button>
        {/* The label shows the progress, so a loader must not cover it. */}
        <Button type="submit" disabled={form.submitting} data-busy={form.submitting}>
          {form.submitting ? busyLabel : submitLabel}
        </Button>
      </DialogButtons>
    </form>
  );
}

/** The list is empty while the connectors load, so no parameter is checked or moved yet. */
function useConnectors() {
  return useQuery(connectorList).data ?? { connectors: [] };
}

/** `stored`: the additional parameters when the form was opened. */
interface PartProps {
  form: AccountFormControl;
  mode: AccountFormMode;
  stored: Params;
}

function PropertyFields({ form, mode, stored }: PartProps) {
  return (
    <>
      {isDatabase(form.values.system) && <DatabaseFields form={form} stored={stored} />}
      <Section title="Organization">
        <PlatformField form={form} />
        {mode === "create" ? <SafeField form={form} /> : <StatusField form={form} />}
        <TagsField className={classes.whole} {...form.getInputProps("tags")} />
      </Section>
      <Section title="Notes">
        <Textarea
          aria-label="Notes"
          className={classes.whole}
          rows={3}
          resize="vertical"
          maxLength={5000}
          {...form.getInputProps("notes")}
        />
      </Section>
    </>
  );
}

function Section({ title, children }: { title: string; children: ReactNode }) {
  const id = useId();
  return (
    <div role="group" aria-labelledby={id} className={classes.section}>
      <h3 id={id} className={classes.title}>
        {title}
      </h3>
      <div className={classes.fields}>{children}</div>
    </div>
  );
}

/** ACC-47. */
function InformationFields({ form, mode, may }: Omit<PartProps, "stored"> & { may: EditableParts }) {
  const nameRef = useRef<HTMLInputElement>(null);
  // The dialog set its initial focus before this lazy form was loaded. A new account starts with the search.
  useEffect(() => {
    if (mode === "edit") nameRef.current?.focus();
  }, [mode]);
  return (
    <Section title="Account Information">
      {mode === "create" && <SystemSearch form={form} />}
      {may.properties && <SystemField form={form} mode={mode} />}
      <TextInput
        label="Account Name"
        required
        maxLength={100}
        ref={nameRef}
        disabled={!may.name}
        {...form.getInputProps("name")}
      />
      {may.properties && <WhereFields form={form} />}
    </Section>
  );
}

/** Before the other fields, because they depend on it. A new account gets the system's platform if there is only one. */
function SystemField({ form, mode }: { form: AccountFormControl; mode: AccountFormMode }) {
  const change = useChange(form);
  const platforms = useQuery(activePlatforms).data?.platforms ?? [];
  const platformAfter = (system: SystemChoice): Partial<AccountFormValues> => {
    const [only, ...others] = platforms.filter(({ system_type: type }) => type === systemTypeOf(system));
    return mode === "create" && only !== undefined && others.length === 0 ? { platform_id: only.id } : {};
  };
  return (
    <Select
      label="System Type"
      required
      data={SYSTEM_CHOICES}
      allowDeselect={false}
      searchable
      nothingFoundMessage="No matching system"
      {...form.getInputProps("system")}
      onChange={(next) => {
        const system = next as SystemChoice | null;
        if (system !== null) change({ ...afterSystem(form.values, system), ...platformAfter(system) });
      }}
    />
  );
}

/** Sets fields that decide the connector, and moves the parameters to the next one. */
function useChange(form: AccountFormControl) {
  const { connectors } = useConnectors();
  return (next: Partial<AccountFormValues>): void => {
    const { values } = form;
    const kind = kindOf({ ...values, ...next });
    const params = afterKind(connectors, kindOf(values), kind, values.additional_params);
    const protocol = next.system === undefined ? undefined : protocolAfter(values, next.system);
    const additional_params = protocol === undefined ? params : afterProtocol(connectors, kind, params, protocol);
    form.setValues({ ...next, additional_params });
  };
}

function WhereFields({ form }: { form: AccountFormControl }) {
  const change = useChange(form);
  return (
    <>
      <TextInput
        label="Hostname/IP Address"
        required
        maxLength={253}
        placeholder="db01.example.com"
        {...form.getInputProps("hostname")}
      />
      <TextInput label="Port" inputMode="numeric" maxLength={5} {...form.getInputProps("port")} />
      <Select
        label="Connection Method"
        required
        data={[...CONNECTION_METHODS]}
        allowDeselect={false}
        {...form.getInputProps("connection_method")}
        onChange={(next) => next !== null && change({ connection_method: next as ConnectionMethod })}
      />
      {ACCOUNT_DETAIL_NAMES.map((name) => (
        <TextInput
          key={name}
          {...pick(ACCOUNT_DETAILS[name], ["label", "placeholder", "maxLength"])}
          {...form.getInputProps(name)}
        />
      ))}
    </>
  );
}

/** ACC-48. */
function CredentialFields({ form, mode, may, stored }: PartProps & { may: EditableParts }) {
  const [isShown, setIsShown] = useState(false);
  return (
    <Section title="Credentials">
      {may.properties && (
        <TextInput
          label="Username"
          required
          maxLength={128}
          autoComplete="off"
          spellCheck={false}
          {...form.getInputProps("username")}
        />
      )}
      {may.secret && (
        <PasswordInput
          label="Password"
          required={mode === "create"}
          // Prevents the browser from saving or filling in this password.
          autoComplete="new-password"
          spellCheck={false}
          description={
            weakSecretNote(form.values.password) ??
            (mode === "edit" ? "Leave empty to keep the stored password" : undefined)
          }
          visible={isShown}
          onVisibilityChange={setIsShown}
          visibilityToggleButtonProps={{ "aria-label": isShown ? "Hide password" : "Show password", tabIndex: 0 }}
          {...form.getInputProps("password")}
        />
      )}
      {may.properties && !isDatabase(form.values.system) && <ParameterFields form={form} stored={stored} />}
    </Section>
  );
}

/** ACC-49 to ACC-51. */
function DatabaseFields({ form, stored }: Omit<PartProps, "mode">) {
  return (
    <Section title="Database Configuration">
      <TextInput label="Database Name" required maxLength={128} {...form.getInputProps("database_name")} />
      {needsSchema(form.values.system) && (
        <TextInput label="Schema Name" required maxLength={128} {...form.getInputProps("schema_name")} />
      )}
      <TextInput
        className={classes.whole}
        label="Connection String (optional)"
        placeholder="scheme://host:port/database"
        description="Overrides host, port and database. Put the password in the field above, not here."
        maxLength={2000}
        {...form.getInputProps("connection_string")}
      />
      <Checkbox
        className={classes.whole}
        label="Enable SSL/TLS"
        {...form.getInputProps("ssl_enabled", { type: "checkbox" })}
      />
      <ParameterFields form={form} stored={stored} />
    </Section>
  );
}

function ParameterFields({ form, stored }: Omit<PartProps, "mode">) {
  const { system } = form.values;
  return (
    <ConnectionParameters form={form} kind={kindOf(form.values)} stored={stored} usualPort={portOfSystem(system)} />
  );
}

function StatusField({ form }: { form: AccountFormControl }) {
  return (
    <Select
      label="Status"
      data={[
        { value: "active", label: "Active" },
        { value: "disabled", label: "Disabled: cannot be used or retrieved" },
      ]}
      allowDeselect={false}
      {...form.getInputProps("status")}
      onChange={(next) => next !== null && form.setFieldValue("status", next as AccountFormValues["status"])}
    />
  );
}
