// The form of a dependent: its name and kind, and the way it receives a new password.
import { NumberInput, Select, SimpleGrid, TextInput, Textarea } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import { DEPENDENT_KINDS } from "@strongroom/contract";
import { isCallError } from "#shared/api/call-error.ts";
import { AccountSelect } from "#shared/ui/account-select.tsx";
import { Form } from "#shared/ui/form.tsx";
import type { FormInDialog } from "#shared/ui/form-dialog.tsx";
import {
  KIND_HINTS,
  KIND_LABELS,
  checkDependent,
  fieldAt,
  isField,
  type DependentFormErrors,
  type DependentFormValues,
} from "./dependent-form-values.ts";

type FormControl = UseFormReturnType<DependentFormValues>;

export interface DependentFormProps extends FormInDialog<DependentFormValues> {
  /** The account that owns the password; it cannot be its own dependent. */
  accountId: string;
}

const KINDS = DEPENDENT_KINDS.map((value) => ({ value, label: KIND_LABELS[value] }));

function objectionsIn(error: unknown): DependentFormErrors {
  if (!isCallError(error)) return {};
  const found = error.errors.map(({ path, msg }) => [fieldAt(path.replace(/^body\./, "").split(".")), msg] as const);
  return Object.fromEntries(found.filter(([field]) => isField(field)));
}

export default function DependentForm({ accountId, ...props }: DependentFormProps) {
  return (
    <Form {...props} check={checkDependent} objectionsIn={objectionsIn}>
      {(form) => (
        <>
          <TextInput label="Name" required maxLength={100} data-autofocus {...form.getInputProps("name")} />
          <Select
            label="Kind"
            required
            data={KINDS}
            allowDeselect={false}
            inputWrapperOrder={["label", "input", "description", "error"]}
            description={KIND_HINTS[form.values.kind]}
            {...form.getInputProps("kind")}
          />
          <Details form={form} accountId={accountId} />
        </>
      )}
    </Form>
  );
}

function Details({ form, accountId }: { form: FormControl; accountId: string }) {
  switch (form.values.kind) {
    case "account":
      return <Account form={form} accountId={accountId} label="Account" />;
    case "webhook":
      return (
        <TextInput
          label="Address"
          required
          maxLength={1000}
          placeholder="https://deploy.example.com/passwords"
          {...form.getInputProps("url")}
        />
      );
    case "authorized-key":
      return (
        <>
          <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="md">
            <TextInput
              label="Host"
              required
              maxLength={253}
              placeholder="web2.example.com"
              spellCheck={false}
              {...form.getInputProps("host")}
            />
            <NumberInput label="Port" required min={1} max={65_535} hideControls {...form.getInputProps("port")} />
          </SimpleGrid>
          <UserName form={form} />
        </>
      );
    case "linked-user":
      return (
        <>
          <Account form={form} accountId={accountId} label="Connect through account" />
          <UserName form={form} />
        </>
      );
    case "ssh-file":
      return <FileFields form={form} accountId={accountId} />;
  }
  return form.values.kind satisfies never;
}

function UserName({ form }: { form: FormControl }) {
  return (
    <TextInput
      label="User"
      required
      maxLength={128}
      autoComplete="off"
      spellCheck={false}
      {...form.getInputProps("username")}
    />
  );
}

function FileFields({ form, accountId }: { form: FormControl; accountId: string }) {
  return (
    <>
      <Account form={form} accountId={accountId} label="Connect through account" />
      <TextInput
        label="File"
        required
        maxLength={500}
        placeholder="/etc/app/database.conf"
        spellCheck={false}
        {...form.getInputProps("path")}
      />
      <Textarea
        label="Content"
        required
        rows={3}
        resize="vertical"
        maxLength={20_000}
        spellCheck={false}
        description="The complete file, with the placeholders {{password}} and {{username}}"
        {...form.getInputProps("template")}
      />
      <SimpleGrid cols={2} spacing="md">
        <TextInput label="Mode" required maxLength={4} {...form.getInputProps("mode")} />
        <TextInput
          label="Systemd unit to reload"
          maxLength={100}
          placeholder="app.service"
          spellCheck={false}
          {...form.getInputProps("reload_unit")}
        />
      </SimpleGrid>
    </>
  );
}

function Account({ form, accountId, label }: { form: FormControl; accountId: string; label: string }) {
  return (
    <AccountSelect
      label={label}
      required
      placeholder="Search accounts"
      without={accountId}
      value={form.values.account}
      error={form.errors["account"]}
      onChange={(found) => form.setFieldValue("account", found)}
    />
  );
}
