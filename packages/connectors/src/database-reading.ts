// A search of a server's databases: the connector method, the limits of the search, and the places that it found.
import { inTime, type Attempt } from "./attempt.ts";
import type { Connector, ReadDatabasesFinding, Target } from "./connector.ts";
import {
  MAX_DEFINITION_LENGTH,
  MAX_TABLE_BYTES,
  MAX_VALUE_LENGTH,
  fullName,
  type DatabaseReader,
  type DatabaseSearch,
  type DatabasesRead,
  type ReadColumn,
  type ReadDefinition,
} from "./database-search.ts";
import { RESERVED_MS, Unread, type ReadLimit } from "./file-search.ts";
import { matcherOf } from "./path-patterns.ts";

/** The maximum size of one answer. */
export const MAX_ANSWER_BYTES = 80 * 1024 * 1024;
const MOST_ROWS_AT_ONCE = 25;
/** Definitions and settings. A server that never ends its lists would fill the memory. */
const MOST_LISTED = 200_000;

/** A number of rows that always fits into one answer. A character takes at most four bytes. */
export const rowsAtOnce = (columns: number): number =>
  Math.max(1, Math.min(MOST_ROWS_AT_ONCE, Math.floor(MAX_ANSWER_BYTES / (columns * (MAX_VALUE_LENGTH + 1) * 4))));

/** A single query, in milliseconds. */
export const QUERY_TIMEOUT_MS = 30_000;

export interface FoundTable {
  /** `shop.public.settings`. */
  name: string;
  owner: string;
  isPublic: boolean;
  columns: readonly string[];
}

/** A definition as the server returned it. `isPart` means that the server returned only a part. */
type FoundDefinition = Omit<ReadDefinition, "isPart"> & { isPart?: boolean };

/** One search, and what receives its results. */
export interface DatabaseTask {
  search: DatabaseSearch;
  reader: DatabaseReader;
  current: Attempt;
}

type Read = (target: Target, password: string, task: DatabaseTask) => Promise<ReadDatabasesFinding>;

/** The method of a connector. The driver is loaded on first use, so that loading does not count towards the time limit. */
export function databaseReading(load: () => Promise<Read>): Required<Pick<Connector, "readDatabases">> {
  return {
    async readDatabases(target, secret, search, reader, context) {
      const password = secret.reveal();
      const read = await load();
      return inTime<ReadDatabasesFinding>(
        context,
        (current) => read(target, password, { search, reader, current }),
        (failure) => failure,
      );
    },
  };
}

/** The reader failed, not the server. */
export class ReaderFailed extends Error {}

async function received(reading: Promise<void>): Promise<void> {
  try {
    await reading;
  } catch (error) {
    throw new ReaderFailed("the reader failed", { cause: error });
  }
}

/** Reads the next rows; none at the end. */
export type NextRows = () => Promise<readonly (readonly (string | null)[])[]>;

export class DatabaseReading {
  readonly unread = new Unread();
  limit: ReadLimit | null = null;
  #tables = 0;
  #bytes = 0;
  #listed = 0;
  readonly #seen = new Set<string>();
  readonly #unlisted: string[] = [];
  readonly #isExcluded: (place: string) => boolean;
  readonly #only: ReadonlySet<string> | null;
  readonly #search: DatabaseSearch;
  readonly #reader: DatabaseReader;
  readonly #current: Attempt;

  constructor(search: DatabaseSearch, reader: DatabaseReader, current: Attempt) {
    this.#search = search;
    this.#reader = reader;
    this.#current = current;
    this.#isExcluded = matcherOf(search.excludes);
    this.#only = search.only === null ? null : new Set(search.only);
  }

  /** Whether the search must stop reading. */
  isOver(): boolean {
    if (this.#current.signal.aborted) return true;
    if (this.#current.remainingMs() <= RESERVED_MS) this.limit = "time";
    else if (this.#bytes >= this.#search.maxTotalBytes) this.limit = "bytes";
    else if (this.#listed >= MOST_LISTED) this.limit = "files";
    return this.limit === "time" || this.limit === "bytes" || this.#listed >= MOST_LISTED;
  }

  /** Whether the search covers places with this prefix. */
  wantsAny(beginning: string): boolean {
    return this.#only === null || [...this.#only].some((place) => place.startsWith(beginning));
  }

  /** The tables to read, with all their columns noted as existing. */
  choose(tables: readonly FoundTable[]): FoundTable[] {
    for (const { name, columns } of tables) for (const column of columns) this.#seen.add(placeOf(name, column));
    const wanted = tables.filter(
      ({ name, columns }) =>
        !this.#isExcluded(name) &&
        (this.#only === null || columns.some((each) => this.#only!.has(placeOf(name, each)))),
    );
    return this.#within(wanted);
  }

  /** Like `choose`, for tables whose columns are known only from their rows. */
  chooseByName<T extends { name: string }>(tables: readonly T[]): T[] {
    return this.#within(tables.filter(({ name }) => !this.#isExcluded(name) && this.wantsAny(`column:${name}.`)));
  }

  #within<T>(wanted: readonly T[]): T[] {
    const chosen = wanted.slice(0, Math.max(0, this.#search.maxTables - this.#tables));
    this.#tables += chosen.length;
    if (chosen.length < wanted.length) this.limit = "files";
    return chosen;
  }

  found(tables: number): Promise<void> {
    return received(this.#reader.found(tables));
  }

  /**
   * Reads rows until the table, or its share of the search, ends. Rejects when `next` does. `isCut` means that `next` leaves
   * something out.
   */
  async readTable({ name, owner, isPublic, columns }: FoundTable, next: NextRows, isCut = false): Promise<void> {
    const rows: (string | null)[][] = [];
    let bytes = 0;
    let isPart = false;
    for (let more = await next(); more.length > 0 && !isPart; more = isPart ? [] : await next()) {
      for (const row of more) {
        isPart = rows.length >= this.#search.maxRows || bytes >= MAX_TABLE_BYTES;
        if (isPart) break;
        const values = row.map((value) => value?.slice(0, MAX_VALUE_LENGTH) ?? null);
        isCut ||= row.some((value) => value !== null && value.length > MAX_VALUE_LENGTH);
        bytes += values.reduce((sum, value) => sum + Buffer.byteLength(value ?? ""), 0);
        rows.push(values);
      }
      isPart ||= this.isOver();
    }
    this.#bytes += bytes;
    const places = columns.map((column): ReadColumn => ({ place: placeOf(name, column), name: column }));
    for (const { place } of places) this.#seen.add(place);
    await received(this.#reader.table({ columns: places, rows, isPart: isPart || isCut, owner, isPublic }));
  }

  /** Notes a definition or settings as existing. Returns whether to read it. */
  wants(place: string): boolean {
    this.#listed += 1;
    this.#seen.add(place);
    const name = place.slice(place.indexOf(":") + 1);
    return !this.#isExcluded(name) && (this.#only === null || this.#only.has(place));
  }

  async definition(found: FoundDefinition): Promise<void> {
    const text = found.text.slice(0, MAX_DEFINITION_LENGTH);
    const isPart = found.isPart === true || text.length < found.text.length;
    this.#bytes += Buffer.byteLength(text);
    await received(this.#reader.definition({ ...found, text, isPart }));
  }

  settings(settings: Parameters<DatabaseReader["settings"]>[0]): Promise<void> {
    return received(this.#reader.settings(settings));
  }

  /** Notes that the server did not report which places with this prefix exist. */
  notListed(beginning: string): void {
    this.#unlisted.push(beginning);
  }

  /** The end of the search on the server of this name. */
  result(where: string, isSuperuser: boolean): DatabasesRead {
    return {
      outcome: "read",
      message: `Read the databases of ${where}.`,
      unread: this.unread.paths,
      unreadCount: this.unread.count,
      gone: this.#gone(),
      limit: this.limit,
      isSuperuser,
    };
  }

  /** Known places that no longer exist. */
  #gone(): string[] {
    const isListed = (place: string) => !this.#unlisted.some((beginning) => place.startsWith(beginning));
    return this.#search.known.filter((place) => !this.#seen.has(place) && isListed(place));
  }
}

const placeOf = (table: string, column: string): string => `column:${table}.${fullName([column])}`;
