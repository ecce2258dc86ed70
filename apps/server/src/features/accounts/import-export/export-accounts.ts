// Exports the accounts that a user may see as CSV, page by page, without secrets.
import type { exportAccounts as exportEndpoint } from "@strongroom/contract";
import { Readable } from "node:stream";
import type { Actor } from "#kernel/authz/actor.ts";
import type { Db } from "#kernel/db/database.ts";
import type { Call } from "#kernel/http/call.ts";
import type { Download } from "#kernel/http/stream.ts";
import { EXPORT_HEADER, exportLine } from "./account-csv.ts";
import type { AccountDeps } from "../deps.ts";
import { pageOfAccounts } from "../search/find-accounts.ts";

const PAGE = 500;

export async function exportAccounts(
  { kernel, grants }: AccountDeps,
  call: Call<typeof exportEndpoint>,
  db: Db,
): Promise<Download> {
  const { safe_id } = call.query;
  if (safe_id !== undefined) call.note({ target: { type: "safe", id: safe_id } });
  const body = Readable.from(linesOf(db, call.actor, call.query, grants), { objectMode: false });
  return { body, fileName: `strongroom-accounts-${kernel.clock.now().toISOString().slice(0, 10)}.csv` };
}

async function* linesOf(
  db: Db,
  actor: Actor,
  query: Call<typeof exportEndpoint>["query"],
  { grantsInForce }: AccountDeps["grants"],
): AsyncGenerator<string> {
  yield EXPORT_HEADER;
  let cursor: string | undefined;
  do {
    const page = await pageOfAccounts(db, actor, { ...query, limit: PAGE, cursor }, grantsInForce);
    yield page.data.map(exportLine).join("");
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
}
