// Queries and mutations of the user's dashboard and notification preferences.
import {
  readDashboardPreferences,
  readNotificationPreferences,
  updateDashboardPreferences,
  updateNotificationPreferences,
  type DashboardPreferences,
  type NotificationPreferences,
} from "@strongroom/contract";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { call } from "#shared/api/call.ts";
import { keyOf, queryOf } from "#shared/api/query.ts";
import { useMutation } from "#shared/api/use-mutation.ts";

export const useDashboardPreferences = () => useQuery(queryOf(readDashboardPreferences));
export const useNotificationPreferences = () => useQuery(queryOf(readNotificationPreferences));

/** Caches the response, which is the stored state. */
export function useSaveDashboardPreferences() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: DashboardPreferences) => call(updateDashboardPreferences, { body }),
    onSuccess: (stored) => client.setQueryData(keyOf(readDashboardPreferences), stored),
  });
}

export function useSaveNotificationPreferences() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: NotificationPreferences) => call(updateNotificationPreferences, { body }),
    onSuccess: (stored) => client.setQueryData(keyOf(readNotificationPreferences), stored),
  });
}
