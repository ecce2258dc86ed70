// One's own preferences of dashboard and notifications.
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

/** The answer is what is stored now, so it becomes what is shown. */
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
