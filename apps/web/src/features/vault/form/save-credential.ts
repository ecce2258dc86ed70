// Error texts for a credential that could not be saved (CRED-39, CRED-40), and the server's validation errors by field.
import { isCallError, messageOf } from "#shared/api/call-error.ts";
import { fieldErrorsOf as objectionsOf } from "#shared/api/field-errors.ts";
import { EMPTY_FORM, type CredentialFormErrors, type CredentialFormValues } from "./credential-form-values.ts";

/** Returns `fallback` without a message, such as "Failed to create credential" for a new credential. */
export function saveFailureText(error: unknown, fallback: string): string {
  if (!isCallError(error)) return fallback;
  if (error.kind === "http" && error.text !== null) return `Server error: ${error.status} - ${error.text}`;
  return messageOf(error, fallback);
}

const isField = (path: string): path is keyof CredentialFormValues => Object.hasOwn(EMPTY_FORM, path);

export const fieldErrorsOf = (error: unknown): CredentialFormErrors => objectionsOf(error, isField);
