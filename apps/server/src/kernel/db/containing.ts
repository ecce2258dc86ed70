// Conditions for searching in texts.
import { sql } from "kysely";
import type { RawBuilder } from "kysely";

/** A pattern for `like` and `ilike` that matches texts containing this text, with special characters escaped. */
export const containing = (text: string): string => `%${text.replaceAll(/[\\%_]/g, "\\$&")}%`;

/** The words of a search, without duplicates. */
export const wordsOf = (text: string): string[] => [...new Set(text.split(/\s+/u).filter((word) => word !== ""))];

/** True if each word of the text matches, in any order. `matches` gets the pattern of one word, for `like` or `ilike`. */
export function everyWord(text: string, matches: (pattern: string) => RawBuilder<unknown>): RawBuilder<boolean> {
  const conditions = wordsOf(text).map((word) => matches(containing(word)));
  return conditions.length === 0 ? sql<boolean>`true` : sql<boolean>`(${sql.join(conditions, sql` and `)})`;
}
