// The Validation Dashboard's advanced search, over everything that the caller can see.
import { z } from "zod";
import { AccountStatus, ConnectionMethod } from "./account-types.ts";
import { endpoint } from "./endpoint.ts";
import { Moment } from "./fields.ts";
import { CountedTotal, Severity, StoredSecret } from "./validation.ts";
import { VerificationCause } from "./verification-causes.ts";
import { ValidationStatus, ValidationStatusFilter } from "./verification-status.ts";

/** FILTER-04: has an active grant, had an earlier one, never had one, or any of the first two. */
export const JIT_ASSOCIATIONS = ["active", "expired", "none", "any"] as const;
export const JitAssociation = z.enum(JIT_ASSOCIATIONS);
export type JitAssociation = z.infer<typeof JitAssociation>;

const period = z
  .strictObject({ from: Moment.optional(), to: Moment.optional() })
  .refine(({ from, to }) => from === undefined || to === undefined || from <= to, {
    path: ["to"],
    message: "The end must not be before the start",
  });

const several = <Name extends z.ZodType>(name: Name) => z.array(name).max(50).default([]);

/** FILTER-02 to FILTER-07. An empty list is not a condition. */
export const ValidationFilter = z.strictObject({
  /** Matches name, host, user name, the last error, or the reason of an access request (if the caller can read it). */
  text: z.string().trim().max(100).default(""),
  statuses: several(ValidationStatusFilter),
  jit: several(JitAssociation),
  system_types: several(z.string().max(50)),
  connection_methods: several(ConnectionMethod),
  verification_methods: several(z.string().max(50)),
  last_validated: period.default({}),
  created: period.default({}),
  /** Failing secrets of these causes. */
  causes: several(VerificationCause),
  /** When the secret itself expires, such as a certificate. */
  expires: period.default({}),
  /** True if a rotation has stopped and is waiting for a decision. */
  rotation_stopped: z.boolean().default(false),
  /** True if the secret does not count in the compliance score. */
  not_compliant: z.boolean().default(false),
  critical_only: z.boolean().default(false),
  /** True if the secret failed within the last 24 hours. */
  recent_failures: z.boolean().default(false),
});
export type ValidationFilter = z.infer<typeof ValidationFilter>;

export const ValidationMatch = z.object({
  ...StoredSecret.shape,
  connection_method: ConnectionMethod.nullable(),
  /** The status of the last attempt; null without one. */
  account_status: AccountStatus.nullable(),
  /** The method of the last attempt; null without one. */
  verification_method: z.string().nullable(),
  status: ValidationStatus,
  error_message: z.string().nullable(),
  /** Null when the secret is not failing. */
  severity: Severity.nullable(),
  jit: z.enum(["active", "expired", "none"]),
  last_validated_at: Moment.nullable(),
  created_at: Moment,
  may_validate: z.boolean(),
});
export type ValidationMatch = z.infer<typeof ValidationMatch>;

/** OPEN-129. */
export const searchValidation = endpoint({
  method: "POST",
  path: "/api/v1/validation/search",
  summary: "Search the secrets that the caller can see by status, newest first",
  body: z.strictObject({
    filter: ValidationFilter.prefault({}),
    limit: z.number().int().min(1).max(200).default(50),
    cursor: z.string().max(600).optional(),
  }),
  reply: z.object({
    results: z.array(ValidationMatch),
    /** The number of matches; 10,000 means that many or more. */
    total: CountedTotal,
    next_cursor: z.string().nullable(),
  }),
  needs: "verification.read",
  audit: "none",
  gives: "nothing",
});

/** FILTER-05: the options of the multi-selects. */
export const readValidationFilters = endpoint({
  method: "GET",
  path: "/api/v1/validation/filters",
  summary: "The filter options of the search",
  reply: z.object({
    /** System types of accounts first, then the types of credentials. */
    system_types: z.array(z.object({ value: z.string(), label: z.string() })),
    connection_methods: z.array(ConnectionMethod),
    verification_methods: z.array(z.object({ value: z.string(), label: z.string() })),
  }),
  needs: "verification.read",
  audit: "none",
});
