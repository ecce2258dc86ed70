// Reads lists of cloud APIs page by page, and records each list as one command of a scan.
import type { ScanCommand } from "@strongroom/contract";
import { listCommand } from "../finding.ts";
import { NoAnswer } from "../http-over-stream.ts";
import type { ApiClient } from "./api-client.ts";
import { objectsIn, type Json } from "./json.ts";

export interface ListCall {
  url: string;
  token: string;
  /** The member that contains the entries. */
  field: string;
  /** The URL of the next page; null after the last one. */
  next: (answer: Json) => string | null;
  /** Called with the number of entries so far. */
  onPage?: (count: number) => void;
}

export interface ApiList {
  entries: Json[];
  /** False when there are more than the limit. */
  isComplete: boolean;
}

const MAX_PAGES = 200;
const MAX_ENTRIES = 20_000;

/** Throws `ApiError` or `NoAnswer`. */
export async function readList(api: ApiClient, { url, token, field, next, onPage }: ListCall): Promise<ApiList> {
  const entries: Json[] = [];
  let page: string | null = url;
  for (let count = 0; page !== null && count < MAX_PAGES && entries.length < MAX_ENTRIES; count += 1) {
    const answer = await api.ask({ url: page, token });
    entries.push(...objectsIn(answer[field]));
    onPage?.(entries.length);
    page = next(answer);
  }
  return { entries: entries.slice(0, MAX_ENTRIES), isComplete: page === null };
}

/**
 * INVARIANT: a token goes only to the origin that it was requested for, whatever an answer names as its next page.
 */
export function sameOrigin(link: unknown, url: string): string | null {
  const next = typeof link === "string" ? URL.parse(link) : null;
  return next !== null && next.origin === new URL(url).origin ? next.href : null;
}

/** The list, or null and a failed command when the API refuses it. Throws `NoAnswer`. */
export async function tryList<L extends { entries: readonly unknown[] }>(
  commands: ScanCommand[],
  { command, noun }: { command: string; noun: string },
  read: () => Promise<L>,
): Promise<L | null> {
  try {
    const list = await read();
    commands.push(listCommand(command, list.entries.length, noun));
    return list;
  } catch (error) {
    // Without a connection, the rest of the attempt has no chance either.
    if (error instanceof NoAnswer) throw error;
    commands.push(listCommand(command, null, noun));
    return null;
  }
}
