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

const complete = new WeakSet<z.ZodType>();

/** Whether a schema was created by `completeBody`. */
export const isComplete = (schema: z.ZodType): boolean => complete.has(schema);

/**
 * The same schema for a body in which no field may be missing, at any depth, whatever the schema's defaults are. Fields that
 * are just `.optional()` may be left out: the handler keeps what is stored.
 */
export function completeBody<Schema extends z.ZodType>(
  schema: Schema,
): z.ZodType<z.output<Schema>, Complete<z.input<Schema>, z.output<Schema>>> {
  const refuseMissing = (body: unknown, context: z.RefinementCtx): unknown => {
    for (const path of missingFields(schema, body)) {
      context.addIssue({ code: "custom", path, message: "Required: a change names every field" });
    }
    return body;
  };
  const whole = z.preprocess(refuseMissing, schema);
  complete.add(whole);
  return whole as unknown as ReturnType<typeof completeBody<Schema>>;
}

/** Whether omitting this field of a PUT body keeps the stored value. */
export function isKeptWhenMissing(field: z.core.$ZodType): boolean {
  const parsed = z.safeParse(field, undefined);
  return parsed.success && parsed.data === undefined;
}

type Path = (string | number)[];

/** Where `input` lacks a field that the schema would fill in or require. */
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
