// Refusals: expected failures of a call. They are part of the contract and visible to the caller.

import type { PeopleGainingAccess } from "@strongroom/contract";

export interface RefusalExtra {
  errors?: { path: string; msg: string }[];
  /** In seconds. */
  retryAfter?: number;
  peopleGainingAccess?: PeopleGainingAccess;
}

export class Refusal extends Error {
  override name = "Refusal";
  readonly status: number;
  readonly code: string;
  readonly extra: RefusalExtra;

  constructor(status: number, code: string, message: string, extra: RefusalExtra) {
    super(message);
    this.status = status;
    this.code = code;
    this.extra = extra;
  }
}

/**
 * Creates a refusal to throw: `throw refuse(404, "credential.not-found", "Credential not found")`. The code is stable and
 * machine-readable. The message is public, so it never names another user's objects.
 */
export function refuse(status: number, code: string, message: string, extra: RefusalExtra = {}): Refusal {
  return new Refusal(status, code, message, extra);
}
