// Onboarding: puts approved accounts into safes and, when asked, lets a reconcile account set their passwords.
import { z } from "zod";
import { DiscoveredAccountId, DiscoveredDependent, OnboardingOrder, OnboardingState } from "./discovered-accounts.ts";
import { discoveryManaging, discoveryReading } from "./discovery.ts";
import { endpoint } from "./endpoint.ts";
import { AccountId, Moment, OnboardingId, PlatformId, SafeId, pageQuery } from "./fields.ts";

const Named = <Id extends z.ZodType>(id: Id) => z.object({ id, name: z.string() });

/** The plan for one discovered account that would be approved. */
export const OnboardingPlan = z.object({
  id: DiscoveredAccountId,
  account_name: z.string(),
  hostname_ip: z.string(),
  /**
   * `rotate`: the reconcile account sets a new password. `pending`: the account waits until its password is stored or
   * set. `refused`: approval fails for this account, because of `problem`.
   */
  outcome: z.enum(["rotate", "pending", "refused"]),
  problem: z.string().nullable(),
  /** The new account's name. */
  name: z.string().nullable(),
  safe: Named(SafeId).nullable(),
  platform: Named(PlatformId).nullable(),
  /** The rule that chose the safe or the platform. */
  rule: z.string().nullable(),
  /** Whether the platform's reconcile account could set the password; the reason if it could not. */
  reconcile: z.object({ is_possible: z.boolean(), message: z.string() }),
  /** Differences between the requested settings and the platform's policy, and other points to check. */
  notes: z.array(z.string()),
  /** Reported uses of the account: add those that need the password to its dependents before its first rotation. */
  dependents: z.array(DiscoveredDependent),
});
export type OnboardingPlan = z.infer<typeof OnboardingPlan>;

/** Like approval, but changes nothing. */
export const previewOnboarding = endpoint({
  ...discoveryManaging,
  method: "POST",
  path: "/api/v1/discovery/accounts/preview",
  summary: "Preview the effects of approving these discovered accounts",
  body: OnboardingOrder,
  reply: z.object({ data: z.array(OnboardingPlan) }),
  audit: "none",
});

export const Onboarding = z.object({
  id: OnboardingId,
  discovered_id: DiscoveredAccountId,
  account_name: z.string(),
  hostname_ip: z.string(),
  state: OnboardingState,
  /** What happened last, and what to do next. */
  message: z.string(),
  /** The account in the safe; null before it exists, after an undo, and if the caller cannot see it. */
  account_id: AccountId.nullable(),
  requested_by: z.string(),
  /** Whether the caller can undo the onboarding now. */
  can_undo: z.boolean(),
  created_at: Moment,
  updated_at: Moment,
});
export type Onboarding = z.infer<typeof Onboarding>;

export const listOnboardings = endpoint({
  ...discoveryReading,
  path: "/api/v1/discovery/onboardings",
  summary: "Onboardings of accounts that the caller can see, newest first, with the number in each state",
  query: z.object({
    ...pageQuery(500, 100),
    /** Only those of one approval. */
    runId: z.uuid().optional(),
    state: OnboardingState.optional(),
  }),
  reply: z.object({
    data: z.array(Onboarding),
    /** Without regard to the filter by state. */
    counts: z.record(OnboardingState, z.number().int()),
    next_cursor: z.string().nullable(),
  }),
});

const byId = { params: z.object({ id: OnboardingId }) };

export const readOnboarding = endpoint({
  ...discoveryReading,
  ...byId,
  path: "/api/v1/discovery/onboardings/:id",
  summary: "One onboarding with its journal",
  reply: Onboarding.extend({
    journal: z.array(z.object({ state: OnboardingState, message: z.string(), at: Moment })),
  }),
});

/**
 * Deletes the account from the safe, and makes the discovered account pending again. Refused after a new password was
 * sent to the system, and after a user stored one.
 */
export const undoOnboarding = endpoint({
  ...discoveryManaging,
  ...byId,
  method: "POST",
  path: "/api/v1/discovery/onboardings/:id/undo",
  summary: "Undo an onboarding, until the first rotation",
  reply: Onboarding,
  audit: "discovery.onboarding-undone",
});
