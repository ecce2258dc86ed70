// Cursors of lists that are ordered by name: a place is the folded name and the id of the last row that was shown.
import { refuse } from "./refuse.ts";

export interface NamePlace {
  /** As the database folded it: `lower(name)`. */
  sort: string;
  id: string;
}

const ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Null without a cursor. Throws a refusal for anything that `pageByName` did not give out. */
export function readNameCursor(cursor: string | undefined): NamePlace | null {
  if (cursor === undefined) return null;
  const text = Buffer.from(cursor, "base64url").toString("utf8");
  const [id = "", sort = ""] = [text.slice(0, 36), text.slice(36)];
  if (!ID.test(id) || sort.includes("\0")) {
    throw refuse(400, "request.invalid", "cursor: Not a cursor of this list", {
      errors: [{ path: "cursor", msg: "Not a cursor of this list" }],
    });
  }
  return { sort, id };
}

/** Splits `limit + 1` rows into a page and the cursor of the next one; null when there is none. */
export function pageByName<R extends NamePlace>(rows: R[], limit: number): { shown: R[]; next_cursor: string | null } {
  const shown = rows.slice(0, limit);
  const last = rows.length > limit ? shown.at(-1) : undefined;
  const next_cursor = last === undefined ? null : Buffer.from(last.id + last.sort).toString("base64url");
  return { shown, next_cursor };
}
