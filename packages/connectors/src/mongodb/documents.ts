// Turns documents of a collection into rows of text values: a column for each field, with dotted names for nested ones.
import { BSON } from "mongodb";
import { MAX_COLUMNS, MAX_TABLE_BYTES } from "../database-search.ts";
import type { Doc } from "./wire.ts";

/** Elements of one array. */
export const MAX_ELEMENTS = 20;
export const MAX_DEPTH = 16;

/** A port belongs to a login beside it. Other numbers are not secrets. */
const PORT = /(?:^|[_.-])port$|[a-z]Port$/i;

/** Collects the text values of documents. */
export class DocumentRows {
  readonly columns: string[] = [];
  /** Fields, elements or documents were left out. */
  isCut = false;
  #bytes = 0;
  readonly #positions = new Map<string, number>();
  readonly #rows: Map<number, string>[] = [];

  get count(): number {
    return this.#rows.length;
  }

  get isFull(): boolean {
    return this.#bytes >= MAX_TABLE_BYTES;
  }

  add(document: Doc): void {
    const row = new Map<number, string>();
    this.#rows.push(row);
    this.#addFields(row, document, "", 0);
  }

  /** A value for each column. */
  rows(): (string | null)[][] {
    return this.#rows.map((row) => this.columns.map((_, position) => row.get(position) ?? null));
  }

  #addFields(row: Map<number, string>, document: object, prefix: string, depth: number): void {
    if (depth >= MAX_DEPTH) {
      this.isCut = true;
      return;
    }
    for (const [name, value] of Object.entries(document)) this.#addValue(row, value, `${prefix}${name}`, depth);
  }

  #addValue(row: Map<number, string>, value: unknown, name: string, depth: number): void {
    const text = textOf(value, name);
    if (text !== null) this.#addText(row, name, text);
    else if (Array.isArray(value)) {
      this.isCut ||= value.length > MAX_ELEMENTS;
      this.#addFields(row, value.slice(0, MAX_ELEMENTS), `${name}.`, depth + 1);
    } else if (isDocument(value)) this.#addFields(row, value, `${name}.`, depth + 1);
  }

  #addText(row: Map<number, string>, name: string, text: string): void {
    let position = this.#positions.get(name);
    if (position === undefined) {
      if (this.columns.length >= MAX_COLUMNS) {
        this.isCut = true;
        return;
      }
      position = this.columns.push(name) - 1;
      this.#positions.set(name, position);
    }
    row.set(position, text);
    this.#bytes += Buffer.byteLength(text);
  }
}

/** Null for anything that is not read as text. */
function textOf(value: unknown, name: string): string | null {
  if (typeof value === "string") return value;
  if (value instanceof BSON.Code) return typeof value.code === "string" ? value.code : String(value.code);
  return typeof value === "number" && Number.isInteger(value) && PORT.test(name) ? String(value) : null;
}

/** Not a value of a BSON type such as a date or an object id. */
const isDocument = (value: unknown): value is object =>
  value !== null && typeof value === "object" && Object.getPrototypeOf(value) === Object.prototype;
