// Bulk actions on accounts and the background runs they start.
import {
  bulkAccounts,
  rotateSeveral,
  type AccountId,
  type BULK_ACTIONS,
  type RotationRunId,
  type RunId,
  type SafeId,
} from "@strongroom/contract";
import { mutationOptions, type QueryClient } from "@tanstack/react-query";
import { call } from "#shared/api/call.ts";
import { refreshLists } from "../accounts.queries.ts";

/** A background run whose progress the page shows. */
export type AccountRun = { kind: "verification"; id: RunId } | { kind: "rotation"; id: RotationRunId };

interface Wish {
  action: (typeof BULK_ACTIONS)[number] | "rotate";
  ids: AccountId[];
  /** The destination when moving. */
  safeId: SafeId | null;
}

interface Answer {
  done: number;
  failed: readonly { id: string; message: string }[];
  message: string;
  run: AccountRun | null;
}

export const bulkAccountAction = (client: QueryClient) =>
  mutationOptions({
    mutationFn: (wish: Wish) => (wish.action === "rotate" ? rotate(wish.ids) : change(wish, wish.action)),
    onSettled: () => refreshLists(client),
  });

async function rotate(ids: AccountId[]): Promise<Answer> {
  const { queued, failed, message, run_id: id } = await call(rotateSeveral, { body: { account_ids: ids } });
  return { done: queued, failed, message, run: id === null ? null : { kind: "rotation", id } };
}

async function change({ ids, safeId }: Wish, action: (typeof BULK_ACTIONS)[number]): Promise<Answer> {
  const body = { action, account_ids: ids, ...(safeId === null ? {} : { safe_id: safeId }) };
  const { done, failed, message, run_id: id } = await call(bulkAccounts, { body });
  return { done: done.length, failed, message, run: id === null ? null : { kind: "verification", id } };
}
