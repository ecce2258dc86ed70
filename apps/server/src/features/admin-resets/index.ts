// Resets of administrators' sign-ins, which need two other administrators.
import { cancelAdminReset, confirmAdminReset, listAdminResets, requestAdminReset } from "@strongroom/contract";
import type { Tx } from "#kernel/db/database.ts";
import { implement } from "#kernel/http/implement.ts";
import { cancel, confirm, list, request } from "./admin-resets.ts";
import type { AdminResetDeps } from "./admin-resets.ts";
import { expireOpen } from "./admin-resets.store.ts";

export interface AdminResetsFeature {
  /**
   * For a restored database: expires all requests, because a request that was cancelled after the backup must not be
   * confirmed. Returns the number of expired requests.
   */
  expireAll(tx: Tx): Promise<number>;
}

export function installAdminResets(deps: AdminResetDeps): AdminResetsFeature {
  const { kernel } = deps;
  implement(kernel, listAdminResets, (call, db) => list(deps, call, db));
  implement(kernel, requestAdminReset, (call, tx) => request(deps, call, tx));
  implement(kernel, confirmAdminReset, (call, tx) => confirm(deps, call, tx));
  implement(kernel, cancelAdminReset, (call, tx) => cancel(deps, call, tx));
  return { expireAll: (tx) => expireOpen(tx, kernel.clock.now()) };
}
