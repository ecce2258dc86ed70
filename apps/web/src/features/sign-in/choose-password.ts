// A new password, typed twice: the rules that sign-up, reset and change share (SIGNUP-08, SIGNUP-09).
import { Password } from "@strongroom/contract";
import { z } from "zod";
import { isCallError } from "#shared/api/call-error.ts";

/** Fields of a form in which a password is chosen. */
export const chosenPassword = { password: Password, confirmation: z.string() };

/** For `.superRefine`: the confirmation has to match. */
export function requireMatch(values: { password: string; confirmation: string }, context: z.RefinementCtx): void {
  if (values.password === values.confirmation) return;
  context.addIssue({ code: "custom", path: ["confirmation"], message: "Passwords do not match." });
}

/** Why the server refused a new password, to be shown at its field; null for another failure. */
export function passwordErrorOf(error: unknown): string | null {
  if (!isCallError(error) || error.code?.startsWith("password.") !== true) return null;
  return error.errors.find(({ path }) => path === "password")?.msg ?? null;
}

export const ChosenPassword = z.object(chosenPassword).superRefine(requireMatch);
