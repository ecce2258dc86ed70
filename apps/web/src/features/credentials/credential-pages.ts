// Which credentials belong in a list of the vault, so that a new one shows without fetching the list again.
import { isDatabaseType, type Credential } from "@strongroom/contract";
import { withNewItem, type Page } from "#shared/api/pages.ts";
import type { CredentialFilter } from "./credential-filter.ts";

export type CredentialPage = Page<Credential>;

/** VAULT-05, VAULT-06, OPEN-45: whether a credential belongs in a list that is narrowed so. */
export function matches(credential: Credential, { search = "", type }: CredentialFilter): boolean {
  const isOfType =
    type === undefined || (type === "database" ? isDatabaseType(credential.type) : credential.type === type);
  const text = search.toLowerCase();
  const isFound = [credential.name, credential.username ?? ""].some((part) => part.toLowerCase().includes(text));
  return isOfType && isFound;
}

/** With a new credential first, unless the filter leaves it out or it is there already. */
export const withNewCredential = (
  pages: readonly CredentialPage[],
  created: Credential,
  filter: CredentialFilter,
): readonly CredentialPage[] => (matches(created, filter) ? withNewItem(pages, created) : pages);
