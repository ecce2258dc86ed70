// Rules for trusting identity providers: roles from groups, domains, second factors.
import { ROLES } from "@strongroom/contract";
import type { IdentityProvider, Role } from "@strongroom/contract";
import type { RolePermissions } from "#kernel/authz/authorise.ts";

export const rolePermissions: RolePermissions = { "identity-provider.manage": ["admin"] };

/** How long a sign-in at a provider may take, in milliseconds. */
export const FLOW_LIFETIME = 10 * 60_000;

/** All names of one group that a role mapping can use. */
export type GroupNames = readonly string[];

type RoleRules = Pick<IdentityProvider, "role_mappings" | "without_group">;

/**
 * The highest mapped role of these groups. `keep` when the provider maps no roles; null when the user has no mapped
 * group and is refused.
 */
export function roleOf(groups: readonly GroupNames[], rules: RoleRules): Role | "keep" | null {
  if (rules.role_mappings.length === 0) return "keep";
  const named = new Set(groups.flat());
  const given = rules.role_mappings.filter(({ group }) => named.has(comparable(group))).map(({ role }) => role);
  if (given.length === 0) return rules.without_group === "user" ? "user" : null;
  return given.reduce((one, other) => (ROLES.indexOf(one) >= ROLES.indexOf(other) ? one : other));
}

/** Group names from a claim, unchanged. */
export const namesInClaim = (groups: readonly string[]): GroupNames[] => groups.map((group) => [group]);

/** A directory's group can be named by its distinguished name or by its `cn`. */
export const namesInDirectory = (groups: readonly { dn: string; name: string | null }[]): GroupNames[] =>
  groups.map(({ dn, name }) => [comparable(dn), ...(name === null || isDn(name) ? [] : [name])]);

const isDn = (text: string): boolean => /^[a-z][a-z0-9.-]*\s*=/i.test(text);

/** Distinguished names are compared ignoring case and spaces around their parts; other names exactly. */
function comparable(group: string): string {
  return isDn(group) ? group.toLowerCase().replaceAll(/\s*([,=+])\s*/g, "$1") : group;
}

/** Whether a provider is responsible for an address: it has no domains, or the address is in one of them. */
export function isResponsibleFor(domains: readonly string[], email: string): boolean {
  const domain = email.slice(email.lastIndexOf("@") + 1);
  return domains.length === 0 || domains.includes(domain.toLowerCase());
}

/** Whether the provider confirms a second factor with one of the values that the administrator configured. */
export function assertsSecondFactor(
  claims: { amr?: unknown; acr?: unknown },
  factorValues: readonly string[],
): boolean {
  const said = [...(Array.isArray(claims.amr) ? claims.amr : []), claims.acr];
  return said.some((each) => typeof each === "string" && factorValues.includes(each));
}

/** How far the provider's clock may differ from ours, in milliseconds. */
export const CLOCK_SKEW = 60_000;

/**
 * When the provider authenticated the user (`auth_time`, OpenID Connect Core §2). Null: not sent. `"invalid"`: not a
 * time, or one in the future.
 */
export function authTimeOf({ auth_time: seconds }: { auth_time?: unknown }, now: Date): Date | null | "invalid" {
  if (seconds === undefined) return null;
  if (typeof seconds !== "number" || !Number.isFinite(seconds) || seconds <= 0) return "invalid";
  const at = seconds * 1000;
  return at > now.getTime() + CLOCK_SKEW ? "invalid" : new Date(Math.min(at, now.getTime()));
}

/** Whether the user was authenticated after the browser was sent to the provider (§3.1.2.1, `max_age=0`). */
export const isFreshFor = (flow: { expires_at: Date }, authTime: Date): boolean =>
  authTime.getTime() >= flow.expires_at.getTime() - FLOW_LIFETIME - CLOCK_SKEW;

type Word = Pick<IdentityProvider, "is_enabled" | "settings">;

/** The values that currently count as a second factor; empty for a disabled provider and for a directory. */
export const factorValuesOf = ({ is_enabled: isEnabled, settings }: Word): readonly string[] =>
  isEnabled && "factor_values" in settings ? settings.factor_values : [];

/** Whether a value that counted as a second factor no longer does. */
export const weakensSecondFactor = (before: Word, after: Word): boolean =>
  factorValuesOf(before).some((value) => !factorValuesOf(after).includes(value));

/** The settings that decide which user a sign-in belongs to. */
const VOUCHING = ["issuer", "client_id", "url", "ca", "base_dn", "user_filter", "id_attribute"];

/** Whether, after the change, a sign-in could authenticate a different person as one of this provider's users. */
export function changesAssertions(before: Pick<Word, "settings">, after: Pick<Word, "settings">): boolean {
  const [was, is] = [before.settings, after.settings].map((settings): Record<string, unknown> => ({ ...settings }));
  return VOUCHING.some((name) => was?.[name] !== is?.[name]);
}

/**
 * The values of a groups claim; a path with dots leads into objects. Null when the claim exists but is not a list of
 * groups.
 */
export function groupsIn(claims: Record<string, unknown>, path: string): string[] | null {
  const found = claims[path] ?? path.split(".").reduce<unknown>(into, claims);
  if (found === undefined || found === null) return isAtOtherPath(claims, path) ? null : [];
  if (typeof found === "string") return [found];
  return Array.isArray(found) && found.every((each) => typeof each === "string") ? found : null;
}

const into = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined;

/**
 * OpenID Connect Core §5.6.2: the claim must be fetched from a different source, for example when there are too many
 * groups.
 */
const isAtOtherPath = (claims: Record<string, unknown>, path: string): boolean =>
  into(claims["_claim_names"], path) !== undefined;
