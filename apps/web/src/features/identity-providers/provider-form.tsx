// The form that adds or edits an identity provider.
import { Alert, PasswordInput, Select, SimpleGrid, Switch, TextInput, Textarea } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import { IconAlertTriangle } from "@tabler/icons-react";
import { DialogForm, type DialogFormProps } from "#shared/ui/dialog-form.tsx";
import { checkProvider, objectionsIn, type ProviderFormValues } from "./provider-form-values.ts";
import { RoleMappingFields } from "./role-mapping-fields.tsx";

export interface ProviderFormProps extends Omit<
  DialogFormProps<ProviderFormValues>,
  "check" | "objectionsIn" | "children"
> {
  hasSecret: boolean;
}

type Form = UseFormReturnType<ProviderFormValues>;

export function ProviderForm({ hasSecret, ...props }: ProviderFormProps) {
  return (
    <DialogForm {...props} check={checkProvider} objectionsIn={objectionsIn}>
      {(form) => (
        <>
          <TextInput
            label="Name"
            description="What people read on the sign-in page"
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
            label="Certificate to trust"
            description="In PEM form; empty: the usual ones"
            rows={2}
            {...form.getInputProps("ca")}
          />
          <PeopleFields form={form} />
        </>
      )}
    </DialogForm>
  );
}

interface FieldsProps {
  form: Form;
  hasSecret: boolean;
}

/** Never shows the stored secret; a typed value replaces it. */
function SecretInput({ form, hasSecret, label }: FieldsProps & { label: string }) {
  return (
    <PasswordInput
      label={label}
      placeholder={hasSecret ? "Stored; leave empty to keep it" : undefined}
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
        description="The provider's address, as it says itself"
        placeholder="https://login.example.com"
        required
        {...form.getInputProps("issuer")}
      />
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <TextInput label="Client ID" required {...form.getInputProps("client_id")} />
        <SecretInput form={form} hasSecret={hasSecret} label="Client secret" />
        <TextInput label="Scopes" {...form.getInputProps("scopes")} />
        <TextInput label="Claim of the groups" {...form.getInputProps("group_claim")} />
      </SimpleGrid>
      <TextInput
        label="Words for a second factor"
        description="Values of amr or acr that count as one. Empty: whoever needs a second factor proves it here"
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
        description="ldaps:// is encrypted from the start, ldap:// by StartTLS. Nothing is ever sent unencrypted"
        placeholder="ldaps://directory.example.com"
        required
        {...form.getInputProps("url")}
      />
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <TextInput label="Who searches" placeholder="cn=reader,dc=example,dc=com" {...form.getInputProps("bind_dn")} />
        <SecretInput form={form} hasSecret={hasSecret} label="Their password" />
        <TextInput
          label="Where the people are"
          placeholder="ou=people,dc=example,dc=com"
          required
          {...form.getInputProps("base_dn")}
        />
        <TextInput label="Filter of people" {...form.getInputProps("user_filter")} />
        <TextInput
          label="Where the groups are"
          placeholder="ou=groups,dc=example,dc=com"
          {...form.getInputProps("group_base_dn")}
        />
        <TextInput label="Filter of groups" {...form.getInputProps("group_filter")} />
      </SimpleGrid>
      <SimpleGrid cols={{ base: 1, xs: 3 }}>
        <TextInput label="Attribute of identity" {...form.getInputProps("id_attribute")} />
        <TextInput label="Attribute of email" {...form.getInputProps("email_attribute")} />
        <TextInput label="Attribute of name" {...form.getInputProps("name_attribute")} />
      </SimpleGrid>
    </>
  );
}

const OTHERWISE = [
  { value: "user", label: "They are users" },
  { value: "refuse", label: "They are not let in" },
];

function PeopleFields({ form }: { form: Form }) {
  const hasRoles = form.values.role_mappings.length > 0;
  return (
    <>
      <TextInput
        label="Domains"
        description="It speaks for addresses of these domains alone. Empty: of every domain"
        placeholder="example.com"
        {...form.getInputProps("domains")}
      />
      <RoleMappingFields form={form} />
      {hasRoles && (
        <Select
          label="Who has none of these groups"
          data={OTHERWISE}
          allowDeselect={false}
          {...form.getInputProps("without_group")}
        />
      )}
      <Switch
        label="Make accounts by itself"
        description="Whoever it lets in for the first time gets an account here"
        {...form.getInputProps("creates_people", { type: "checkbox" })}
      />
      <Switch
        label="Take over accounts by their email"
        description="An account that is here already goes to whoever has its address there, and loses its password here"
        {...form.getInputProps("links_by_email", { type: "checkbox" })}
      />
      {form.values.links_by_email && (
        <Alert color="brass" icon={<IconAlertTriangle aria-hidden />}>
          Whoever can get themselves another person&apos;s address there gets that person&apos;s account here. Allow it
          only where nobody chooses their own address. Accounts of administrators are never taken over.
        </Alert>
      )}
      <Switch label="In use" {...form.getInputProps("is_enabled", { type: "checkbox" })} />
    </>
  );
}
