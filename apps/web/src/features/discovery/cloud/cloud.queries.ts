// Server state of cloud discovery.
import {
  listCloudResources,
  startCloudDiscovery,
  type CloudProvider,
  type CloudResourceKind,
  type DiscoveryTargetId,
} from "@strongroom/contract";
import type { QueryClient } from "@tanstack/react-query";
import { call } from "#shared/api/call.ts";
import { SCAN_START } from "#shared/discovery/discovery-tab.ts";
import { PAGE_SIZE, changing, pagesOf } from "../discovery.queries.ts";

export interface ResourceFilter {
  provider?: CloudProvider;
  kind?: CloudResourceKind;
  region?: string;
  search?: string;
}

export const cloudResources = (filter: ResourceFilter) =>
  pagesOf(listCloudResources, filter, (cursor) => ({ query: { ...filter, limit: PAGE_SIZE, cursor } }));

export const cloudStart = (client: QueryClient, targetId: DiscoveryTargetId) => ({
  ...changing(client, (regions: string[]) => call(startCloudDiscovery, { body: { targetId, regions } })),
  mutationKey: SCAN_START,
});
