// Maps thrown errors to RFC 9457 problem details. Refusals are public; every other error is a bug, and its reply reveals nothing.
import { STATUS_CODES } from "node:http";
import type { Problem } from "@strongroom/contract";
import { SealError, SealedError } from "@strongroom/keys";
import type { z } from "zod";
import { databaseRefusal } from "../db/database-error.ts";
import { Refusal, refuse } from "./refuse.ts";

interface FrameworkError {
  statusCode: number;
  message: string;
}

function isFrameworkError(error: unknown): error is FrameworkError {
  if (!(error instanceof Error) || !("statusCode" in error)) return false;
  return typeof error.statusCode === "number" && error.statusCode >= 400 && error.statusCode < 500;
}

const FRAMEWORK_REFUSALS: Record<number, [code: string, message: string]> = {
  400: ["request.malformed", "The request body is not valid JSON."],
  403: ["endpoint.not-found", "Not found."],
  404: ["endpoint.not-found", "Not found."],
  413: ["request.too-large", "The request body is too large."],
  415: ["request.unsupported-media-type", "The request body must be application/json."],
};

/** Returns the refusal for an error, or null for a bug. */
export function asRefusal(error: unknown): Refusal | null {
  if (error instanceof Refusal) return error;
  // The vault was sealed after the call was admitted.
  if (error instanceof SealedError) return sealed();
  if (error instanceof SealError && error.code === "root-key.changed")
    return refuse(503, "seal.root-key-changed", error.message);
  const database = databaseRefusal(error);
  if (database !== null) return database;
  if (!isFrameworkError(error)) return null;
  const [code, message] = FRAMEWORK_REFUSALS[error.statusCode] ?? ["request.malformed", "The request is malformed."];
  return refuse(error.statusCode, code, message);
}

export function problemOf(refusal: Refusal, requestId: string): Problem {
  return {
    type: "about:blank",
    title: STATUS_CODES[refusal.status] ?? "Error",
    status: refusal.status,
    code: refusal.code,
    detail: refusal.message,
    message: refusal.message,
    request_id: requestId,
    ...(refusal.extra.errors === undefined ? {} : { errors: refusal.extra.errors }),
    ...(refusal.extra.peopleGainingAccess === undefined
      ? {}
      : { people_gaining_access: refusal.extra.peopleGainingAccess }),
    ...(refusal.extra.retryAfter === undefined ? {} : { retry_after: refusal.extra.retryAfter }),
  };
}

export const sealed = (): Refusal => refuse(503, "sealed", "The vault is sealed. An administrator must unseal it.");

export const internalError = (): Refusal =>
  refuse(500, "internal", "Unexpected server error. Give the request id to your administrator.");

/** INVARIANT: issues contain paths and rules, never the submitted values. */
export function validationRefusal(part: string, error: z.ZodError): Refusal {
  const errors = error.issues.map((issue) => ({
    path: issue.path.length > 0 ? issue.path.join(".") : part,
    msg: issue.code === "unrecognized_keys" ? `Unknown field: ${issue.keys.join(", ").slice(0, 200)}` : issue.message,
  }));
  const first = errors[0];
  return refuse(400, "request.invalid", first ? `${first.path}: ${first.msg}` : "The request is not valid.", {
    errors,
  });
}
