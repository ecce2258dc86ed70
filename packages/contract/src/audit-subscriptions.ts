// Subscriptions to saved views of the audit trail: a notification when new entries match.
import { z } from "zod";
import { endpoint } from "./endpoint.ts";
import { Message, Moment } from "./fields.ts";
import { SavedViewId } from "./saved-views.ts";

/** How often new entries are looked for: every minute, at each full hour, or once a day at 06:00 UTC. */
export const SUBSCRIPTION_CADENCES = ["minute", "hourly", "daily"] as const;
export const SubscriptionCadence = z.enum(SUBSCRIPTION_CADENCES);
export type SubscriptionCadence = z.infer<typeof SubscriptionCadence>;

export const AuditSubscription = z.object({
  view_id: SavedViewId,
  cadence: SubscriptionCadence,
  next_at: Moment,
  /** Why the last check failed; null if it succeeded. The next check includes the entries that were missed. */
  problem: z.string().nullable(),
});
export type AuditSubscription = z.infer<typeof AuditSubscription>;

/** The number of subscriptions that a user can have. */
export const MOST_SUBSCRIPTIONS = 20;

const subscriptionsPath = "/api/v1/audit/subscriptions";
const ofView = {
  path: `${subscriptionsPath}/:id`,
  params: z.object({ id: SavedViewId }),
  thing: "saved-view",
} as const;

export const listAuditSubscriptions = endpoint({
  method: "GET",
  path: subscriptionsPath,
  summary: "The caller's subscriptions to saved views of the audit trail",
  reply: z.object({ subscriptions: z.array(AuditSubscription) }),
  needs: "audit.read",
  audit: "none",
});

export const subscribeToAudit = endpoint({
  ...ofView,
  method: "POST",
  summary: "Subscribe to a saved view of the audit trail, or change how often it is checked",
  body: z.strictObject({ cadence: SubscriptionCadence }),
  reply: AuditSubscription,
  needs: "audit.read",
  audit: "audit-subscription.changed",
  gives: "nothing",
});

export const unsubscribeFromAudit = endpoint({
  ...ofView,
  method: "DELETE",
  summary: "End the caller's subscription to a saved view of the audit trail",
  reply: Message,
  needs: "audit.read",
  audit: "audit-subscription.ended",
  gives: "nothing",
});
