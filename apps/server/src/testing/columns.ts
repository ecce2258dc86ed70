// Searches every column of every table for a text that must not be stored.
import assert from "node:assert/strict";
import type { Pool } from "pg";

/** The columns that contain the text, as `schema.table.column`. */
export async function columnsWith(pool: Pool, text: string): Promise<string[]> {
  const { rows: columns } = await pool.query<{ name: string; column: string }>(
    `select format('%I.%I', table_schema, table_name) as name, column_name as column from information_schema.columns
     where table_schema not in ('pg_catalog', 'information_schema')`,
  );
  assert.ok(columns.length > 500);
  const found: string[] = [];
  for (const { name, column } of columns) {
    const { rows } = await pool.query<{ is: boolean }>(
      `select exists (select from ${name} where "${column}"::text like '%' || $1 || '%') as is`,
      [text],
    );
    if (rows[0]!.is) found.push(`${name}.${column}`);
  }
  return found;
}
