// The types of a search for secrets in a database: the rows of tables, definitions such as functions, and settings with logins.
import type { Searched } from "./file-search.ts";

export interface DatabaseSearch {
  /** Rows of each table. */
  maxRows: number;
  maxTables: number;
  /** Bytes of text, in total. */
  maxTotalBytes: number;
  /** Patterns of places with `*` and `?`, such as `shop.audit.*`. */
  excludes: readonly string[];
  /** Reads only these places; null reads everything. */
  only: readonly string[] | null;
  /** Places of an earlier search, to learn which of them no longer exist. */
  known: readonly string[];
}

/** Who owns an object, and whether every login of the database can read it. */
interface Readers {
  /** Empty when the server knows no owner. */
  owner: string;
  isPublic: boolean;
}

export interface ReadColumn {
  /** `column:shop.public.settings.value`; names with other characters are quoted as in SQL. */
  place: string;
  name: string;
}

/** Rows of one table, in the order of the server. */
export interface ReadTable extends Readers {
  columns: readonly ReadColumn[];
  /** A value for each column. */
  rows: readonly (readonly (string | null)[])[];
  /** The table has more rows, or longer values, than were read. */
  isPart: boolean;
}

/** The source of a function, view, trigger or event: `definition:shop.public.sync_orders(integer)`. */
export interface ReadDefinition extends Readers {
  place: string;
  text: string;
  isPart: boolean;
}

/** Settings of a role, subscription or foreign server: `setting:shop.role.app`. */
export interface ReadSettings extends Readers {
  place: string;
  settings: readonly { name: string; value: string }[];
}

/** Receives what a search finds. Reading waits for every promise. */
export interface DatabaseReader {
  /** Called with the number of tables before they are read, once for each database. */
  found(tables: number): Promise<void>;
  table(table: ReadTable): Promise<void>;
  definition(definition: ReadDefinition): Promise<void>;
  settings(settings: ReadSettings): Promise<void>;
}

export interface DatabasesRead extends Searched {
  /** The login may read everything. */
  isSuperuser: boolean;
}

/** Characters of a value. */
export const MAX_VALUE_LENGTH = 16_384;
/** Characters of a definition. */
export const MAX_DEFINITION_LENGTH = 262_144;
/** Bytes of the rows of one table. */
export const MAX_TABLE_BYTES = 8 * 1024 * 1024;
/** Text columns of one table. */
export const MAX_COLUMNS = 100;

/** A full name such as `shop.public.settings`. */
export const fullName = (parts: readonly string[]): string => parts.map(part).join(".");

const part = (name: string): string => (/^[\w$-]+$/.test(name) ? name : `"${name.replaceAll('"', '""')}"`);
