// How PostgreSQL's types become JavaScript values, set per pool so that no other user of `pg` is affected.
import pg from "pg";

const INT8 = 20;
const INT8_ARRAY = 1016;
const DATE = 1082;

/** A 64-bit integer as a number. Throws `RangeError` if a number cannot represent it exactly. */
function readInt8(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError("the database holds an integer beyond 2^53 - 1");
  return value;
}

const readTextArray = pg.types.getTypeParser(1009 as never) as (text: string) => (string | null)[];

function readInt8Array(text: string): (number | null)[] {
  return readTextArray(text).map((each) => (each === null ? null : readInt8(each)));
}

type Parser = (text: string) => unknown;

const parsers = new Map<number, Parser>([
  [INT8, readInt8],
  [INT8_ARRAY, readInt8Array],
  // A calendar date has no time zone: as a `Date` it would become another day west of Greenwich.
  [DATE, (text) => text],
]);

/** For the `types` option of `pg`: int8 as a safe number, date as `YYYY-MM-DD`, timestamptz as `Date`, the rest as usual. */
export const columnTypes: pg.CustomTypesConfig = {
  getTypeParser(oid: number, format?: "text" | "binary") {
    const own = format === "binary" ? undefined : parsers.get(oid);
    return own ?? pg.types.getTypeParser(oid, format);
  },
};
