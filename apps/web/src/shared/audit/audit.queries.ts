// Queries of audit lists, and the exports of the audit trail.
import {
  countAuditEntries,
  exportAuditLogs,
  exportEvidence,
  exportEvidenceBundle,
  listAuditEntries,
  readInclusionProof,
  type AuditEntryId,
  type EvidenceSubject,
} from "@strongroom/contract";
import { mutationOptions, type QueryClient } from "@tanstack/react-query";
import { download } from "#shared/api/call.ts";
import { invalidatePath, queryOf } from "#shared/api/query.ts";
import { saveFile } from "#shared/ui/save-file.ts";
import type { AuditQuery } from "./audit-filter.ts";

const PATH = "/api/v1/audit";
/** AUDIT-10. */
export const PAGE_SIZE = 25;

export const auditPage = (query: AuditQuery, cursor: string | undefined) =>
  queryOf(listAuditEntries, { query: { ...query, attempts: "grouped", limit: PAGE_SIZE, cursor } });

export const auditCounts = (query: AuditQuery) =>
  queryOf(countAuditEntries, { query: { ...query, attempts: "grouped" } });

export const inclusionProof = (id: AuditEntryId) => queryOf(readInclusionProof, { params: { id } });

/** Refetches the trail, because every export writes an entry to it. */
export const refreshTrail = (client: QueryClient) => () => invalidatePath(client, PATH);

export const LOG_FORMATS = {
  json: { label: "JSON", extension: "json" },
  csv: { label: "CSV", extension: "csv" },
  cef: { label: "CEF lines", extension: "cef" },
  ocsf: { label: "OCSF lines", extension: "ocsf.jsonl" },
  rfc5424: { label: "Syslog lines (RFC 5424)", extension: "log" },
} as const;
export type LogFormat = keyof typeof LOG_FORMATS;

/** AUDIT-20. The day in UTC, so that the name does not depend on the user's time zone. */
const logsFileName = (now: Date, format: LogFormat): string =>
  `audit-logs-${now.toISOString().slice(0, 10)}.${LOG_FORMATS[format].extension}`;

export const logsDownload = (client: QueryClient) =>
  mutationOptions({
    mutationFn: async ({ query, format }: { query: AuditQuery; format: LogFormat }) =>
      saveFile(logsFileName(new Date(), format), await download(exportAuditLogs, { query: { ...query, format } })),
    onSettled: refreshTrail(client),
  });

const evidenceFileName = (id: string): string => `audit-evidence-${id}.jsonl`;

export const evidenceDownload = (client: QueryClient) =>
  mutationOptions({
    mutationFn: async (id: AuditEntryId) =>
      saveFile(evidenceFileName(id), await download(exportEvidence, { params: { id } })),
    onSettled: refreshTrail(client),
  });

export const bundleDownload = (client: QueryClient) =>
  mutationOptions({
    mutationFn: async ({ about, id }: { about: EvidenceSubject; id: string }) =>
      saveFile(`evidence-${about}-${id}.jsonl`, await download(exportEvidenceBundle, { query: { about, id } })),
    onSettled: refreshTrail(client),
  });
