// Bodies of PUT: every field that can be changed must be present, so that an omitted field is never reset.
import { z } from "zod";

type OutputAt<Output, Key> = Output extends unknown ? (Key extends keyof Output ? Output[Key] : undefined) : never;
type KeptKey<Input, Output> = {
  [Key in keyof Input]-?: undefined extends OutputAt<Output, Key> ? Key : never;
}[keyof Input];
type Whole<Input, Output> = {
  [Key in Exclude<keyof Input, KeptKey<Input, Output>>]-?: Exclude<Input[Key], undefined>;
} & { [Key in KeptKey<Input, Output>]?: Input[Key] };

/** The input of a schema with every field that a default would fill in. */
export type Complete<Input, Output> = Input extends object ? Whole<Input, Output> : Input;

/** The fields of an entity that its PUT accepts back unchanged. */
export interface ReadOnly {
  /** The reply of the entity's GET or list. Fields that the body lacks are ignored (AIP-203). */
  entity: z.ZodType;
  /**
   * The fields of the entity that the server never changes automatically. A value other than the stored one is
   * refused.
   */
  fixed: readonly string[];
  /** Computes fields that the body names or formats differently from the entity. */
  derive?: (entity: Readonly<Record<string, unknown>>) => Record<string, unknown>;
}

const complete = new WeakMap<z.ZodType, ReadOnly | null>();

/** Whether a schema was created by `completeBody`. */
export const isComplete = (schema: z.ZodType): boolean => complete.has(schema);

/** The read-only fields that a body created by `completeBody` accepts, or null. */
export function readOnlyOf(schema: z.ZodType | undefined): (ReadOnly & { names: readonly string[] }) | null {
  const readOnly = (schema === undefined ? null : complete.get(schema)) ?? null;
  if (readOnly === null) return null;
  const editable = new Set(fieldNames(schema as z.ZodType));
  return { ...readOnly, names: fieldNames(readOnly.entity).filter((name) => !editable.has(name)) };
}

/**
 * The same schema for a body that must have every field at any depth, whatever the schema's defaults. A field that is
 * just `.optional()` may be omitted: the handler keeps the stored value. With `readOnly`, the body may be the entity
 * as it was read: `kernel/http/read-only.ts` checks its fixed fields.
 */
export function completeBody<Schema extends z.ZodType>(
  schema: Schema,
  readOnly: ReadOnly | null = null,
): z.ZodType<z.output<Schema>, Complete<z.input<Schema>, z.output<Schema>>> {
  const prepare = (sent: unknown, context: z.RefinementCtx): unknown => {
    const body = readOnly === null ? sent : editablePart(sent, schema, readOnly, context);
    for (const path of missingFields(schema, body)) {
      context.addIssue({ code: "custom", path, message: "Required: an update must contain every field" });
    }
    return body;
  };
  const whole = z.preprocess(prepare, schema);
  complete.set(whole, readOnly);
  return whole as unknown as ReturnType<typeof completeBody<Schema>>;
}

/** The names of an object's fields, or of all objects of a union. */
function fieldNames(schema: z.core.$ZodType): string[] {
  if (schema instanceof z.ZodObject) return Object.keys(schema.shape);
  if (schema instanceof z.ZodDiscriminatedUnion) return [...new Set(schema.options.flatMap(fieldNames))];
  if (schema instanceof z.ZodPipe) return fieldNames(schema.in instanceof z.ZodTransform ? schema.out : schema.in);
  throw new Error("an entity and the body of its PUT are objects");
}

/** The body without read-only fields, and with the PUT's field names. */
function editablePart(
  sent: unknown,
  schema: z.ZodType,
  { entity, derive }: ReadOnly,
  context: z.RefinementCtx,
): unknown {
  if (typeof sent !== "object" || sent === null || Array.isArray(sent)) return sent;
  const body: Record<string, unknown> = { ...sent };
  for (const [name, derived] of Object.entries(derive?.(body) ?? {})) {
    if (derived === undefined) continue;
    body[name] ??= derived;
    // Fields may be objects: the same value may have been sent under both names.
    if (JSON.stringify(body[name]) !== JSON.stringify(derived)) {
      const message = "Sent twice with different values: omit the fields that you did not change";
      context.addIssue({ code: "custom", path: [name], message });
    }
  }
  const editable = new Set(fieldNames(schema));
  for (const name of fieldNames(entity)) if (!editable.has(name)) delete body[name];
  return body;
}

/** Whether omitting this field of a PUT body keeps the stored value. */
export function isKeptWhenMissing(field: z.core.$ZodType): boolean {
  const parsed = z.safeParse(field, undefined);
  return parsed.success && parsed.data === undefined;
}

type Path = (string | number)[];

/** The paths where `input` lacks a field that the schema would fill in or require. */
function missingFields(schema: z.core.$ZodType, input: unknown, path: Path = []): Path[] {
  if (input === undefined || input === null) return [];
  if (schema instanceof z.ZodObject) return missingInObject(schema, input, path);
  if (schema instanceof z.ZodArray) {
    const { element } = schema;
    return Array.isArray(input) ? input.flatMap((each, index) => missingFields(element, each, [...path, index])) : [];
  }
  if (schema instanceof z.ZodPipe) {
    return missingFields(schema.in instanceof z.ZodTransform ? schema.out : schema.in, input, path);
  }
  if (schema instanceof z.ZodDiscriminatedUnion) {
    const { discriminator, options } = schema.def;
    const kind = (input as Record<string, unknown>)[discriminator];
    const chosen = options.find((option) => {
      const literal = option instanceof z.ZodObject ? option.shape[discriminator] : undefined;
      return literal !== undefined && z.safeParse(literal, kind).success;
    });
    return chosen === undefined ? [] : missingFields(chosen, input, path);
  }
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault) {
    return missingFields(schema.def.innerType, input, path);
  }
  if (schema instanceof z.ZodPrefault) return missingFields(schema.def.innerType, input, path);
  return [];
}

function missingInObject(schema: z.ZodObject, input: unknown, path: Path): Path[] {
  if (typeof input !== "object" || Array.isArray(input)) return [];
  const given = input as Record<string, unknown>;
  return Object.entries(schema.shape).flatMap(([name, field]) => {
    const isGiven = Object.hasOwn(given, name) && given[name] !== undefined;
    if (isGiven) return missingFields(field, given[name], [...path, name]);
    return isKeptWhenMissing(field) ? [] : [[...path, name]];
  });
}
