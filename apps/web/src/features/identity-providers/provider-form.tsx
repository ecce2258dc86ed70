// The form that adds or edits an identity provider.
import { Alert, PasswordInput, Select, SimpleGrid, Switch, TextInput, Textarea } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import { IconAlertTriangle } from "@tabler/icons-react";
import { Form } from "#shared/ui/form.tsx";
import type { FormInDialog } from "#shared/ui/form-dialog.tsx";
import { checkProvider, objectionsIn, type ProviderFormValues } from "./provider-form-values.ts";
import { RoleMappingFields } from "./role-mapping-fields.tsx";

export interface ProviderFormProps extends FormInDialog<ProviderFormValues> {
  hasSecret: boolean;
}

type FormControl = UseFormReturnType<ProviderFormValues>;

export function ProviderForm({ hasSecret, ...props }: ProviderFormProps) {
  return (
    <Form {...props} check={checkProvider} objectionsIn={objectionsIn}>
      {(form) => (
        <>
          <TextInput
            label="Name"
            description="Shown on the sign-in page"
            required
            maxLength={60}
            data-autofocus
            {...form.getInputProps("name")}
          />
          {form.values.kind === "oidc" ? (
            <OidcFields form={form} hasSecret={hasSecret} />
          ) : (
            <LdapFields form={form} hasSecret={hasSecret} />
          )}
          <Textarea
            label="CA certificate"
            description="In PEM format. Leave empty to use the system's trusted CAs"
            rows={2}
            {...form.getInputProps("ca")}
          />
          <PeopleFields form={form} />
        </>
      )}
    </Form>
  );
}

interface FieldsProps {
  form: FormControl;
  hasSecret: boolean;
}

/** Never shows the stored secret; a typed value replaces it. */
function SecretInput({ form, hasSecret, label }: FieldsProps & { label: string }) {
  return (
    <PasswordInput
      label={label}
      placeholder={hasSecret ? "Stored. Leave empty to keep it." : undefined}
      autoComplete="new-password"
      {...form.getInputProps("secret")}
    />
  );
}

function OidcFields({ form, hasSecret }: FieldsProps) {
  return (
    <>
      <TextInput
        label="Issuer"
        description="The provider's issuer URL"
        placeholder="https://login.example.com"
        required
        {...form.getInputProps("issuer")}
      />
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <TextInput label="Client ID" required {...form.getInputProps("client_id")} />
        <SecretInput form={form} hasSecret={hasSecret} label="Client secret" />
        <TextInput label="Scopes" {...form.getInputProps("scopes")} />
        <TextInput label="Groups claim" {...form.getInputProps("group_claim")} />
      </SimpleGrid>
      <TextInput
        label="Second factor values"
        description="Values of the amr or acr claim that count as a second factor. Leave empty to ask for the second factor here"
        placeholder="mfa"
        {...form.getInputProps("factor_values")}
      />
    </>
  );
}

function LdapFields({ form, hasSecret }: FieldsProps) {
  return (
    <>
      <TextInput
        label="Address"
        description="ldaps:// uses TLS from the start, ldap:// uses StartTLS. Nothing is ever sent unencrypted"
        placeholder="ldaps://directory.example.com"
        required
        {...form.getInputProps("url")}
      />
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <TextInput label="Bind DN" placeholder="cn=reader,dc=example,dc=com" {...form.getInputProps("bind_dn")} />
        <SecretInput form={form} hasSecret={hasSecret} label="Bind password" />
        <TextInput
          label="User base DN"
          placeholder="ou=people,dc=example,dc=com"
          required
          {...form.getInputProps("base_dn")}
        />
        <TextInput label="User filter" {...form.getInputProps("user_filter")} />
        <TextInput
          label="Group base DN"
          placeholder="ou=groups,dc=example,dc=com"
          {...form.getInputProps("group_base_dn")}
        />
        <TextInput label="Group filter" {...form.getInputProps("group_filter")} />
      </SimpleGrid>
      <SimpleGrid cols={{ base: 1, xs: 3 }}>
        <TextInput label="ID attribute" {...form.getInputProps("id_attribute")} />
        <TextInput label="Email attribute" {...form.getInputProps("email_attribute")} />
        <TextInput label="Name attribute" {...form.getInputProps("name_attribute")} />
      </SimpleGrid>
    </>
  );
}

const OTHERWISE = [
  { value: "user", label: "Assign the User role" },
  { value: "refuse", label: "Refuse the sign-in" },
];

function PeopleFields({ form }: { form: FormControl }) {
  const hasRoles = form.values.role_mappings.length > 0;
  return (
    <>
      <TextInput
        label="Domains"
        description="Accept only email addresses in these domains. Leave empty to accept any domain"
        placeholder="example.com"
        {...form.getInputProps("domains")}
      />
      <RoleMappingFields form={form} />
      {hasRoles && (
        <Select
          label="Users in none of these groups"
          data={OTHERWISE}
          allowDeselect={false}
          {...form.getInputProps("without_group")}
        />
      )}
      <Switch
        label="Create users automatically"
        description="Creates an account at the first sign-in"
        {...form.getInputProps("creates_people", { type: "checkbox" })}
      />
      <Switch
        label="Link existing users by email"
        description="An existing user with the same email address is linked to the provider and loses the local password"
        {...form.getInputProps("links_by_email", { type: "checkbox" })}
      />
      {form.values.links_by_email && (
        <Alert color="brass" icon={<IconAlertTriangle aria-hidden />}>
          Anyone who can get another person&apos;s email address at the provider gets that person&apos;s account here.
          Enable this only if users cannot choose their own address. Administrators are never linked.
        </Alert>
      )}
      <Switch label="Enabled" {...form.getInputProps("is_enabled", { type: "checkbox" })} />
    </>
  );
}
