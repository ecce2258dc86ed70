// Pure changes to the pages of the vault's list, so that one changed card does not fetch a hundred pages again.
import { isDatabaseType, type Credential } from "@strongroom/contract";
import type { CredentialFilter } from "./credential-filter.ts";

export interface CredentialPage {
  data: Credential[];
  next_cursor: string | null;
}

type Pages = readonly CredentialPage[];

/** VAULT-05, VAULT-06, OPEN-45: whether a credential belongs in a list that is narrowed so. */
export function matches(credential: Credential, { search = "", type }: CredentialFilter): boolean {
  const isOfType =
    type === undefined || (type === "database" ? isDatabaseType(credential.type) : credential.type === type);
  const text = search.toLowerCase();
  const isFound = [credential.name, credential.username ?? ""].some((part) => part.toLowerCase().includes(text));
  return isOfType && isFound;
}

export const holds = (page: CredentialPage, id: string): boolean =>
  page.data.some((credential) => credential.id === id);

/** The same pages with a newer state of one credential. The same object when it is in none of them. */
export function withCredential(pages: Pages, changed: Credential): Pages {
  if (!pages.some((page) => holds(page, changed.id))) return pages;
  return pages.map((page) =>
    holds(page, changed.id)
      ? { ...page, data: page.data.map((credential) => (credential.id === changed.id ? changed : credential)) }
      : page,
  );
}

/** The same pages without one credential. The same object when it was in none of them. */
export function withoutCredential(pages: Pages, id: string): Pages {
  if (!pages.some((page) => holds(page, id))) return pages;
  return pages.map((page) => (holds(page, id) ? { ...page, data: page.data.filter((each) => each.id !== id) } : page));
}

/** With a new credential first, because lists are newest first; unless the filter leaves it out or it is there already. */
export function withNewCredential(pages: Pages, created: Credential, filter: CredentialFilter): Pages {
  const [first, ...rest] = pages;
  if (first === undefined || !matches(created, filter) || pages.some((page) => holds(page, created.id))) return pages;
  return [{ ...first, data: [created, ...first.data] }, ...rest];
}
