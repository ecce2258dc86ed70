// Reads and writes additional parameters of an entry by name and path. Changes copy what they touch: everything else
// stays as it was stored.
import {
  describedConnector,
  isProtocolType,
  parameterSchema,
  parametersFor,
  type ConnectorChoice,
  type ConnectorDescription,
  type ParameterColumn,
  type ParameterField,
} from "@strongroom/contract";
import type { z } from "zod";

export type Json = z.core.util.JSONType;
export type Params = Record<string, Json>;

/** The type and connection string of an entry, which decide its connector together with the protocol. */
export type EntryKind = Omit<ConnectorChoice, "protocol">;

type Path = readonly (string | number)[];

const isContainer = (value: Json | undefined): value is Params | Json[] => typeof value === "object" && value !== null;

function valueAt(value: Json | undefined, [key, ...rest]: Path): Json | undefined {
  if (key === undefined) return value;
  if (Array.isArray(value)) return valueAt(value[Number(key)], rest);
  return isContainer(value) && Object.hasOwn(value, key) ? valueAt(value[key], rest) : undefined;
}

/**
 * A copy with the value at the path; undefined removes the value, with the objects and lists that this leaves empty.
 */
function withValueAt(value: Json | undefined, [key, ...rest]: Path, next: Json | undefined): Json | undefined {
  if (key === undefined) return next;
  if (Array.isArray(value)) {
    const inner = withValueAt(value[Number(key)], rest, next);
    const items = inner === undefined ? value.toSpliced(Number(key), 1) : value.with(Number(key), inner);
    return items.length === 0 ? undefined : items;
  }
  const { [key]: before, ...others } = isContainer(value) ? value : {};
  const inner = withValueAt(before, rest, next);
  if (inner !== undefined) return isContainer(value) ? { ...value, [key]: inner } : { [key]: inner };
  return Object.keys(others).length === 0 ? undefined : others;
}

const pathOf = ({ name }: ParameterField): Path => name.split(".");

export const parameterOf = (params: Params, field: ParameterField): Json | undefined => valueAt(params, pathOf(field));

export const withParameter = (params: Params, field: ParameterField, value: Json | undefined): Params =>
  (withValueAt(params, pathOf(field), value) ?? {}) as Params;

/** The fields of an entry's parameters, as its connector describes them. */
export function fieldsOf(
  connectors: readonly ConnectorDescription[],
  kind: EntryKind,
  params: Params,
): readonly ParameterField[] {
  const { protocol } = params;
  return parametersFor(describedConnector(connectors, { ...kind, protocol }), protocol);
}

/** Whether a field can show a stored value and give it back unchanged. */
export function canShow(field: ParameterField, value: Json | undefined): boolean {
  if (value === undefined) return true;
  switch (field.kind) {
    case "text":
      return isText(value) || typeof value === "number";
    case "number":
      return typeof value === "number" || isText(value);
    case "lines":
    case "choice":
      return isText(value);
    case "switch":
      return typeof value === "boolean";
    case "list":
      return Array.isArray(value) && value.every(isLine);
    case "pairs":
      return isObject(value) && Object.entries(value).every(([name, text]) => name !== "" && typeof text === "string");
    case "rows":
      return Array.isArray(value) && value.every((row) => isObject(row) && isRowOf(field.columns, row));
    default:
      return field satisfies never;
  }
}

const isText = (value: Json): value is string => typeof value === "string" && value !== "";
const isLine = (value: Json): boolean => isText(value) && !value.includes("\n");
const isObject = (value: Json): value is Params => isContainer(value) && !Array.isArray(value);

function isRowOf(columns: readonly ParameterColumn[], row: Params): boolean {
  return Object.entries(row).every(([name, value]) => {
    const column = columns.find((each) => each.name === name);
    return column !== undefined && (column.kind === "switch" ? typeof value === "boolean" : isText(value));
  });
}

/** A value that no field shows: a text, a number, true, false, null, or an empty list or object. */
export interface Leaf {
  path: Path;
  value: Json;
}

/** The values that none of the fields shows, in their stored order. */
export function leavesOf(params: Params, fields: readonly ParameterField[]): Leaf[] {
  const shown = new Set(["protocol", ...fields.map(({ name }) => name)]);
  const below = (value: Json, path: Path): Leaf[] => {
    if (shown.has(path.join("."))) return [];
    const inner = isContainer(value) ? Object.entries(value) : [];
    if (inner.length === 0) return path.length === 0 ? [] : [{ path, value }];
    return inner.flatMap(([key, each]) => below(each, [...path, Array.isArray(value) ? Number(key) : key]));
  };
  return below(params, []);
}

/** `script.change[0].send`. */
export const leafName = ({ path }: Leaf): string =>
  path
    .map((key) => (typeof key === "number" ? `[${key + 1}]` : `.${key}`))
    .join("")
    .slice(1);

export const leafText = ({ value }: Leaf): string => (isContainer(value) ? "(empty)" : String(value));

export const isEditable = ({ value }: Leaf): boolean => !isContainer(value);

/** A copy with the typed text at the leaf: as a number, a truth value or null where the stored value is one. */
export function withLeaf(params: Params, stored: Params, { path }: Leaf, text: string): Params {
  const before = valueAt(stored, path);
  const isSameKind =
    (typeof before === "number" && text.trim() !== "" && Number.isFinite(Number(text))) ||
    (typeof before === "boolean" && (text === "true" || text === "false")) ||
    (before === null && text === "null");
  const value = isSameKind ? (JSON.parse(typeof before === "number" ? String(Number(text)) : text) as Json) : text;
  return withValueAt(params, path, value) as Params;
}

export const withoutLeaf = (params: Params, { path }: Leaf): Params =>
  (withValueAt(params, path, undefined) ?? {}) as Params;

/** The parameters after the user chose a different protocol; null chooses none. */
export function afterProtocol(
  connectors: readonly ConnectorDescription[],
  kind: EntryKind,
  params: Params,
  protocol: string | null,
): Params {
  const { protocol: _, ...rest } = params;
  const next = protocol === null ? rest : { protocol, ...rest };
  return adapted(connectors, params, next, fieldsOf(connectors, kind, params), fieldsOf(connectors, kind, next));
}

/** The parameters after the type of the entry changed. */
export function afterKind(
  connectors: readonly ConnectorDescription[],
  before: EntryKind,
  after: EntryKind,
  params: Params,
): Params {
  const { protocol: _, ...rest } = params;
  const next = isProtocolType(after.type) || !isProtocolType(before.type) ? params : rest;
  return adapted(connectors, params, next, fieldsOf(connectors, before, params), fieldsOf(connectors, after, next));
}

/** Removes values of fields that are no longer shown, and adds the initial values of new ones. */
function adapted(
  connectors: readonly ConnectorDescription[],
  before: Params,
  next: Params,
  shown: readonly ParameterField[],
  fields: readonly ParameterField[],
): Params {
  if (connectors.length === 0) return next;
  const names = new Set(fields.map(({ name }) => name));
  const gone = shown.filter((field) => !names.has(field.name) && canShow(field, parameterOf(before, field)));
  const kept = gone.reduce((params, field) => withParameter(params, field, undefined), next);
  if (before["protocol"] === next["protocol"]) return kept;
  return fields.reduce((params, field) => {
    const initial = field.kind === "choice" ? field.initial : undefined;
    return initial === undefined || parameterOf(params, field) !== undefined
      ? params
      : withParameter(params, field, initial);
  }, kept);
}

/** The port after a change of protocol: a typed port stays, and the previous protocol's default is replaced. */
export function portAfterProtocol(
  connectors: readonly ConnectorDescription[],
  port: string,
  before: unknown,
  after: string | null,
  usual: string,
): string {
  const portOf = (protocol: unknown): string | null => {
    const found = connectors.flatMap(({ protocols }) => protocols).find(({ value }) => value === protocol);
    return found === undefined ? usual : found.port === null ? null : String(found.port);
  };
  const isUntouched = port.trim() === "" || port === (portOf(before) ?? usual);
  return isUntouched ? (portOf(after) ?? port) : port;
}

/** The first error of each field, by name. */
export function parameterErrors(
  fields: readonly ParameterField[],
  params: Params,
  stored: Params,
): Map<string, string> {
  const errors = new Map<string, string>();
  for (const field of fields) {
    const value = parameterOf(params, field);
    // A stored value that this form cannot show must not prevent the entry from being saved.
    if (value === parameterOf(stored, field) && value !== undefined) continue;
    const issue = parameterSchema(field).safeParse(value).error?.issues[0];
    if (issue !== undefined) errors.set(field.name, issue.message);
  }
  return errors;
}
