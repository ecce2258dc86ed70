// What the audit page asks for and sends beside its list.
import { exportAudit, readCheckpoint, verifyAudit } from "@strongroom/contract";
import { mutationOptions, type QueryClient } from "@tanstack/react-query";
import { call, download } from "#shared/api/call.ts";
import { queryOf } from "#shared/api/query.ts";
import { refreshTrail } from "#shared/audit/audit.queries.ts";
import { saveFile } from "#shared/ui/save-file.ts";
import { exportFileName } from "./export-names.ts";

export const newestCheckpoint = queryOf(readCheckpoint);

export const verification = (client: QueryClient) =>
  mutationOptions({ mutationFn: () => call(verifyAudit), onSettled: refreshTrail(client) });

export const trailDownload = (client: QueryClient) =>
  mutationOptions({
    mutationFn: async () => saveFile(exportFileName(new Date()), await download(exportAudit)),
    onSettled: refreshTrail(client),
  });
