// Subscriptions to saved views of the audit trail: query and mutation.
import {
  listAuditSubscriptions,
  subscribeToAudit,
  unsubscribeFromAudit,
  type SavedViewId,
  type SubscriptionCadence,
} from "@strongroom/contract";
import { mutationOptions, type QueryClient } from "@tanstack/react-query";
import { call } from "#shared/api/call.ts";
import { invalidatePath, queryOf } from "#shared/api/query.ts";

export const subscriptions = queryOf(listAuditSubscriptions);

/** Null ends the subscription. */
export const subscriptionChange = (client: QueryClient, id: SavedViewId) =>
  mutationOptions({
    mutationFn: async (cadence: SubscriptionCadence | null): Promise<void> => {
      if (cadence === null) await call(unsubscribeFromAudit, { params: { id } });
      else await call(subscribeToAudit, { params: { id }, body: { cadence } });
    },
    onSettled: () => invalidatePath(client, "/api/v1/audit/subscriptions"),
  });
