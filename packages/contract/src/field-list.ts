// Lists of an entity's fields: each field is written once, and schemas, columns and CSV derive from the list.
import type { z } from "zod";

/** A field as callers send it, and as lists and details show it. */
interface Field {
  input: z.ZodType;
  shown: z.ZodType;
}
export type FieldList = Record<string, Field>;

/** The schemas of a body. */
export const inputsOf = <List extends FieldList>(fields: List) =>
  recordOf(namesOf(fields), (name) => fields[name]!.input) as { [Name in keyof List]: List[Name]["input"] };

/** The schemas of the entity. */
export const shownOf = <List extends FieldList>(fields: List) =>
  recordOf(namesOf(fields), (name) => fields[name]!.shown) as { [Name in keyof List]: List[Name]["shown"] };

/** The names of the fields, in the order of the list. */
export const namesOf = <List extends object>(fields: List) => Object.keys(fields) as (keyof List & string)[];

/** One value for each name. */
export const recordOf = <Name extends string, Value>(names: readonly Name[], valueOf: (name: Name) => Value) =>
  Object.fromEntries(names.map((name) => [name, valueOf(name)])) as Record<Name, Value>;

/** The named properties only. */
export const pick = <From extends object, Name extends keyof From & string>(from: From, names: readonly Name[]) =>
  recordOf(names, (name) => from[name]) as Pick<From, Name>;
