// Server state of the CPM dashboard and its runs.
import { listAttention, readCpmStatus, runCpmVerification } from "@strongroom/contract";
import { mutationOptions, type QueryClient } from "@tanstack/react-query";
import { call } from "#shared/api/call.ts";
import { invalidatePath, queryOf } from "#shared/api/query.ts";

/** CPM-13. */
const POLL_MS = 30_000;
/** CPM-14. */
export const REFETCH_AFTER_RUN_MS = 2_000;

export const cpmStatus = { ...queryOf(readCpmStatus), refetchInterval: POLL_MS };
export const attention = { ...queryOf(listAttention), refetchInterval: POLL_MS };

/** Reloads the status and the attention list. */
export const refreshCpm = (client: QueryClient): Promise<void> => invalidatePath(client, "/api/v1/cpm");

export const starting = mutationOptions({ mutationFn: () => call(runCpmVerification) });
