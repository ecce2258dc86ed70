// Named statements for hot lookups by key: PostgreSQL parses and plans them once per connection.
import type { CompiledQuery } from "kysely";

/**
 * Gives a query a name, so that each connection prepares it once: `db.executeQuery(named("credential-by-id", query.compile()))`.
 *
 * Use it only for lookups whose best plan never depends on the values (equality on a unique key). A search stays unnamed: after
 * five executions, PostgreSQL may settle on a generic plan, which made one search a hundred times slower. The same name must
 * always carry the same SQL, otherwise `pg` refuses it.
 */
export function named<R>(name: string, query: CompiledQuery<R>): CompiledQuery<R> {
  // Kysely passes `sql` to `client.query` as its first argument, where `pg` also accepts `{ name, text }`.
  return { ...query, sql: { name, text: query.sql } as unknown as string };
}
