// Queries of the audit page other than its list.
import {
  acceptContradictions,
  exportAudit,
  listContradictions,
  readCheckpoint,
  verifyAudit,
} from "@strongroom/contract";
import type { InputOf } from "@strongroom/contract";
import { mutationOptions, type QueryClient } from "@tanstack/react-query";
import { call, download } from "#shared/api/call.ts";
import { queryOf } from "#shared/api/query.ts";
import { refreshTrail } from "#shared/audit/audit.queries.ts";
import { saveFile } from "#shared/ui/save-file.ts";
import { exportFileName } from "./export-names.ts";

export const newestCheckpoint = queryOf(readCheckpoint);

export const contradictions = queryOf(listContradictions);

export const decision = (client: QueryClient) =>
  mutationOptions({
    mutationFn: (body: NonNullable<InputOf<typeof acceptContradictions>["body"]>) =>
      call(acceptContradictions, { body }),
    onSettled: refreshTrail(client),
  });

export const verification = (client: QueryClient) =>
  mutationOptions({ mutationFn: () => call(verifyAudit), onSettled: refreshTrail(client) });

export const trailDownload = (client: QueryClient) =>
  mutationOptions({
    mutationFn: async () => saveFile(exportFileName(new Date()), await download(exportAudit)),
    onSettled: refreshTrail(client),
  });
