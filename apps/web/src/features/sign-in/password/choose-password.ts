// A new password with its confirmation: the rules that sign-up, reset and change share (SIGNUP-08, SIGNUP-09).
import { Password } from "@strongroom/contract";
import { z } from "zod";
import { isCallError } from "#shared/api/call-error.ts";

/** Fields of a form with a new password. */
export const chosenPassword = { password: Password, confirmation: z.string() };

/** For `.superRefine`: requires the confirmation to match. */
export function requireMatch(values: { password: string; confirmation: string }, context: z.RefinementCtx): void {
  if (values.password === values.confirmation) return;
  context.addIssue({ code: "custom", path: ["confirmation"], message: "Passwords do not match." });
}

/** Why the server refused a new password, by field; `{}` for any other failure. */
export function passwordErrorsOf(error: unknown): { password?: string } {
  if (!isCallError(error) || error.code?.startsWith("password.") !== true) return {};
  const refused = error.errors.find(({ path }) => path === "password");
  return refused === undefined ? {} : { password: refused.msg };
}

/** Whether the server refused the new password itself. */
export const isPasswordRefused = (error: unknown): boolean => passwordErrorsOf(error).password !== undefined;

export const ChosenPassword = z.object(chosenPassword).superRefine(requireMatch);
