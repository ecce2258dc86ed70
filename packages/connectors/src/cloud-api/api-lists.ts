// Reads lists of cloud APIs page by page, and records each list as one command of a scan.
import type { ScanCommand } from "@strongroom/contract";
import { listCommand } from "../finding.ts";
import { NoAnswer } from "../http-over-stream.ts";
import { ApiError, type ApiClient } from "./api-client.ts";
import { objectsIn, type Json } from "./json.ts";

export interface ListCall {
  url: string;
  token: string;
  /** The member that contains the entries. */
  field: string;
  /** True if the API omits the member when it has no entries. */
  mayLackField?: boolean;
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
export async function readList(api: ApiClient, call: ListCall): Promise<ApiList> {
  const { url, token, field, mayLackField = false, next, onPage } = call;
  const entries: Json[] = [];
  let page: string | null = url;
  for (let count = 0; page !== null && count < MAX_PAGES && entries.length < MAX_ENTRIES; count += 1) {
    const answer = await api.ask({ url: page, token });
    // INVARIANT: no other answer looks like an empty list, because objects missing from a complete list count as deleted.
    if (!Array.isArray(answer[field]) && !(mayLackField && answer[field] === undefined)) throw new ApiError(200, {});
    entries.push(...objectsIn(answer[field]));
    onPage?.(entries.length);
    page = next(answer);
  }
  return { entries: entries.slice(0, MAX_ENTRIES), isComplete: page === null };
}

/**
 * The next page, or null without a link. INVARIANT: a token goes only to the origin that it was requested for: throws
 * `ApiError` for another one.
 */
export function sameOrigin(link: unknown, url: string): string | null {
  if (link === undefined || link === null) return null;
  const next = typeof link === "string" ? URL.parse(link) : null;
  if (next === null || next.origin !== new URL(url).origin) throw new ApiError(200, {});
  return next.href;
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
    // Without a connection, the rest of the attempt would fail too.
    if (error instanceof NoAnswer) throw error;
    commands.push(listCommand(command, null, noun));
    return null;
  }
}
