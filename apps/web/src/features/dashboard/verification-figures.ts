// Loads the verification figures from the validation statistics, else the account statistics, else zeros (DASH-13).
import { endpoint, type ReplyOf, type VerificationStatus, type validationStatistics } from "@strongroom/contract";
import { z } from "zod";

/** API-24. An older source of the same figures; installations without accounts return 404. */
export const accountStatistics = endpoint({
  method: "GET",
  path: "/api/v1/accounts/statistics",
  summary: "Account counts by status",
  reply: z.object({
    total: z.number(),
    active: z.number(),
    requiring_rotation: z.number(),
    validation_valid: z.number(),
    validation_invalid: z.number(),
    validation_unreachable: z.number().default(0),
    validation_misconfigured: z.number().default(0),
    validation_pending: z.number().default(0),
  }),
  needs: "signed-in",
  audit: "none",
});

export interface VerificationFigures {
  /** `none`: both calls failed, and the zeros carry no information. */
  source: "validation" | "accounts" | "none";
  total: number;
  counts: Record<VerificationStatus, number>;
  /** Percent of the attempts in the last 24 hours; null when unknown or without attempts. */
  successRate: number | null;
  attemptsLastDay: number | null;
}

function fromValidation(read: ReplyOf<typeof validationStatistics>): VerificationFigures {
  return {
    source: "validation",
    total: read.total_accounts,
    counts: {
      verified: read.verified,
      rejected: read.rejected,
      unreachable: read.unreachable,
      misconfigured: read.misconfigured,
      pending: read.pending,
      untested: read.never_validated,
    },
    successRate: read.last_24h_attempts === 0 ? null : read.success_rate,
    attemptsLastDay: read.last_24h_attempts,
  };
}

function fromAccounts(read: ReplyOf<typeof accountStatistics>): VerificationFigures {
  const counts = {
    verified: read.validation_valid,
    rejected: read.validation_invalid,
    unreachable: read.validation_unreachable,
    misconfigured: read.validation_misconfigured,
    pending: read.validation_pending,
  };
  const known = Object.values(counts).reduce((sum, count) => sum + count, 0);
  return {
    source: "accounts",
    total: read.total,
    counts: { ...counts, untested: Math.max(0, read.total - known) },
    successRate: null,
    attemptsLastDay: null,
  };
}

export const ZEROS: VerificationFigures = {
  source: "none",
  total: 0,
  counts: { verified: 0, rejected: 0, unreachable: 0, misconfigured: 0, pending: 0, untested: 0 },
  successRate: null,
  attemptsLastDay: null,
};

export interface FigureSources {
  validation: () => Promise<ReplyOf<typeof validationStatistics>>;
  accounts: () => Promise<ReplyOf<typeof accountStatistics>>;
  /** Aborted when the page unmounts; no further calls follow. */
  signal: AbortSignal;
}

/** Rejects only when aborted. */
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
