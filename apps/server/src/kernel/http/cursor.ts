// List cursors: the position after which the next page starts. They are opaque to callers, and cursors that the server
// did not issue are refused.
import { z } from "zod";
import { refuse } from "./refuse.ts";

/** A position in a list sorted by time. */
export interface TimePlace {
  at: Date;
  id: string;
}

/** A position in a list sorted by name. */
export interface NamePlace {
  name: string;
  id: string;
}

const Time = z.tuple([z.int().min(0).max(8.64e15), z.uuid()]);
const Name = z.tuple([
  z
    .string()
    .max(1000)
    .refine((name) => !name.includes("\0") && name.isWellFormed()),
  z.uuid(),
]);

export const writeTimePlace = ({ at, id }: TimePlace): string => write([at.getTime(), id]);
export const writeNamePlace = ({ name, id }: NamePlace): string => write([name, id]);

/** Throws a refusal for text that `writeTimePlace` did not write. */
export function readTimePlace(cursor: string): TimePlace {
  const [time, id] = read(Time, cursor);
  return { at: new Date(time), id };
}

/** Throws a refusal for text that `writeNamePlace` did not write. */
export function readNamePlace(cursor: string): NamePlace {
  const [name, id] = read(Name, cursor);
  return { name, id };
}

const write = (place: [number | string, string]): string => Buffer.from(JSON.stringify(place)).toString("base64url");

function read<T>(schema: z.ZodType<T>, cursor: string): T {
  try {
    return schema.parse(JSON.parse(Buffer.from(cursor, "base64url").toString("utf8")));
  } catch {
    // Every defect gets the same reply.
    const msg = "Not a valid cursor for this list";
    throw refuse(400, "request.invalid", `cursor: ${msg}`, { errors: [{ path: "cursor", msg }] });
  }
}

/** A row of a list sorted by name. `sort` is the case-folded name by which the database orders the list. */
export interface NamedRow {
  sort: string;
  id: string;
}

/** Splits `limit + 1` rows into a page and the cursor of the next page. The cursor is null if there is no next page. */
export function pageByName<R extends NamedRow>(rows: R[], limit: number): { shown: R[]; next_cursor: string | null } {
  const shown = rows.slice(0, limit);
  const last = rows.length > limit ? shown.at(-1) : undefined;
  return { shown, next_cursor: last === undefined ? null : writeNamePlace({ name: last.sort, id: last.id }) };
}

/** Returns null without a cursor. */
export const placeByName = (cursor: string | undefined): NamePlace | null =>
  cursor === undefined ? null : readNamePlace(cursor);
