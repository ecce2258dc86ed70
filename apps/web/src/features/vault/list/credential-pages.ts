// Matches credentials with the vault's filter, so that a new one appears without refetching the list.
import { isDatabaseType, type Credential } from "@strongroom/contract";
import { withNewItem, type Page } from "#shared/api/pages.ts";
import type { CredentialFilter } from "./credential-filter.ts";

export type CredentialPage = Page<Credential>;

/** VAULT-05, VAULT-06, OPEN-45: whether a credential matches the filter. */
export function matches(credential: Credential, { search = "", type }: CredentialFilter): boolean {
  const isOfType =
    type === undefined || (type === "database" ? isDatabaseType(credential.type) : credential.type === type);
  const text = search.toLowerCase();
  const isFound = [credential.name, credential.username ?? ""].some((part) => part.toLowerCase().includes(text));
  return isOfType && isFound;
}

/** Adds a new credential at the top, unless the filter excludes it or the list contains it already. */
export const withNewCredential = (
  pages: readonly CredentialPage[],
  created: Credential,
  filter: CredentialFilter,
): readonly CredentialPage[] => (matches(created, filter) ? withNewItem(pages, created) : pages);
