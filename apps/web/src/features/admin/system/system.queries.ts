// Queries and mutations of the system tabs: keys and seal, jobs, facts and backups.
import {
  activateSshCaKey,
  cancelBackupWork,
  confirmTokens,
  createSshCaKey,
  deleteBackup,
  deleteSshCaKey,
  drainGateway,
  drillBackup,
  finishRestoreReview,
  listBackups,
  listGateways,
  listJobs,
  listQueues,
  listSshCaKeys,
  makeBackup,
  readKeys,
  readRestoreReview,
  readSeal,
  readSystem,
  rekey,
  replaceSigningKey,
  retryJob,
  seal,
  type BackupList,
  type GatewayId,
  type InputOf,
  type JobId,
  type SshCaKeyId,
  type TokenId,
} from "@strongroom/contract";
import { infiniteQueryOptions, mutationOptions, type QueryClient } from "@tanstack/react-query";
import { call } from "#shared/api/call.ts";
import { invalidatePath, keyOf, queryOf } from "#shared/api/query.ts";

const ADMIN = "/api/v1/admin";
const REFRESH_MS = 10_000;
const WORK_MS = 1_000;

/** Polled in the background, so it does not count as user activity. */
export const systemFacts = { ...queryOf(readSystem, {}, { isBackground: true }), refetchInterval: REFRESH_MS };
export const keyFacts = queryOf(readKeys);
export const queues = { ...queryOf(listQueues, {}, { isBackground: true }), refetchInterval: REFRESH_MS };

export const gateways = { ...queryOf(listGateways, {}, { isBackground: true }), refetchInterval: REFRESH_MS };

export const gatewayDrain = (client: QueryClient, id: GatewayId) =>
  mutationOptions({
    mutationFn: (isDraining: boolean) => call(drainGateway, { params: { id }, body: { is_draining: isDraining } }),
    onSettled: () => invalidatePath(client, "/api/v1/gateways"),
  });

export const caKeys = queryOf(listSshCaKeys);

const changingCa = <Done>(client: QueryClient, send: () => Promise<Done>) =>
  mutationOptions({ mutationFn: send, onSettled: () => invalidatePath(client, "/api/v1/ssh-ca") });

export const caKeyCreation = (client: QueryClient) => changingCa(client, () => call(createSshCaKey));
export const caKeyActivation = (client: QueryClient, id: SshCaKeyId) =>
  changingCa(client, () => call(activateSshCaKey, { params: { id } }));
export const caKeyRemoval = (client: QueryClient, id: SshCaKeyId) =>
  changingCa(client, () => call(deleteSshCaKey, { params: { id } }));

export type JobFilter = Pick<NonNullable<InputOf<typeof listJobs>["query"]>, "queue" | "state">;

export const jobList = (filter: JobFilter) =>
  infiniteQueryOptions({
    queryKey: [...keyOf(listJobs).slice(0, -1), "pages", filter],
    queryFn: ({ pageParam, signal }) => call(listJobs, { query: { ...filter, cursor: pageParam } }, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
  });

/** Polled while a backup or a drill is running. */
export const backups = {
  ...queryOf(listBackups, {}, { isBackground: true }),
  refetchInterval: ({ state }: { state: { data: BackupList | undefined } }) =>
    state.data?.under_way == null ? (false as const) : WORK_MS,
};

const changing = <Given>(client: QueryClient, send: (given: Given) => Promise<unknown>) =>
  mutationOptions({ mutationFn: send, onSettled: () => invalidatePath(client, ADMIN) });

export const rootKeyReplacement = (client: QueryClient) => changing(client, () => call(rekey));
export const signingKeyReplacement = (client: QueryClient) => changing(client, () => call(replaceSigningKey));
export const jobRetry = (client: QueryClient) => changing(client, (id: JobId) => call(retryJob, { params: { id } }));
export const backupNow = (client: QueryClient) => changing(client, () => call(makeBackup));
export const backupDrill = (client: QueryClient) =>
  changing(client, (name: string) => call(drillBackup, { params: { name } }));
export const backupRemoval = (client: QueryClient, name: string) =>
  changing(client, () => call(deleteBackup, { params: { name } }));
export const restoreReview = queryOf(readRestoreReview);
export const tokenConfirmation = (client: QueryClient, ids: TokenId[]) =>
  changing(client, () => call(confirmTokens, { body: { token_ids: ids } }));
export const restoreReviewEnd = (client: QueryClient) => changing(client, () => call(finishRestoreReview));
export const workCancel = (client: QueryClient) => changing(client, () => call(cancelBackupWork));

export const sealState = queryOf(readSeal);

export const sealing = (client: QueryClient) =>
  mutationOptions({ mutationFn: () => call(seal), onSettled: () => invalidatePath(client, "/api/v1") });
