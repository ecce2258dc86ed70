// What a call throws when it did not succeed: one class, so that screens ask one question.
import type { PeopleGainingAccess, Problem } from "@strongroom/contract";

/**
 * `http`: the server answered with a failure. `network`: no answer at all. `timeout`: none within the limit.
 * `unreadable`: an answer that does not have the shape the contract promises.
 */
export type CallErrorKind = "http" | "network" | "timeout" | "unreadable";

export interface CallErrorParts {
  kind: CallErrorKind;
  message: string;
  /** 0 when there was no answer. */
  status?: number;
  /** The problem's stable code, such as `credential.not-found`; null when the body was not a problem. */
  code?: string | null;
  /** What is wrong where, for validation. */
  errors?: NonNullable<Problem["errors"]>;
  /** Seconds until another try makes sense. */
  retryAfter?: number | null;
  requestId?: string | null;
  /** The people who would gain access by the call, to be confirmed. */
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

  constructor(parts: CallErrorParts) {
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

/** The sentence to show for anything that was thrown; never empty. */
export function messageOf(error: unknown, fallback = "Something went wrong. Please try again."): string {
  if (error instanceof Error && error.message !== "") return error.message;
  return fallback;
}
