// Computes the search index of a stored secret: its folded text, numeric keys for its traits and for each short piece
// of that text, and the beginning of its name.
//
// Why not pg_trgm: it indexes no pieces shorter than three letters and none across punctuation ("1-", "a_b"), so such a
// search reads every row, and its plan depends on estimates. These keys belong to one owner each, work for any text,
// need no extension, and one GIN index serves both search and filters (docs/decisions has the measurements).
import { isDatabaseType, isFailing } from "@strongroom/contract";
import type { CredentialType, VerificationStatusFilter } from "@strongroom/contract";
import { sql } from "kysely";
import type { RawBuilder } from "kysely";
import { wordsOf } from "#kernel/db/containing.ts";

const LONGEST_PIECE = 3;

/** The owner id in the search keys of accounts. */
export const ACCOUNTS = "accounts";

export interface Findable {
  /** Null for an account, which is found in a search of all safes' accounts. */
  user_id: string | null;
  search_text: string;
  type: string;
  environment: string;
  verification_status: string;
}

/** The filters of lists. The `type` `database` matches every database type (OPEN-45). */
export interface Filter {
  search?: string | undefined;
  type?: CredentialType | undefined;
  environment?: string | undefined;
  verification_status?: VerificationStatusFilter | undefined;
}

/** Removes differences of case and compatibility forms, in stored texts and in searches. */
export function fold(text: string): string {
  return text.normalize("NFKC").toLowerCase();
}

/**
 * The text that searches read: one line for each of the values, the name first. A search matches within one line,
 * because it never contains a line break.
 */
export const searchText = (values: readonly (string | null)[]): string =>
  values.map((value) => fold(value ?? "")).join("\n");

/** Computes all search keys of a stored secret. */
export function searchKeys(found: Findable): number[] {
  const key = keysOf(found.user_id ?? ACCOUNTS);
  const { type, environment, verification_status } = found;
  const traits = [`type:${type}`, `environment:${environment}`, `verification:${keyOfStatus(verification_status)}`];
  if (isDatabaseType(type)) traits.push("family:database");
  const keys = new Set(traits.map((trait) => key("trait", trait)));
  for (const line of found.search_text.split("\n")) {
    for (let length = 1; length <= LONGEST_PIECE; length++) {
      for (const piece of piecesOf(line, length)) keys.add(key("piece", piece));
    }
  }
  return [...keys];
}

/**
 * Keys that every match has. As they are hashes, other rows may have them too, so the filter itself must still be
 * applied.
 */
export function keysToFind(ownerId: string, filter: Filter): number[] {
  const key = keysOf(ownerId);
  const traits = [
    ...(filter.type === undefined ? [] : [filter.type === "database" ? "family:database" : `type:${filter.type}`]),
    ...(filter.environment === undefined ? [] : [`environment:${filter.environment}`]),
    ...(filter.verification_status === undefined ? [] : [`verification:${keyOfStatus(filter.verification_status)}`]),
  ];
  const words = wordsOf(fold(filter.search ?? ""));
  const pieces = words.flatMap((word) => piecesOf(word, Math.min(LONGEST_PIECE, word.length)));
  return [...new Set([...traits.map((trait) => key("trait", trait)), ...pieces.map((piece) => key("piece", piece))])];
}

/**
 * Failing secrets share one key, and so do pending and untested ones, so that a new outcome seldom changes the index.
 */
function keyOfStatus(status: string): string {
  if (isFailing(status)) return "failed";
  return status === "untested" ? "pending" : status;
}

function piecesOf(text: string, length: number): string[] {
  return Array.from({ length: Math.max(0, text.length - length + 1) }, (_, at) => text.slice(at, at + length));
}

function keysOf(ownerId: string): (kind: "trait" | "piece", text: string) => number {
  const seeds = { trait: fnv1a(`${ownerId} trait `), piece: fnv1a(`${ownerId} piece `) };
  return (kind, text) => fnv1a(text, seeds[kind]);
}

/** FNV-1a over UTF-16 code units, as a signed 32-bit integer. */
function fnv1a(text: string, seed = 0x811c9dc5): number {
  let hash = seed;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash | 0;
}

/**
 * The number of indexed characters of `search_text`, which begins with the name and a line break, so that an exact name
 * sorts before longer ones.
 */
const KEPT = 120;
const LONGEST = 100;

/** The name in the index `credentials_by_name`. */
export const NAME_KEY: RawBuilder<string> = sql`left(credentials.search_text, ${sql.lit(KEPT)}) collate "C"`;

/** Matches rows of one owner (`user_id = …`) or of all safes (`user_id is null`) that are not deleted. */
export function nameBeginsWith(text: string): RawBuilder<boolean> {
  const started = fold(text).slice(0, LONGEST);
  return sql`(${NAME_KEY} >= ${started} and ${NAME_KEY} < ${`${started}\u{10ffff}`})`;
}
