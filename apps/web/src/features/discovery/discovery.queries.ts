// Server state of discovery: targets, scans, discovered accounts and statistics.
import {
  MOST_SCANNED_TARGETS,
  acceptDiscoveryHostKey,
  approveDiscoveredAccounts,
  cancelDiscoveryScan,
  createDiscoveryTarget,
  createOnboardingRule,
  deleteDiscoveryTarget,
  deleteOnboardingRule,
  disableOnboardingRule,
  discoveryStatistics,
  dryRunOnboardingRule,
  enableOnboardingRule,
  listDiscoveredAccounts,
  listDiscoveryScans,
  listDiscoveryTargets,
  listOnboardingRules,
  listPlatforms,
  listSafes,
  moveOnboardingRule,
  previewOnboarding,
  readAccountDetails,
  readOnboarding,
  rejectDiscoveredAccounts,
  startDiscoveryScan,
  startDiscoveryScans,
  testDiscoveryTarget,
  undoOnboarding,
  updateDiscoveryTarget,
  type AccountId,
  type DiscoveredAccountId,
  type DiscoveryScanId,
  type DiscoveryScanSort,
  type DiscoveryTargetId,
  type Endpoint,
  type InputOf,
  type OnboardingId,
  type OnboardingRuleId,
  type ReplyOf,
} from "@strongroom/contract";
import { infiniteQueryOptions, mutationOptions, queryOptions, type QueryClient } from "@tanstack/react-query";
import { isCallError } from "#shared/api/call-error.ts";
import { call } from "#shared/api/call.ts";
import { callForQuery, invalidatePath, keyOf, queryOf } from "#shared/api/query.ts";
import type { Found } from "#shared/ui/search-select.tsx";
import { SCAN_START } from "#shared/discovery/discovery-tab.ts";

const PATH = "/api/v1/discovery";
export const PAGE_SIZE = 50;

/** All pages of one list. */
export function pagesOf<E extends Endpoint>(
  endpoint: E,
  query: object,
  input: (cursor: string | undefined) => InputOf<E>,
) {
  return infiniteQueryOptions({
    queryKey: [...keyOf(endpoint).slice(0, -1), "pages", query],
    // The page polls these lists, which must not count as user activity.
    queryFn: ({ pageParam, signal }) => callForQuery(endpoint, input(pageParam), signal, { isBackground: true }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page: ReplyOf<E>) => (page as { next_cursor: string | null }).next_cursor ?? undefined,
  });
}

export type TargetFilter = Pick<
  NonNullable<InputOf<typeof listDiscoveryTargets>["query"]>,
  "search" | "type" | "active" | "last_scan" | "sort"
>;

export const targetList = (filter: TargetFilter = {}) =>
  pagesOf(listDiscoveryTargets, filter, (cursor) => ({ query: { ...filter, limit: PAGE_SIZE, cursor } }));

/** The targets that match, at most as many as one call scans. */
export const matchingTargets = mutationOptions({
  mutationFn: async (filter: TargetFilter) =>
    (await call(listDiscoveryTargets, { query: { ...filter, limit: MOST_SCANNED_TARGETS } })).data,
});

/** Newest first without an order. */
export const scanList = (order: { sort?: DiscoveryScanSort } = {}) =>
  pagesOf(listDiscoveryScans, order, (cursor) => ({ query: { ...order, limit: PAGE_SIZE, cursor } }));

export type AccountFilter = Pick<
  NonNullable<InputOf<typeof listDiscoveredAccounts>["query"]>,
  "status" | "search" | "privileged" | "privilege" | "scanId" | "managed" | "presence" | "system"
>;

export const accountList = (filter: AccountFilter) =>
  pagesOf(listDiscoveredAccounts, filter, (cursor) => ({ query: { ...filter, limit: PAGE_SIZE, cursor } }));

/** DISC-56. */
export const statistics = queryOf(discoveryStatistics, { query: { range: "30d" } }, { isBackground: true });

export const credentialNamed = (id: AccountId) => queryOf(readAccountDetails, { params: { id } });

export const safesFound = (search: string) =>
  queryOf(listSafes, { query: { ...(search === "" ? {} : { search }), limit: 20 } });

/** The safes to which the user may add accounts. */
export const safesToAddTo = ({ safes }: ReplyOf<typeof listSafes>): Found[] =>
  safes
    .filter(({ my_permissions }) => my_permissions.includes("add"))
    .map(({ id, name }) => ({ value: id, label: name }));

export const refresh = (client: QueryClient): Promise<void> => invalidatePath(client, PATH);

/** Refetches what is on screen. Loads that still run continue: a slow server would otherwise never finish one. */
export const pollDiscovery = (client: QueryClient): Promise<void> =>
  client.refetchQueries({ queryKey: PATH.split("/").slice(1), type: "active" }, { cancelRefetch: false });

export const changing = <Input, Result>(client: QueryClient, send: (input: Input) => Promise<Result>) =>
  mutationOptions({ mutationFn: send, onSettled: () => refresh(client) });

export type NewTarget = NonNullable<InputOf<typeof createDiscoveryTarget>["body"]>;
export type TargetEdit = NonNullable<InputOf<typeof updateDiscoveryTarget>["body"]>;
export type TargetLogin = NonNullable<InputOf<typeof testDiscoveryTarget>["body"]>;
export type ScanSettings = NonNullable<InputOf<typeof startDiscoveryScan>["body"]>["scanSettings"];
export type OnboardingOrder = NonNullable<InputOf<typeof approveDiscoveredAccounts>["body"]>;

export const targetCreation = (client: QueryClient) =>
  changing(client, (body: NewTarget) => call(createDiscoveryTarget, { body }));

export const targetEdit = (client: QueryClient, id: DiscoveryTargetId) =>
  changing(client, (body: TargetEdit) => call(updateDiscoveryTarget, { params: { id }, body }));

export interface TargetChange {
  id: DiscoveryTargetId;
  body: TargetEdit;
}

/** Changes any target, for a list. */
export const targetChange = (client: QueryClient) =>
  changing(client, ({ id, body }: TargetChange) => call(updateDiscoveryTarget, { params: { id }, body }));

export const hostKeyAcceptance = (client: QueryClient, id: DiscoveryTargetId) =>
  changing(client, (fingerprint: string) => call(acceptDiscoveryHostKey, { params: { id }, body: { fingerprint } }));

export const targetDeletion = (client: QueryClient, id: DiscoveryTargetId) =>
  changing(client, () => call(deleteDiscoveryTarget, { params: { id } }));

export const connectionTest = mutationOptions({
  mutationFn: (body: TargetLogin) => call(testDiscoveryTarget, { body }),
});

export const scanStart = (client: QueryClient, id: DiscoveryTargetId) => ({
  ...changing(client, (scanSettings: ScanSettings) => startOnceMore({ params: { id }, body: { scanSettings } })),
  mutationKey: SCAN_START,
});

export const severalScansStart = (client: QueryClient) => ({
  ...changing(client, (body: NonNullable<InputOf<typeof startDiscoveryScans>["body"]>) =>
    call(startDiscoveryScans, { body }),
  ),
  mutationKey: SCAN_START,
});

const RETRY_AFTER_MS = 2000;

/** SCAN-26: one retry when the server fails. The key makes both attempts one request for the server. */
async function startOnceMore(input: InputOf<typeof startDiscoveryScan>): Promise<ReplyOf<typeof startDiscoveryScan>> {
  const idempotencyKey = crypto.randomUUID();
  try {
    return await call(startDiscoveryScan, input, { idempotencyKey });
  } catch (error) {
    if (!isCallError(error) || error.status < 500) throw error;
    await new Promise((resolve) => setTimeout(resolve, RETRY_AFTER_MS));
    return call(startDiscoveryScan, input, { idempotencyKey });
  }
}

export const scanCancellation = (client: QueryClient, id: DiscoveryScanId) =>
  changing(client, () => call(cancelDiscoveryScan, { params: { id } }));

export const approval = (client: QueryClient) =>
  changing(client, (body: OnboardingOrder) => call(approveDiscoveredAccounts, { body }));

/** A POST, because up to 1,000 ids do not fit into an address. */
export const onboardingPreview = (body: OnboardingOrder) =>
  queryOptions({
    queryKey: [...keyOf(previewOnboarding), body],
    queryFn: ({ signal }) => callForQuery(previewOnboarding, { body }, signal),
  });

export const onboarding = (id: OnboardingId) => queryOf(readOnboarding, { params: { id } });

export const onboardingUndo = (client: QueryClient, id: OnboardingId) =>
  changing(client, () => call(undoOnboarding, { params: { id } }));

export const ruleList = queryOf(listOnboardingRules);

export type NewRule = NonNullable<InputOf<typeof createOnboardingRule>["body"]>;

export const ruleCreation = (client: QueryClient) =>
  changing(client, (body: NewRule) => call(createOnboardingRule, { body }));

export const ruleSwitch = (client: QueryClient, id: OnboardingRuleId, isEnabled: boolean) =>
  changing(client, () => call(isEnabled ? enableOnboardingRule : disableOnboardingRule, { params: { id } }));

export const ruleMove = (client: QueryClient, id: OnboardingRuleId) =>
  changing(client, (direction: "up" | "down") => call(moveOnboardingRule, { params: { id }, body: { direction } }));

export const ruleDeletion = (client: QueryClient, id: OnboardingRuleId) =>
  changing(client, () => call(deleteOnboardingRule, { params: { id } }));

export const ruleDryRun = mutationOptions({
  mutationFn: (body: NewRule) => call(dryRunOnboardingRule, { body }),
});

export const platformList = queryOf(listPlatforms, { query: { is_active: "true" } });

export const rejection = (client: QueryClient, accountIds: DiscoveredAccountId[]) =>
  changing(client, (reason: string) => call(rejectDiscoveredAccounts, { body: { accountIds, reason } }));
