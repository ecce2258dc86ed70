// What the audit page asks for and sends.
import { exportAudit, exportEvidence, listAuditEntries, readCheckpoint, verifyAudit } from "@strongroom/contract";
import { infiniteQueryOptions, mutationOptions, type QueryClient } from "@tanstack/react-query";
import { call, download } from "#shared/api/call.ts";
import { invalidatePath, keyOf, queryOf } from "#shared/api/query.ts";
import { saveFile } from "#shared/ui/save-file.ts";
import type { AuditFilter } from "./audit-filter.ts";
import { evidenceFileName, exportFileName } from "./export-names.ts";

const PATH = "/api/v1/audit";
const PAGE_SIZE = 25;

/** The trail, newest first. */
export const auditTrail = (filter: AuditFilter) =>
  infiniteQueryOptions({
    queryKey: [...keyOf(listAuditEntries).slice(0, -1), "pages", filter],
    queryFn: ({ pageParam, signal }) =>
      call(listAuditEntries, { query: { ...filter, limit: PAGE_SIZE, cursor: pageParam } }, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
  });

export const newestCheckpoint = queryOf(readCheckpoint);

/** Reading the proofs leaves a record too, so the list has a newer entry afterwards. */
const refresh = (client: QueryClient) => () => invalidatePath(client, PATH);

export const verification = (client: QueryClient) =>
  mutationOptions({ mutationFn: () => call(verifyAudit), onSettled: refresh(client) });

export const trailDownload = (client: QueryClient) =>
  mutationOptions({
    mutationFn: async () => saveFile(exportFileName(new Date()), await download(exportAudit)),
    onSettled: refresh(client),
  });

export const evidenceDownload = (client: QueryClient) =>
  mutationOptions({
    mutationFn: async (id: string) =>
      saveFile(evidenceFileName(id), await download(exportEvidence, { params: { id } })),
    onSettled: refresh(client),
  });
