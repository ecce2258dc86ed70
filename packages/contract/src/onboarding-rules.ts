// Ordered rules for discovered accounts: which safe and platform they get, and which are approved or rejected after a scan.
import { z } from "zod";
import { OnboardingSettings } from "./discovered-accounts.ts";
import { DiscoveryTargetId, discoveryManaging, discoveryReading } from "./discovery.ts";
import { endpoint } from "./endpoint.ts";
import { Message, Moment, PlatformId, SafeId, oneLine, optionalLines, optionalText } from "./fields.ts";
import { OnboardingPlan } from "./onboarding.ts";

export const OnboardingRuleId = z.uuid().brand<"OnboardingRuleId">();
export type OnboardingRuleId = z.infer<typeof OnboardingRuleId>;

/** `place` chooses only the safe and the platform; a person still decides. */
export const RuleAction = z.enum(["place", "approve", "reject"]);
export type RuleAction = z.infer<typeof RuleAction>;

export const NewOnboardingRule = z
  .strictObject({
    name: oneLine("Rule name is required").min(1, "Rule name is required").max(100),
    /** The rule applies to the accounts of this safe's targets. */
    safeId: z.uuid("Please select a safe").pipe(SafeId),
    action: RuleAction,
    targetId: DiscoveryTargetId.nullable().default(null),
    /** With `*` for any characters, such as `svc-*`; case is ignored. */
    namePattern: optionalText(128),
    /** Matches the distinguished name in a directory, such as `*,ou=servers,dc=example,dc=com`. */
    dnPattern: optionalText(500),
    /** Null: privileged or not. */
    privileged: z.boolean().nullable().default(null),
    intoSafeId: SafeId.nullable().default(null),
    platformId: PlatformId.nullable().default(null),
    onboardingSettings: OnboardingSettings,
    reason: optionalLines(500),
  })
  .superRefine(({ action, intoSafeId, platformId, reason }, context) => {
    if (action === "reject" && reason === null) {
      context.addIssue({ code: "custom", path: ["reason"], message: "Please provide a reason for rejection" });
    }
    if (action === "place" && intoSafeId === null && platformId === null) {
      context.addIssue({ code: "custom", path: ["intoSafeId"], message: "Choose a safe or a platform" });
    }
  });
export type NewOnboardingRule = z.infer<typeof NewOnboardingRule>;

export const OnboardingRule = z.object({
  id: OnboardingRuleId,
  name: z.string(),
  safe_id: SafeId,
  safe_name: z.string(),
  action: RuleAction,
  is_enabled: z.boolean(),
  target_id: DiscoveryTargetId.nullable(),
  target_name: z.string().nullable(),
  name_pattern: z.string().nullable(),
  dn_pattern: z.string().nullable(),
  is_privileged: z.boolean().nullable(),
  into_safe_id: SafeId.nullable(),
  platform_id: PlatformId.nullable(),
  platform_name: z.string().nullable(),
  onboarding_settings: OnboardingSettings.nullable(),
  reason: z.string().nullable(),
  /** The user with whose permissions the rule acts. */
  acts_for: z.string(),
  can_manage: z.boolean(),
  created_at: Moment,
});
export type OnboardingRule = z.infer<typeof OnboardingRule>;

export const listOnboardingRules = endpoint({
  ...discoveryReading,
  path: "/api/v1/discovery/rules",
  summary: "Rules for discovered accounts that the caller can see, by safe and in the order in which they apply",
  reply: z.object({ data: z.array(OnboardingRule) }),
});

/** A rule acts with its author's permissions, so each change needs re-authentication, and no API token can make it. */
const changing = { ...discoveryManaging, stepUp: true, sessionOnly: true } as const;
const byId = { params: z.object({ id: OnboardingRuleId }) };

/** Rules that approve or reject are created disabled. Needs `add` in the safe, and in the one that it chooses. */
export const createOnboardingRule = endpoint({
  ...changing,
  method: "POST",
  path: "/api/v1/discovery/rules",
  summary: "Add a rule for discovered accounts at the end of its safe's rules",
  body: NewOnboardingRule,
  reply: OnboardingRule,
  status: 201,
  audit: "discovery.rule-created",
});

/** The caller becomes the user with whose permissions the rule acts. */
export const enableOnboardingRule = endpoint({
  ...changing,
  ...byId,
  method: "POST",
  path: "/api/v1/discovery/rules/:id/enable",
  summary: "Enable a rule for discovered accounts",
  reply: OnboardingRule,
  audit: "discovery.rule-enabled",
});

export const disableOnboardingRule = endpoint({
  ...discoveryManaging,
  ...byId,
  method: "POST",
  path: "/api/v1/discovery/rules/:id/disable",
  summary: "Disable a rule for discovered accounts",
  reply: OnboardingRule,
  audit: "discovery.rule-disabled",
});

export const moveOnboardingRule = endpoint({
  ...changing,
  ...byId,
  method: "POST",
  path: "/api/v1/discovery/rules/:id/move",
  summary: "Move a rule for discovered accounts up or down",
  body: z.strictObject({ direction: z.enum(["up", "down"]) }),
  reply: z.object({ data: z.array(OnboardingRule) }),
  audit: "discovery.rule-moved",
});

export const deleteOnboardingRule = endpoint({
  ...discoveryManaging,
  ...byId,
  method: "DELETE",
  path: "/api/v1/discovery/rules/:id",
  summary: "Delete a rule for discovered accounts",
  reply: Message,
  audit: "discovery.rule-deleted",
});

export const dryRunOnboardingRule = endpoint({
  ...discoveryManaging,
  method: "POST",
  path: "/api/v1/discovery/rules/dry-run",
  summary: "The pending accounts that a rule would match, without changing anything",
  body: NewOnboardingRule,
  reply: z.object({
    /** Of at most 10,000 pending accounts. */
    matched: z.number().int(),
    /** At most 100 of them, as the rule would treat them; empty for a rule that rejects. */
    data: z.array(OnboardingPlan),
    /** At most 100 names, such as `root on web-01`. */
    names: z.array(z.string()),
  }),
  audit: "none",
});
