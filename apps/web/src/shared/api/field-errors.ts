// Which fields of a form the server objects to.
import type { z } from "zod";
import { isCallError } from "./call-error.ts";

/** The server's objections, by field; what belongs to no field of the form is left to the sentence above it. */
export function fieldErrorsOf<Field extends string>(
  error: unknown,
  isField: (path: string) => path is Field,
): Partial<Record<Field, string>> {
  if (!isCallError(error)) return {};
  const fields = error.errors.flatMap(({ path, msg }) => {
    const field = path.replace(/^body\./, "").split(".")[0] ?? "";
    return isField(field) ? [[field, msg] as const] : [];
  });
  return Object.fromEntries(fields) as Partial<Record<Field, string>>;
}

/** What the contract says of each field of a form, its first objection first; `{}` when it takes the values. */
export function firstObjections<Field extends string>(
  schema: z.ZodType,
  values: unknown,
  fieldAt: (path: readonly PropertyKey[]) => string = (path) => String(path[0]),
): Partial<Record<Field, string>> {
  const issues = schema.safeParse(values).error?.issues ?? [];
  // Later ones are overwritten by earlier ones.
  return Object.fromEntries(issues.toReversed().map(({ path, message }) => [fieldAt(path), message])) as Partial<
    Record<Field, string>
  >;
}
