// Reads entries of a directory page by page, up to the limit of a list.
import type { Client, Entry, SearchOptions } from "ldapts";
import { MAX_LISTED_ACCOUNTS } from "../connector.ts";

const PAGE_SIZE = 500;

/**
 * Entries below `base`, at most one more than the limit of a list. Referrals to other servers are ignored. `onPage` is
 * called with the entries so far.
 */
export async function entriesOf(
  client: Client,
  base: string,
  options: SearchOptions,
  onPage: (found: readonly Entry[]) => void = () => {},
): Promise<Entry[]> {
  const found: Entry[] = [];
  const search = { scope: "sub", ...options, paged: { pageSize: PAGE_SIZE } } as const;
  for await (const { searchEntries } of client.searchPaginated(base, search)) {
    found.push(...searchEntries);
    onPage(found);
    if (found.length > MAX_LISTED_ACCOUNTS) break;
  }
  return found;
}

/** The attributes of the entry at `dn`, `binary` ones as bytes, or null if it does not exist. */
export async function entryAt(
  client: Client,
  dn: string,
  attributes: string[],
  binary: string[] = [],
): Promise<Entry | null> {
  const options: SearchOptions = { scope: "base", attributes, explicitBufferAttributes: binary };
  const { searchEntries } = await client.search(dn, options);
  return searchEntries[0] ?? null;
}

export function textsOf(entry: Entry, attribute: string): string[] {
  return valuesOf(entry, attribute).map((each) => each.toString());
}

/** For an attribute that was requested as bytes. */
export function buffersOf(entry: Entry, attribute: string): Buffer[] {
  return valuesOf(entry, attribute).filter((each) => Buffer.isBuffer(each));
}

/** Attribute names in an answer can have any case (RFC 4512 §2.5). */
function valuesOf(entry: Entry, attribute: string): (string | Buffer)[] {
  const name = Object.keys(entry).find((each) => each.toLowerCase() === attribute.toLowerCase());
  const value = name === undefined ? [] : (entry[name] ?? []);
  return Array.isArray(value) ? value : [value];
}

export function textOf(entry: Entry, attribute: string): string | null {
  return textsOf(entry, attribute)[0] ?? null;
}

/** GeneralizedTime (RFC 4517 §3.3.13) in UTC as ISO 8601, or null for anything else. */
export function timeOf(text: string | null): string | null {
  const [, year, month, day, hour, minute, second] =
    /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(?:\.\d+)?Z$/.exec(text ?? "") ?? [];
  const iso = `${year}-${month}-${day}T${hour}:${minute}:${second}Z`;
  return year === undefined || Number.isNaN(Date.parse(iso)) ? null : iso;
}
