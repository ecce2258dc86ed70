// Who manages identity providers, and what a provider's word is worth: roles from groups, domains, second factors.
import { ROLES } from "@strongroom/contract";
import type { IdentityProvider, Role } from "@strongroom/contract";
import type { Grants } from "#kernel/authz/authorise.ts";

export const grants: Grants = { "identity-provider.manage": ["admin"] };

/** How long somebody may take at a provider, in milliseconds. */
export const FLOW_LIFE = 10 * 60_000;

/** What a role mapping may name a group by: all names of one group. */
export type GroupNames = readonly string[];

type RoleRules = Pick<IdentityProvider, "role_mappings" | "without_group">;

/**
 * The role that groups give: the highest of those that are mapped. `keep` where roles are given here and not by groups;
 * null: whoever has none of the groups is not let in.
 */
export function roleOf(groups: readonly GroupNames[], rules: RoleRules): Role | "keep" | null {
  if (rules.role_mappings.length === 0) return "keep";
  const named = new Set(groups.flat());
  const given = rules.role_mappings.filter(({ group }) => named.has(comparable(group))).map(({ role }) => role);
  if (given.length === 0) return rules.without_group === "user" ? "user" : null;
  return given.reduce((one, other) => (ROLES.indexOf(one) >= ROLES.indexOf(other) ? one : other));
}

/** Names of groups that stand in a claim: as they are. */
export const namesInClaim = (groups: readonly string[]): GroupNames[] => groups.map((group) => [group]);

/** A group of a directory is named by its distinguished name, or by its `cn` alone. */
export const namesInDirectory = (groups: readonly { dn: string; name: string | null }[]): GroupNames[] =>
  groups.map(({ dn, name }) => [comparable(dn), ...(name === null || isDn(name) ? [] : [name])]);

const isDn = (text: string): boolean => /^[a-z][a-z0-9.-]*\s*=/i.test(text);

/** Distinguished names are compared without regard to case and to spaces around their parts; other names as they are. */
function comparable(group: string): string {
  return isDn(group) ? group.toLowerCase().replaceAll(/\s*([,=+])\s*/g, "$1") : group;
}

/** A provider says who has an address of its domains, and of no other. */
export function speaksFor(domains: readonly string[], email: string): boolean {
  const domain = email.slice(email.lastIndexOf("@") + 1);
  return domains.length === 0 || domains.includes(domain.toLowerCase());
}

/** Whether the provider says that a second factor was used, in words that the administrator takes for that. */
export function sawSecondFactor(claims: { amr?: unknown; acr?: unknown }, factorValues: readonly string[]): boolean {
  const said = [...(Array.isArray(claims.amr) ? claims.amr : []), claims.acr];
  return said.some((each) => typeof each === "string" && factorValues.includes(each));
}

/** How far the provider's clock may be from ours, in milliseconds. */
export const CLOCK_SKEW = 60_000;

/**
 * When the provider authenticated the person (`auth_time`, OpenID Connect Core §2). Null: not sent. `"invalid"`: not a
 * time, or one in the future.
 */
export function authTimeOf({ auth_time: seconds }: { auth_time?: unknown }, now: Date): Date | null | "invalid" {
  if (seconds === undefined) return null;
  if (typeof seconds !== "number" || !Number.isFinite(seconds) || seconds <= 0) return "invalid";
  const at = seconds * 1000;
  return at > now.getTime() + CLOCK_SKEW ? "invalid" : new Date(Math.min(at, now.getTime()));
}

/** Whether the person was authenticated after the browser was sent to the provider (§3.1.2.1, `max_age=0`). */
export const isFreshFor = (flow: { expires_at: Date }, authTime: Date): boolean =>
  authTime.getTime() >= flow.expires_at.getTime() - FLOW_LIFE - CLOCK_SKEW;

type Word = Pick<IdentityProvider, "is_enabled" | "settings">;

/** What a provider's word for a second factor is now; none of one that is switched off, or that is never asked for it. */
export const factorValuesOf = ({ is_enabled: isEnabled, settings }: Word): readonly string[] =>
  isEnabled && "factor_values" in settings ? settings.factor_values : [];

/** Whether something that counted as a second factor before does so no longer. */
export const countsForLess = (before: Word, after: Word): boolean =>
  factorValuesOf(before).some((value) => !factorValuesOf(after).includes(value));

/** The settings that decide which person a sign-in belongs to. */
const VOUCHING = ["issuer", "client_id", "url", "ca", "base_dn", "user_filter", "id_attribute"];

/** Whether, after the change, a sign-in could prove a different person to be one of this provider's people. */
export function vouchesOtherwise(before: Pick<Word, "settings">, after: Pick<Word, "settings">): boolean {
  const [was, is] = [before.settings, after.settings].map((settings): Record<string, unknown> => ({ ...settings }));
  return VOUCHING.some((name) => was?.[name] !== is?.[name]);
}

/** The values of a claim that holds groups; a path with dots leads into objects. Null: it is there and is no list of groups. */
export function groupsIn(claims: Record<string, unknown>, path: string): string[] | null {
  const found = claims[path] ?? path.split(".").reduce<unknown>(into, claims);
  if (found === undefined || found === null) return isElsewhere(claims, path) ? null : [];
  if (typeof found === "string") return [found];
  return Array.isArray(found) && found.every((each) => typeof each === "string") ? found : null;
}

const into = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined;

/** OpenID Connect Core §5.6.2: the claim is to be fetched from another place, as when there are too many groups. */
const isElsewhere = (claims: Record<string, unknown>, path: string): boolean =>
  into(claims["_claim_names"], path) !== undefined;
