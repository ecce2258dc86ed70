// The dashboard's data service: validation statistics, else those of the accounts, else zeros (DASH-13).
import { endpoint, type ReplyOf, type validationStatistics } from "@strongroom/contract";
import { z } from "zod";

/** API-24. An older source of the same figures; installations without accounts answer 404. */
export const accountStatistics = endpoint({
  method: "GET",
  path: "/api/v1/accounts/statistics",
  summary: "How many accounts there are and how many of them are valid",
  reply: z.object({
    total: z.number(),
    active: z.number(),
    requiring_rotation: z.number(),
    validation_valid: z.number(),
    validation_invalid: z.number(),
  }),
  needs: "signed-in",
  audit: "none",
});

export interface VerificationFigures {
  /** `none`: neither call was answered, and the zeros mean nothing. */
  source: "validation" | "accounts" | "none";
  total: number;
  verified: number;
  pending: number;
  failed: number;
  neverVerified: number;
  /** Percent of the last 24 hours' attempts; null where the source does not know, or nothing was tried. */
  successRate: number | null;
  attemptsLastDay: number | null;
}

function fromValidation(read: ReplyOf<typeof validationStatistics>): VerificationFigures {
  return {
    source: "validation",
    total: read.total_accounts,
    verified: read.verified,
    pending: read.pending,
    failed: read.failed,
    neverVerified: read.never_validated,
    successRate: read.last_24h_attempts === 0 ? null : read.success_rate,
    attemptsLastDay: read.last_24h_attempts,
  };
}

function fromAccounts(read: ReplyOf<typeof accountStatistics>): VerificationFigures {
  const { total, validation_valid: verified, validation_invalid: failed } = read;
  const neverVerified = Math.max(0, total - verified - failed);
  return {
    source: "accounts",
    total,
    verified,
    pending: 0,
    failed,
    neverVerified,
    successRate: null,
    attemptsLastDay: null,
  };
}

export const ZEROS: VerificationFigures = {
  source: "none",
  total: 0,
  verified: 0,
  pending: 0,
  failed: 0,
  neverVerified: 0,
  successRate: null,
  attemptsLastDay: null,
};

export interface FigureSources {
  validation: () => Promise<ReplyOf<typeof validationStatistics>>;
  accounts: () => Promise<ReplyOf<typeof accountStatistics>>;
  /** The reader is gone: then nobody is asked any more. */
  signal: AbortSignal;
}

/** Rejects only when it was aborted. */
export async function verificationFigures({
  validation,
  accounts,
  signal,
}: FigureSources): Promise<VerificationFigures> {
  try {
    return fromValidation(await validation());
  } catch {
    signal.throwIfAborted();
  }
  try {
    return fromAccounts(await accounts());
  } catch {
    signal.throwIfAborted();
    return ZEROS;
  }
}
