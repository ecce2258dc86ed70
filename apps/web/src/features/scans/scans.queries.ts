// Server state of enhanced scans and saved scan configurations.
import {
  cancelEnhancedScan,
  createEnhancedScanSchedule,
  createScanConfig,
  deleteEnhancedScanSchedule,
  deleteScanConfig,
  listEnhancedScanSchedules,
  listEnhancedScans,
  listScanConfigs,
  readEnhancedScan,
  startEnhancedScan,
  startEnhancedScans,
  type DiscoveryTargetId,
  type EnhancedScanScheduleId,
  type InputOf,
  type ReplyOf,
  type ScanConfigId,
  type ScanId,
  type ScanSort,
} from "@strongroom/contract";
import { infiniteQueryOptions, mutationOptions, type QueryClient } from "@tanstack/react-query";
import { call } from "#shared/api/call.ts";
import { callForQuery, invalidatePath, keyOf, queryOf } from "#shared/api/query.ts";
import { SCAN_START } from "#shared/discovery/discovery-tab.ts";

const PATH = "/api/v1/discovery";
const PAGE_SIZE = 50;

/** Newest first without an order. */
export const enhancedScans = (order: { sort?: ScanSort } = {}) =>
  infiniteQueryOptions({
    queryKey: [...keyOf(listEnhancedScans).slice(0, -1), "pages", order],
    // The page polls this list, which must not count as user activity.
    queryFn: ({ pageParam: offset, signal }) =>
      callForQuery(listEnhancedScans, { query: { ...order, limit: PAGE_SIZE, offset } }, signal, {
        isBackground: true,
      }),
    initialPageParam: 0,
    getNextPageParam: ({ offset, data, total }: ReplyOf<typeof listEnhancedScans>) =>
      offset + data.length < total && data.length > 0 ? offset + data.length : undefined,
  });

export const enhancedScanSchedules = infiniteQueryOptions({
  queryKey: [...keyOf(listEnhancedScanSchedules).slice(0, -1), "pages", {}],
  queryFn: ({ pageParam: offset, signal }) =>
    callForQuery(listEnhancedScanSchedules, { query: { limit: PAGE_SIZE, offset } }, signal),
  initialPageParam: 0,
  getNextPageParam: ({ offset, data, total }: ReplyOf<typeof listEnhancedScanSchedules>) =>
    offset + data.length < total && data.length > 0 ? offset + data.length : undefined,
});

export const enhancedScan = (id: ScanId) => queryOf(readEnhancedScan, { params: { id } }, { isBackground: true });

export const savedConfigs = queryOf(listScanConfigs);

export type NewScan = NonNullable<InputOf<typeof startEnhancedScan>["body"]>;
type NewSchedule = NonNullable<InputOf<typeof createEnhancedScanSchedule>["body"]>;
export type NewConfig = NonNullable<InputOf<typeof createScanConfig>["body"]>;

const changing = <Input, Result>(client: QueryClient, send: (input: Input) => Promise<Result>) =>
  mutationOptions({ mutationFn: send, onSettled: () => invalidatePath(client, PATH) });

export const enhancedScanStart = (client: QueryClient, id: DiscoveryTargetId) => ({
  ...changing(client, (body: NewScan) => call(startEnhancedScan, { params: { id }, body })),
  mutationKey: SCAN_START,
});

type SeveralScans = NonNullable<InputOf<typeof startEnhancedScans>["body"]>;

export const severalEnhancedScansStart = (client: QueryClient) => ({
  ...changing(client, (body: SeveralScans) => call(startEnhancedScans, { body })),
  mutationKey: SCAN_START,
});

export const enhancedScanCancellation = (client: QueryClient, id: ScanId) =>
  changing(client, () => call(cancelEnhancedScan, { params: { id } }));

export const scheduleCreation = (client: QueryClient, id: DiscoveryTargetId) =>
  changing(client, (body: NewSchedule) => call(createEnhancedScanSchedule, { params: { id }, body }));

export const scheduleDeletion = (client: QueryClient, id: EnhancedScanScheduleId) =>
  changing(client, () => call(deleteEnhancedScanSchedule, { params: { id } }));

export const configCreation = (client: QueryClient) =>
  changing(client, (body: NewConfig) => call(createScanConfig, { body }));

export const configDeletion = (client: QueryClient, id: ScanConfigId) =>
  changing(client, () => call(deleteScanConfig, { params: { id } }));
