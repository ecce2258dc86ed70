// Identity providers (OpenID Connect, LDAP): settings, list and changes.
import { z } from "zod";
import { completeBody } from "./complete-body.ts";
import { endpoint } from "./endpoint.ts";
import { Domain, Message, Moment, Role, oneLine, optionalLines, optionalText } from "./fields.ts";
import { IdentityProviderId } from "./provider-sign-in.ts";

export const PROVIDER_KINDS = ["oidc", "ldap"] as const;
export type ProviderKind = (typeof PROVIDER_KINDS)[number];

/** How users without a mapped group are treated, if groups are mapped to roles. */
export const WITHOUT_GROUP = ["refuse", "user"] as const;

const ATTRIBUTE = /^[a-z][a-z0-9-]*$/i;
const attribute = (usual: string) => oneLine().max(60).regex(ATTRIBUTE, "Must be an attribute name.").default(usual);

/** The placeholders for the typed name, and for the person in a group filter. */
export const NAME_PLACE = "{name}";
export const DN_PLACE = "{dn}";

const filter = (place: string, usual: string) =>
  oneLine()
    .max(500)
    .refine((text) => text.startsWith("(") && text.endsWith(")"), "Must be a filter in parentheses, such as (uid=…).")
    .refine((text) => text.includes(place), `Must contain ${place}.`)
    .default(usual);

/** TLS whatever the scheme: `ldaps:` from the start, `ldap:` by StartTLS before anything else is sent. */
const DirectoryUrl = oneLine()
  .max(300)
  .regex(
    /^ldaps?:\/\/(\[[0-9a-f:.]+\]|[a-z0-9_.-]+)(:\d{1,5})?\/?$/i,
    "Must be ldaps://host or ldap://host, with or without a port.",
  );

/** `https:`, and `http:` on this machine only. */
const Issuer = oneLine()
  .max(500)
  .refine((text) => {
    const url = URL.parse(text);
    if (url === null || url.search !== "" || url.hash !== "" || url.username !== "") return false;
    const isHere = ["localhost", "127.0.0.1", "[::1]"].includes(url.hostname);
    return url.protocol === "https:" || (url.protocol === "http:" && isHere);
  }, "Must be the HTTPS URL of the provider, without a query.");

export const OidcSettings = z.strictObject({
  issuer: Issuer,
  client_id: oneLine().min(1, "Please enter the client ID.").max(300),
  scopes: oneLine()
    .max(300)
    .regex(/^[\x21\x23-\x5b\x5d-\x7e]+( [\x21\x23-\x5b\x5d-\x7e]+)*$/, "Separate scopes with one space.")
    .refine((text) => text.split(" ").includes("openid"), "Must include openid.")
    .default("openid profile email"),
  /** The claim with the groups in the ID token or the user info; a path with dots is followed. */
  group_claim: oneLine().min(1).max(200).default("groups"),
  /** Values of `amr`, or an `acr`, that count as a second factor; none: the provider's claim does not count as one. */
  factor_values: z.array(oneLine().min(1).max(200)).max(20).default([]),
  /** PEM certificates to trust instead of the default ones. */
  ca: optionalLines(50_000),
});
export type OidcSettings = z.infer<typeof OidcSettings>;

export const LdapSettings = z.strictObject({
  url: DirectoryUrl,
  ca: optionalLines(50_000),
  /** The account that searches; without one the search is anonymous. */
  bind_dn: optionalText(500),
  base_dn: oneLine().min(1, "Please enter the base DN for users.").max(500),
  user_filter: filter(NAME_PLACE, "(|(uid={name})(mail={name}))"),
  /** An attribute that stays the same when a person is renamed: `entryUUID`, `objectGUID`. */
  id_attribute: attribute("entryUUID"),
  email_attribute: attribute("mail"),
  name_attribute: attribute("cn"),
  /** The base DN of the groups; without it no groups are searched. */
  group_base_dn: optionalText(500),
  group_filter: filter(DN_PLACE, "(member={dn})"),
});
export type LdapSettings = z.infer<typeof LdapSettings>;

export const RoleMapping = z.strictObject({ group: oneLine().min(1, "Please enter a group.").max(500), role: Role });
export type RoleMapping = z.infer<typeof RoleMapping>;

/** Fields of both kinds. */
const common = {
  name: oneLine().min(1, "Please enter a name.").max(60),
  is_enabled: z.boolean(),
  /** Creates a user for people who may sign in and have no user yet. */
  creates_people: z.boolean(),
  /**
   * An existing user is linked to the person whom the provider names as the owner of the user's address. Administrators
   * are never linked.
   */
  links_by_email: z.boolean(),
  without_group: z.enum(WITHOUT_GROUP),
  /** If empty, roles are assigned in Strongroom. Otherwise the highest mapped role is set at every sign-in. */
  role_mappings: z.array(RoleMapping).max(100),
  /** If empty, every domain is accepted. */
  domains: z.array(Domain).max(50),
};

const oidc = z.strictObject({ kind: z.literal("oidc"), ...common, settings: OidcSettings });
const ldap = z.strictObject({ kind: z.literal("ldap"), ...common, settings: LdapSettings });

/**
 * The client secret, or the password of the search account. If omitted, the secret stays unchanged; null removes it.
 */
const secret = z.string().min(1).max(2000).nullish();

type Given = Pick<z.infer<typeof oidc>, "role_mappings" | "without_group">;
const refusesSomebody = (given: Given) => given.without_group !== "refuse" || given.role_mappings.length > 0;
const NOBODY_GETS_IN = { path: ["without_group"], message: "Without a group that gives a role, no one could sign in." };
const hasGroupOnce = ({ role_mappings: all }: Given) => new Set(all.map(({ group }) => group)).size === all.length;
const GROUP_TWICE = { path: ["role_mappings"], message: "A group is listed twice." };

export const NewIdentityProvider = z
  .discriminatedUnion("kind", [oidc.extend({ secret }), ldap.extend({ secret })])
  .refine(refusesSomebody, NOBODY_GETS_IN)
  .refine(hasGroupOnce, GROUP_TWICE);
export type NewIdentityProvider = z.infer<typeof NewIdentityProvider>;

const shown = {
  id: IdentityProviderId,
  has_secret: z.boolean(),
  /** The number of users who sign in through the provider. */
  people: z.number().int(),
  /** To register with an OpenID Connect provider; null for a directory. */
  redirect_uri: z.string().nullable(),
  /** Where an OpenID Connect provider returns to after a sign-out; null for a directory. */
  post_logout_redirect_uri: z.string().nullable(),
  created_at: Moment,
  updated_at: Moment,
};
export const IdentityProvider = z.discriminatedUnion("kind", [oidc.extend(shown), ldap.extend(shown)]);
export type IdentityProvider = z.infer<typeof IdentityProvider>;

const byId = z.object({ id: IdentityProviderId });

export const listIdentityProviders = endpoint({
  method: "GET",
  path: "/api/v1/identity-providers",
  summary: "Identity providers, in the order in which directories are queried",
  reply: z.object({ data: z.array(IdentityProvider) }),
  needs: "identity-provider.manage",
  audit: "none",
});

export const createIdentityProvider = endpoint({
  method: "POST",
  path: "/api/v1/identity-providers",
  summary: "Add an identity provider",
  body: NewIdentityProvider,
  reply: IdentityProvider,
  status: 201,
  needs: "identity-provider.manage",
  audit: "identity-provider.created",
  gives: "right",
  stepUp: true,
  sessionOnly: true,
});

/** The destination of the provider's secret cannot change unless the secret is entered again. */
export const updateIdentityProvider = endpoint({
  method: "PUT",
  path: "/api/v1/identity-providers/:id",
  summary: "Change an identity provider",
  params: byId,
  body: completeBody(NewIdentityProvider, { entity: IdentityProvider, fixed: ["id", "created_at"] }),
  reply: IdentityProvider,
  needs: "identity-provider.manage",
  audit: "identity-provider.updated",
  gives: "right",
  stepUp: true,
  sessionOnly: true,
  thing: "identity-provider",
});

export const deleteIdentityProvider = endpoint({
  method: "DELETE",
  path: "/api/v1/identity-providers/:id",
  summary: "Delete an identity provider; its users stay, but cannot sign in until they get a password",
  params: byId,
  reply: Message,
  needs: "identity-provider.manage",
  audit: "identity-provider.deleted",
  gives: "nothing",
  stepUp: true,
  sessionOnly: true,
  thing: "identity-provider",
});

export const testIdentityProvider = endpoint({
  method: "POST",
  path: "/api/v1/identity-providers/:id/test",
  summary: "Test an identity provider and explain problems in plain English",
  params: byId,
  /** The person to look up in a directory. */
  body: z.strictObject({ username: optionalText(254) }),
  reply: z.object({
    is_good: z.boolean(),
    steps: z.array(z.object({ is_good: z.boolean(), text: z.string() })),
  }),
  needs: "identity-provider.manage",
  audit: "identity-provider.tested",
  gives: "nothing",
  thing: "identity-provider",
});
