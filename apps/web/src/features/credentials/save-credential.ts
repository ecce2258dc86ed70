// What a person is told when a credential could not be stored (CRED-39, CRED-40), and which fields the server objects to.
import { isCallError } from "#shared/api/call-error.ts";
import { fieldErrorsOf as objectionsOf } from "#shared/api/field-errors.ts";
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

export const fieldErrorsOf = (error: unknown): CredentialFormErrors => objectionsOf(error, isField);
