// Values, validation, request body and field labels of the identity provider form.
import { NewIdentityProvider, type IdentityProvider, type ProviderKind, type RoleMapping } from "@strongroom/contract";
import { isCallError } from "#shared/api/call-error.ts";
import { firstObjections } from "#shared/api/field-errors.ts";

export interface ProviderFormValues {
  kind: ProviderKind;
  name: string;
  is_enabled: boolean;
  creates_people: boolean;
  links_by_email: boolean;
  without_group: IdentityProvider["without_group"];
  role_mappings: RoleMapping[];
  /** Separated by spaces, commas or lines. */
  domains: string;
  /** Empty keeps the stored one. */
  secret: string;
  ca: string;
  issuer: string;
  client_id: string;
  scopes: string;
  group_claim: string;
  factor_values: string;
  url: string;
  bind_dn: string;
  base_dn: string;
  user_filter: string;
  id_attribute: string;
  email_attribute: string;
  name_attribute: string;
  group_base_dn: string;
  group_filter: string;
}

export const emptyProvider = (kind: ProviderKind): ProviderFormValues => ({
  kind,
  name: "",
  is_enabled: true,
  creates_people: false,
  links_by_email: false,
  without_group: "user",
  role_mappings: [],
  domains: "",
  secret: "",
  ca: "",
  issuer: "",
  client_id: "",
  scopes: "openid profile email",
  group_claim: "groups",
  factor_values: "",
  url: "",
  bind_dn: "",
  base_dn: "",
  user_filter: "(|(uid={name})(mail={name}))",
  id_attribute: "entryUUID",
  email_attribute: "mail",
  name_attribute: "cn",
  group_base_dn: "",
  group_filter: "(member={dn})",
});

export function formOf(provider: IdentityProvider): ProviderFormValues {
  const { kind, name, is_enabled, creates_people, links_by_email, without_group, role_mappings, domains } = provider;
  const common = { kind, name, is_enabled, creates_people, links_by_email, without_group, role_mappings };
  const { ca, ...settings } = provider.settings;
  const texts = Object.entries(settings).map(([field, value]) => [
    field,
    Array.isArray(value) ? value.join(" ") : (value ?? ""),
  ]);
  return {
    ...emptyProvider(kind),
    ...common,
    ...(Object.fromEntries(texts) as Partial<ProviderFormValues>),
    ca: ca ?? "",
    domains: domains.join(" "),
  };
}

const words = (text: string): string[] => text.split(/[\s,;]+/).filter((word) => word !== "");

const SETTINGS: Record<ProviderKind, readonly (keyof ProviderFormValues)[]> = {
  oidc: ["issuer", "client_id", "scopes", "group_claim", "ca"],
  ldap: [
    "url",
    "ca",
    "bind_dn",
    "base_dn",
    "user_filter",
    "id_attribute",
    "email_attribute",
    "name_attribute",
    "group_base_dn",
    "group_filter",
  ],
};

/** The request body, not yet validated by `checkProvider` and the server. */
export function bodyOf(values: ProviderFormValues): NewIdentityProvider {
  const { kind, name, is_enabled, creates_people, links_by_email, without_group, role_mappings, secret } = values;
  const settings = Object.fromEntries(SETTINGS[kind].map((field) => [field, values[field]]));
  return {
    kind,
    name,
    is_enabled,
    creates_people,
    links_by_email,
    without_group,
    role_mappings,
    domains: words(values.domains),
    settings: kind === "oidc" ? { ...settings, factor_values: words(values.factor_values) } : settings,
    ...(secret === "" ? {} : { secret }),
  } as NewIdentityProvider;
}

/** Maps a path of the contract to a form field; the form has no `settings` level. */
const fieldAt = (path: readonly PropertyKey[]): string => String(path[0] === "settings" ? path[1] : path[0]);

/** Returns the errors by field; empty when the values are valid. */
export const checkProvider = (values: ProviderFormValues): Partial<Record<keyof ProviderFormValues, string>> =>
  firstObjections(NewIdentityProvider, bodyOf(values), fieldAt);

/** The server's errors by field. */
export function objectionsIn(error: unknown): Partial<Record<keyof ProviderFormValues, string>> {
  if (!isCallError(error)) return {};
  const known = new Set(Object.keys(emptyProvider("oidc")));
  const fields = error.errors.map(({ path, msg }) => [fieldAt(path.replace(/^body\./, "").split(".")), msg] as const);
  return Object.fromEntries(fields.filter(([field]) => known.has(field)));
}

export const KIND_LABELS: Record<ProviderKind, string> = { oidc: "OpenID Connect", ldap: "LDAP directory" };

/** The provider's address, for lists. */
export const placeOf = (provider: IdentityProvider): string =>
  provider.kind === "oidc" ? provider.settings.issuer : provider.settings.url;

export function rolesOf({ role_mappings: mappings }: IdentityProvider): string {
  if (mappings.length === 0) return "Assigned here";
  return mappings.length === 1 ? "From 1 group" : `From ${mappings.length} groups`;
}

/** What happens to users without a mapped group; undefined when there are no mappings. */
export function otherwiseOf({ role_mappings: mappings, without_group: otherwise }: IdentityProvider) {
  if (mappings.length === 0) return undefined;
  return otherwise === "refuse" ? "Other users cannot sign in" : "Other users get the User role";
}
