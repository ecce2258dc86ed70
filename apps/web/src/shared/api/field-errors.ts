// Maps errors of the server and the contract to form fields.
import type { z } from "zod";
import { isCallError } from "./call-error.ts";

/** The server's errors by field; errors without a form field appear only in the message above the form. */
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

/** The contract's first error for each field; `{}` when the values are valid. */
export function firstObjections<Field extends string>(
  schema: z.ZodType,
  values: unknown,
  fieldAt: (path: readonly PropertyKey[]) => string = (path) => String(path[0]),
): Partial<Record<Field, string>> {
  const issues = schema.safeParse(values).error?.issues ?? [];
  // Reversed, so that the first error of a field overwrites the later ones.
  return Object.fromEntries(issues.toReversed().map(({ path, message }) => [fieldAt(path), message])) as Partial<
    Record<Field, string>
  >;
}
