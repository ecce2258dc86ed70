// Which fields of a form the server objects to.
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
