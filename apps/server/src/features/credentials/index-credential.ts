// Makes what a credential is found by: its folded text, and numbers for its traits and for each short piece of that text.
//
// Why not pg_trgm: it knows no piece under three letters and none across punctuation ("1-", "a_b"), so that such a search
// reads every row, and its plan depends on estimates. These keys belong to one owner each, work for any text, need no
// extension, and one GIN index serves search and filters alike (docs/decisions has the measurements).
import { isDatabaseType } from "@strongroom/contract";
import type { CredentialType } from "@strongroom/contract";
import { wordsOf } from "#kernel/db/containing.ts";

const LONGEST_PIECE = 3;

/** Whose the search keys of accounts are. */
export const ACCOUNTS = "accounts";

export interface Findable {
  /** Null: an account, found among the accounts of all safes. */
  user_id: string | null;
  name: string;
  username: string | null;
  host: string | null;
  type: string;
  environment: string;
  verification_status: string;
}

/** What lists can be narrowed by. `type` `database` stands for every database type (OPEN-45). */
export interface Filter {
  search?: string | undefined;
  type?: CredentialType | undefined;
  environment?: string | undefined;
  verification_status?: string | undefined;
}

/** Case and compatibility forms out of the way, the same for what is stored and for what is searched. */
export function fold(text: string): string {
  return text.normalize("NFKC").toLowerCase();
}

/** A search matches one of its lines; no search holds a line break. An account is found by its host too. */
export function searchText({
  user_id,
  name,
  username,
  host,
}: Pick<Findable, "user_id" | "name" | "username" | "host">): string {
  const lines = user_id === null ? [name, username, host] : [name, username];
  return lines.map((line) => fold(line ?? "")).join("\n");
}

/** Every key under which the credential may be looked up. */
export function searchKeys(credential: Findable): number[] {
  const key = keysOf(credential.user_id ?? ACCOUNTS);
  const { type, environment, verification_status } = credential;
  const traits = [`type:${type}`, `environment:${environment}`, `verification:${verification_status}`];
  if (isDatabaseType(type)) traits.push("family:database");
  const keys = new Set(traits.map((trait) => key("trait", trait)));
  for (const line of searchText(credential).split("\n")) {
    for (let length = 1; length <= LONGEST_PIECE; length++) {
      for (const piece of piecesOf(line, length)) keys.add(key("piece", piece));
    }
  }
  return [...keys];
}

/** Keys that every match has. Others may have them too (they are hashes), so the filter itself is still to be applied. */
export function keysToFind(ownerId: string, filter: Filter): number[] {
  const key = keysOf(ownerId);
  const traits = [
    ...(filter.type === undefined ? [] : [filter.type === "database" ? "family:database" : `type:${filter.type}`]),
    ...(filter.environment === undefined ? [] : [`environment:${filter.environment}`]),
    ...(filter.verification_status === undefined ? [] : [`verification:${filter.verification_status}`]),
  ];
  const words = wordsOf(fold(filter.search ?? ""));
  const pieces = words.flatMap((word) => piecesOf(word, Math.min(LONGEST_PIECE, word.length)));
  return [...new Set([...traits.map((trait) => key("trait", trait)), ...pieces.map((piece) => key("piece", piece))])];
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
