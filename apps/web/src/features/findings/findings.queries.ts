// Server state of security findings.
import {
  assignFinding,
  changeFindingStatus,
  changeFindingStatuses,
  commentOnFinding,
  createFindingRule,
  deleteFindingRule,
  exportFindings,
  findPrincipals,
  findingStatistics,
  listFindingRules,
  listFindings,
  readFinding,
  undoVaulting,
  vaultFindings,
  verifyFinding,
  type FINDING_FORMATS,
  type FindingId,
  type FindingRuleId,
  type FindingStatus,
  type InputOf,
  type ReplyOf,
} from "@strongroom/contract";
import { infiniteQueryOptions, mutationOptions, queryOptions, type QueryClient } from "@tanstack/react-query";
import { call, download } from "#shared/api/call.ts";
import { callForQuery, invalidatePath, keyOf, queryOf } from "#shared/api/query.ts";
import { saveFile } from "#shared/ui/save-file.ts";

const PATH = "/api/v1/discovery";
/** FIND-10. */
const PAGE_SIZE = 100;

export type FindingFilter = Pick<
  NonNullable<InputOf<typeof listFindings>["query"]>,
  | "severity"
  | "findingType"
  | "status"
  | "minRiskScore"
  | "maxRiskScore"
  | "assigneeId"
  | "search"
  | "includeBelowThreshold"
>;

export const findingList = (filter: FindingFilter) =>
  infiniteQueryOptions({
    queryKey: [...keyOf(listFindings).slice(0, -1), "pages", filter],
    queryFn: ({ pageParam: offset, signal }) =>
      callForQuery(listFindings, { query: { ...filter, limit: PAGE_SIZE, offset } }, signal, { isBackground: true }),
    initialPageParam: 0,
    getNextPageParam: ({ offset, data, total }: ReplyOf<typeof listFindings>) =>
      offset + data.length < total && data.length > 0 ? offset + data.length : undefined,
  });

const FIX_POLL_MS = 2_000;

/** Polls while the fix is in progress, because events of rotations do not name the finding. */
export const findingDetails = (id: FindingId) =>
  queryOptions({
    ...queryOf(readFinding, { params: { id } }),
    refetchInterval: ({ state }) => {
      const fix = state.data?.fix?.state;
      return fix === "rotating" || fix === "updating" ? FIX_POLL_MS : false;
    },
  });

export const findingFigures = queryOf(findingStatistics, { query: { timeframe: "30d" } }, { isBackground: true });

const changing = <Input, Result>(client: QueryClient, send: (input: Input) => Promise<Result>) =>
  mutationOptions({ mutationFn: send, onSettled: () => invalidatePath(client, PATH) });

interface NewStatus {
  status: FindingStatus;
  reason?: string;
}

export const statusChange = (client: QueryClient, id: FindingId) =>
  changing(client, (body: NewStatus) => call(changeFindingStatus, { params: { id }, body }));

export const statusChanges = (client: QueryClient, findingIds: FindingId[]) =>
  changing(client, (body: NewStatus) => call(changeFindingStatuses, { body: { findingIds, ...body } }));

export const peopleFound = (search: string) => queryOf(findPrincipals, { query: { search } });

type Assignment = NonNullable<InputOf<typeof assignFinding>["body"]>;

export const assignment = (client: QueryClient, id: FindingId) =>
  changing(client, (body: Assignment) => call(assignFinding, { params: { id }, body }));

export const findingRules = queryOf(listFindingRules);

type NewRule = NonNullable<InputOf<typeof createFindingRule>["body"]>;

export const ruleCreation = (client: QueryClient, id: FindingId) =>
  changing(client, (body: NewRule) => call(createFindingRule, { params: { id }, body }));

export const ruleDeletion = (client: QueryClient, id: FindingRuleId) =>
  changing(client, () => call(deleteFindingRule, { params: { id } }));

export const commentCreation = (client: QueryClient, id: FindingId) =>
  changing(client, (text: string) => call(commentOnFinding, { params: { id }, body: { text } }));

export type NewVaulting = NonNullable<InputOf<typeof vaultFindings>["body"]>;
export type FindingLogin = NewVaulting["login"];

/** FIND-13. */
export const vaulting = (client: QueryClient) => changing(client, (body: NewVaulting) => call(vaultFindings, { body }));

export const vaultingUndo = (client: QueryClient, id: FindingId) =>
  changing(client, () => call(undoVaulting, { params: { id } }));

export const findingVerification = (client: QueryClient, id: FindingId) =>
  changing(client, (login: FindingLogin) => call(verifyFinding, { params: { id }, body: { login } }));

export type ExportFormat = (typeof FINDING_FORMATS)[number];
const EXTENSIONS: Record<ExportFormat, string> = { excel: "xlsx", csv: "csv", json: "json", sarif: "sarif" };

export type ExportFilters = NonNullable<NonNullable<InputOf<typeof exportFindings>["body"]>["filters"]>;

/** FIND-14. */
export const findingsExport = (filters: ExportFilters) =>
  mutationOptions({
    mutationFn: async (format: ExportFormat) => {
      const body = { format, filters, includeRemediation: true, includeCompliance: true };
      const content = await download(exportFindings, { body });
      saveFile(`security-findings-${new Date().toISOString().slice(0, 10)}.${EXTENSIONS[format]}`, content);
    },
  });
