// The one error class of failed calls.
import type { PeopleGainingAccess, Problem } from "@strongroom/contract";

/**
 * `http`: the server returned an error. `network`: no response. `timeout`: no response within the limit.
 * `unreadable`: the response does not match the contract.
 */
export type CallErrorKind = "http" | "network" | "timeout" | "unreadable";

export interface CallErrorInit {
  kind: CallErrorKind;
  message: string;
  /** 0 when there was no response. */
  status?: number;
  /** The problem's stable code, such as `credential.not-found`; null when the body was not a problem. */
  code?: string | null;
  /** Validation errors by field. */
  errors?: NonNullable<Problem["errors"]>;
  /** Seconds to wait before a retry. */
  retryAfter?: number | null;
  requestId?: string | null;
  /** The users who would gain access by the call, to be confirmed. */
  peopleGainingAccess?: PeopleGainingAccess | null;
  /** The beginning of a body that was not JSON, else null. */
  text?: string | null;
  cause?: unknown;
}

export class CallError extends Error {
  override readonly name = "CallError";
  readonly kind: CallErrorKind;
  readonly status: number;
  readonly code: string | null;
  readonly errors: NonNullable<Problem["errors"]>;
  readonly retryAfter: number | null;
  readonly requestId: string | null;
  readonly peopleGainingAccess: PeopleGainingAccess | null;
  readonly text: string | null;

  constructor(parts: CallErrorInit) {
    super(parts.message, { cause: parts.cause });
    this.kind = parts.kind;
    this.status = parts.status ?? 0;
    this.code = parts.code ?? null;
    this.errors = parts.errors ?? [];
    this.retryAfter = parts.retryAfter ?? null;
    this.requestId = parts.requestId ?? null;
    this.peopleGainingAccess = parts.peopleGainingAccess ?? null;
    this.text = parts.text ?? null;
  }
}

export const isCallError = (error: unknown): error is CallError => error instanceof CallError;

/**
 * Whether the response had no message, so that the error's message is the bare status (ERR-01), such as "500 Internal
 * Server Error".
 */
export const isBareStatus = (error: unknown): boolean =>
  isCallError(error) && error.kind === "http" && error.message.startsWith(`${error.status} `);

/** A message to show for any thrown value; never empty. A `fallback` replaces an empty message and a bare status. */
export function messageOf(error: unknown, fallback?: string): string {
  const message = error instanceof Error ? error.message : "";
  if (message !== "" && (fallback === undefined || !isBareStatus(error))) return message;
  return fallback ?? "Something went wrong. Please try again.";
}
