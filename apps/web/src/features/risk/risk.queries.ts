// Server state of the risk assessment.
import {
  generateRiskAssessment,
  listDiscoveryTargets,
  listRiskItems,
  previewRiskScore,
  readRiskAssessment,
  type DiscoveryTargetId,
  type RiskFactorId,
  type RiskTimeframe,
} from "@strongroom/contract";
import { infiniteQueryOptions, mutationOptions, queryOptions, type QueryClient } from "@tanstack/react-query";
import { call } from "#shared/api/call.ts";
import { callForQuery, invalidatePath, keyOf, queryOf } from "#shared/api/query.ts";
import type { WhatIf } from "./what-if.ts";

/** RISK-12: a target limits the assessment to its host. */
export interface RiskSelection {
  targetId: DiscoveryTargetId | undefined;
  timeframe: RiskTimeframe;
}

export const assessment = (query: RiskSelection) => queryOf(readRiskAssessment, { query });

const PAGE_SIZE = 50;

export const factorItems = (factor: RiskFactorId, selection: RiskSelection) =>
  infiniteQueryOptions({
    queryKey: [...keyOf(listRiskItems, { params: { factor } }).slice(0, -1), "pages", selection],
    queryFn: ({ pageParam, signal }) => {
      const query = { ...selection, limit: PAGE_SIZE, cursor: pageParam };
      return callForQuery(listRiskItems, { params: { factor }, query }, signal);
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next_cursor }) => next_cursor ?? undefined,
  });

/** A POST, because up to 500 ids do not fit into an address. */
export const scorePreview = (selection: RiskSelection, { factors, items }: WhatIf) => {
  const body = { ...selection, factors: [...factors], items: [...items] };
  return queryOptions({
    queryKey: [...keyOf(previewRiskScore), body],
    queryFn: ({ signal }) => callForQuery(previewRiskScore, { body }, signal),
  });
};

export const targetChoices = queryOf(listDiscoveryTargets, { query: { limit: 500 } });

export const generation = (client: QueryClient, { targetId, timeframe }: RiskSelection) =>
  mutationOptions({
    mutationFn: () => {
      const body = { targetIds: targetId === undefined ? [] : [targetId], options: { timeframe } };
      return call(generateRiskAssessment, { body });
    },
    onSettled: () => invalidatePath(client, "/api/v1/discovery/enhanced/risk-assessment"),
  });
