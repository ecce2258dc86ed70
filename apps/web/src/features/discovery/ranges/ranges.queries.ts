// Server state of range scans and the allowed networks.
import {
  allowDiscoveryNetwork,
  cancelRangeScan,
  disallowDiscoveryNetwork,
  listDiscoveryNetworks,
  listRangeScanHosts,
  listRangeScans,
  startRangeScan,
  type DiscoveryNetwork,
  type FoundServiceProtocol,
  type InputOf,
  type RangeScanId,
} from "@strongroom/contract";
import type { QueryClient } from "@tanstack/react-query";
import { call } from "#shared/api/call.ts";
import { queryOf } from "#shared/api/query.ts";
import { SCAN_START } from "#shared/discovery/discovery-tab.ts";
import { PAGE_SIZE, changing, pagesOf } from "../discovery.queries.ts";

export const rangeList = pagesOf(listRangeScans, {}, (cursor) => ({ query: { limit: PAGE_SIZE, cursor } }));

export const hostList = (id: RangeScanId, protocol: FoundServiceProtocol | undefined) =>
  pagesOf(listRangeScanHosts, { id, protocol }, (cursor) => ({
    params: { id },
    query: { limit: PAGE_SIZE, cursor, ...(protocol === undefined ? {} : { protocol }) },
  }));

export const allowedNetworks = queryOf(listDiscoveryNetworks, {}, { isBackground: true });

export type NewRange = NonNullable<InputOf<typeof startRangeScan>["body"]>;

export const rangeStart = (client: QueryClient) => ({
  ...changing(client, (body: NewRange) => call(startRangeScan, { body })),
  mutationKey: SCAN_START,
});

export const rangeCancellation = (client: QueryClient, id: RangeScanId) =>
  changing(client, () => call(cancelRangeScan, { params: { id } }));

export const networkAllowance = (client: QueryClient) =>
  changing(client, (body: { network: string; description: string | null }) => call(allowDiscoveryNetwork, { body }));

export const networkRemoval = (client: QueryClient, id: DiscoveryNetwork["id"]) =>
  changing(client, () => call(disallowDiscoveryNetwork, { params: { id } }));
