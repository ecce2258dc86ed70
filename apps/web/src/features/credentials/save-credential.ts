// What a person is told when a credential could not be stored (CRED-39, CRED-40), and which fields the server objects to.
import { isCallError } from "#shared/api/call-error.ts";
import { EMPTY_FORM, type CredentialFormErrors, type CredentialFormValues } from "./credential-form-values.ts";

/** A problem without a message of its own is told by its status (ERR-01), which says nothing about credentials. */
const isBareStatus = (message: string, status: number): boolean => message.startsWith(`${status} `);

/** `fallback` is "Failed to create credential" for a new one. */
export function saveFailureText(error: unknown, fallback: string): string {
  if (!isCallError(error)) return fallback;
  if (error.kind === "http" && error.text !== null) return `Server error: ${error.status} - ${error.text}`;
  return error.message === "" || isBareStatus(error.message, error.status) ? fallback : error.message;
}

const isField = (path: string): path is keyof CredentialFormValues => Object.hasOwn(EMPTY_FORM, path);

/** The server's objections, by field; what belongs to no field of the form is left to the sentence above it. */
export function fieldErrorsOf(error: unknown): CredentialFormErrors {
  if (!isCallError(error)) return {};
  const fields = error.errors.flatMap(({ path, msg }) => {
    const field = path.replace(/^body\./, "").split(".")[0] ?? "";
    return isField(field) ? [[field, msg] as const] : [];
  });
  return Object.fromEntries(fields);
}
