// Finds credentials and accounts by the beginning of their names, with the index `credentials_by_name`.
import { sql } from "kysely";
import type { RawBuilder } from "kysely";
import type { Actor } from "#kernel/authz/actor.ts";
import type { Db } from "#kernel/db/database.ts";
import { isFoundAndUsableBy, isUsableBy } from "./credentials.policy.ts";
import { COLUMNS } from "./credentials.store.ts";
import type { CredentialRow } from "./credentials.store.ts";
import { fold } from "./index-credential.ts";

/**
 * The number of indexed characters of `search_text`, which begins with the name and a line break, so that an exact name
 * sorts before longer ones.
 */
const KEPT = 120;
const LONGEST = 100;

export const NAME_KEY: RawBuilder<string> = sql`left(credentials.search_text, ${sql.lit(KEPT)}) collate "C"`;

/** For rows of one owner (`user_id = …`) or of all safes (`user_id is null`) that are not deleted. */
export function nameBeginsWith(text: string): RawBuilder<boolean> {
  const begun = fold(text).slice(0, LONGEST);
  return sql`(${NAME_KEY} >= ${begun} and ${NAME_KEY} < ${`${begun}\u{10ffff}`})`;
}

/** The user's own credentials whose names begin with the text, sorted by name, so the exact name comes first. */
export const readNamed = (db: Db, actor: Pick<Actor, "id">, text: string, limit: number): Promise<CredentialRow[]> =>
  db
    .selectFrom("credentials")
    .select(COLUMNS)
    .where(isUsableBy(actor))
    .where(nameBeginsWith(text))
    .orderBy(NAME_KEY)
    .limit(limit)
    .execute();

/** Those of these credentials that belong to the user. */
export const readOwn = (db: Db, actor: Pick<Actor, "id">, ids: readonly string[]): Promise<CredentialRow[]> =>
  db.selectFrom("credentials").select(COLUMNS).where("id", "in", ids).where(isFoundAndUsableBy(actor)).execute();
