// Subscribes users to saved views of the audit trail.
import { MOST_SUBSCRIPTIONS } from "@strongroom/contract";
import type {
  AuditSubscription,
  Message,
  ReplyOf,
  SavedViewId,
  SubscriptionCadence,
  UserId,
  ViewFilters,
  ViewList,
  listAuditSubscriptions,
  subscribeToAudit,
  unsubscribeFromAudit,
} from "@strongroom/contract";
import type { Db, Tx } from "#kernel/db/database.ts";
import type { Call } from "#kernel/http/call.ts";
import { refuse } from "#kernel/http/refuse.ts";
import type { Kernel } from "#kernel/kernel.ts";
import type { Notify } from "#features/notifications/index.ts";
import { newestSeq } from "../order.store.ts";
import type { People } from "../trail/list-trail.ts";
import { findSubscriptions, lockSubscriptions, putSubscription, removeSubscription } from "./subscriptions.store.ts";
import type { SubscriptionRow } from "./subscriptions.store.ts";

type View = { list: ViewList; name: string; filters: ViewFilters };

/** A view of the user or a shared one; null otherwise. */
export interface AuditViews {
  findView: (db: Db, userId: UserId, id: SavedViewId) => Promise<View | null>;
  /** The view cannot be deleted before the transaction ends. */
  keepView: (tx: Tx, userId: UserId, id: SavedViewId) => Promise<View | null>;
}

export interface SubscriptionContext {
  kernel: Kernel;
  people: People;
  notify: Notify;
  views: AuditViews;
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const DAILY_AT = 6 * HOUR;

/** The next time after `from` at which a subscription is checked. */
export function nextCheck(cadence: SubscriptionCadence, from: Date): Date {
  const [length, offset] = { minute: [MINUTE, 0], hourly: [HOUR, 0], daily: [DAY, DAILY_AT] }[cadence];
  return new Date((Math.floor((from.getTime() - offset!) / length!) + 1) * length! + offset!);
}

export async function listOwn(
  { actor }: Call<typeof listAuditSubscriptions>,
  db: Db,
): Promise<ReplyOf<typeof listAuditSubscriptions>> {
  return { subscriptions: (await findSubscriptions(db, actor.id)).map(toSubscription) };
}

/** Throws 404 for a view that the caller cannot see or that is of another list, and 409 for one that ends on a day. */
export async function subscribe(
  { kernel, views }: SubscriptionContext,
  call: Call<typeof subscribeToAudit>,
  tx: Tx,
): Promise<AuditSubscription> {
  const { actor, params, body } = call;
  call.note({ target: { type: "saved-view", id: params.id }, details: { cadence: body.cadence } });
  const view = await views.keepView(tx, actor.id, params.id);
  if (view === null || view.list !== "audit") throw refuse(404, "saved-view.not-found", "View not found");
  call.note({ target: { type: "saved-view", id: params.id, name: view.name } });
  if ("to" in view.filters)
    throw refuse(409, "audit-subscription.view-ends", "This view ends on a day. Save it without an end date first.");
  const own = await lockSubscriptions(tx, actor.id);
  if (own.length >= MOST_SUBSCRIPTIONS && own.every(({ view_id }) => view_id !== params.id))
    throw refuse(409, "audit-subscription.too-many", `You can have at most ${MOST_SUBSCRIPTIONS} subscriptions.`);
  const at = kernel.clock.now();
  return toSubscription(
    await putSubscription(tx, {
      user_id: actor.id,
      view_id: params.id,
      cadence: body.cadence,
      seen_seq: await newestSeq(tx),
      problem: null,
      next_at: nextCheck(body.cadence, at),
      created_at: at,
    }),
  );
}

export async function unsubscribe(call: Call<typeof unsubscribeFromAudit>, tx: Tx): Promise<Message> {
  const { id } = call.params;
  call.note({ target: { type: "saved-view", id } });
  if (!(await removeSubscription(tx, call.actor.id, id)))
    throw refuse(404, "audit-subscription.not-found", "Subscription not found");
  return { message: "Subscription ended" };
}

const toSubscription = ({ view_id, cadence, next_at, problem }: SubscriptionRow): AuditSubscription => ({
  view_id,
  cadence,
  next_at: next_at.toISOString(),
  problem,
});
