// Finds the directory entry of a domain account and reads its password facts.
import { AndFilter, EqualityFilter, OrFilter, type Client, type Entry } from "ldapts";
import { entryAt, textOf } from "../ldap/entries.ts";
import type { DomainName } from "./user-name.ts";

/** The base DN of the domain, as named by its controller. */
export async function domainBase(client: Client): Promise<string | null> {
  const root = await entryAt(client, "", ["defaultNamingContext"]);
  return root === null ? null : textOf(root, "defaultNamingContext");
}

/** Null when there is no entry, or several. An explicit principal name takes precedence over an implicit one. */
export async function findEntry(client: Client, { entry }: DomainName, attributes: string[]): Promise<Entry | null> {
  if ("dn" in entry) return entryAt(client, entry.dn, attributes);
  const base = await domainBase(client);
  if (base === null) return null;
  const { accountName, principalName } = entry;
  const named = new EqualityFilter({ attribute: "sAMAccountName", value: accountName });
  const filters =
    principalName === null
      ? [named]
      : [named, new EqualityFilter({ attribute: "userPrincipalName", value: principalName })];
  const filter = new AndFilter({
    filters: [new EqualityFilter({ attribute: "objectClass", value: "user" }), new OrFilter({ filters })],
  });
  const wanted = [...attributes, "userPrincipalName"];
  const { searchEntries } = await client.search(base, { scope: "sub", filter, attributes: wanted, sizeLimit: 3 });
  if (searchEntries.length <= 1) return searchEntries[0] ?? null;
  const principal = principalName?.toLowerCase();
  const exact = searchEntries.filter((each) => textOf(each, "userPrincipalName")?.toLowerCase() === principal);
  return exact.length === 1 ? (exact[0] ?? null) : null;
}

/** 100-nanosecond steps since 1601 ([MS-DTYP] §2.3.3) as ISO 8601; null for "never". */
export function timeOfFiletime(text: string | null): string | null {
  if (text === null || !/^\d{1,19}$/.test(text)) return null;
  const steps = BigInt(text);
  if (steps === 0n || steps >= NEVER) return null;
  const at = new Date(Number(steps / 10_000n - FROM_1601_TO_1970_MS));
  return Number.isNaN(at.getTime()) ? null : at.toISOString();
}

const NEVER = 0x7fff_ffff_ffff_ffffn;
const FROM_1601_TO_1970_MS = 11_644_473_600_000n;

/** A controller may accept the previous password for this long (`OldPasswordAllowedPeriod`). */
export const OLD_PASSWORD_MINUTES = 60;

/** True when the password just accepted may be the previous one. */
export function mayBePrevious(passwordChangedAt: string | null, now: Date): boolean {
  return passwordChangedAt !== null && now.getTime() - Date.parse(passwordChangedAt) < OLD_PASSWORD_MINUTES * 60_000;
}
