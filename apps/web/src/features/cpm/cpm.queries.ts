// What the CPM dashboard asks for, how often, and what starts and stops a run.
import {
  cancelVerificationRun,
  listAttention,
  readCpmStatus,
  readVerificationRun,
  runCpmVerification,
  type RunId,
  type VerificationRun,
} from "@strongroom/contract";
import { mutationOptions, queryOptions, type QueryClient } from "@tanstack/react-query";
import { call } from "#shared/api/call.ts";
import { invalidatePath, keyOf, queryOf } from "#shared/api/query.ts";

/** CPM-13. */
const POLL_MS = 30_000;
/** A run's progress, between its live events. */
const RUN_POLL_MS = 3_000;
/** CPM-14. */
export const REFETCH_AFTER_RUN_MS = 2_000;

export const cpmStatus = { ...queryOf(readCpmStatus), refetchInterval: POLL_MS };
export const attention = { ...queryOf(listAttention), refetchInterval: POLL_MS };

/** Status and attention list. */
export const refreshCpm = (client: QueryClient): Promise<void> => invalidatePath(client, "/api/v1/cpm");

/** A run of one's own, followed until it has ended. */
export const verificationRun = (id: RunId) =>
  queryOptions({
    ...queryOf(readVerificationRun, { params: { id } }, { isBackground: true }),
    refetchInterval: ({ state }: { state: { data: VerificationRun | undefined } }) =>
      state.data === undefined || state.data.status === "running" ? RUN_POLL_MS : false,
  });

export const starting = mutationOptions({ mutationFn: () => call(runCpmVerification) });

export const cancelling = (client: QueryClient, id: RunId) =>
  mutationOptions({
    mutationFn: () => call(cancelVerificationRun, { params: { id } }),
    onSuccess: (run: VerificationRun) => client.setQueryData(keyOf(readVerificationRun, { params: { id } }), run),
  });
