// Resets of administrators' sign-in, which need two other administrators.
import { cancelAdminReset, confirmAdminReset, listAdminResets, requestAdminReset } from "@strongroom/contract";
import { implement } from "#kernel/http/implement.ts";
import { cancel, confirm, list, request } from "./admin-resets.ts";
import type { AdminResetDeps } from "./admin-resets.ts";

export function installAdminResets(deps: AdminResetDeps): void {
  const { kernel } = deps;
  implement(kernel, listAdminResets, (call, db) => list(deps, call, db));
  implement(kernel, requestAdminReset, (call, tx) => request(deps, call, tx));
  implement(kernel, confirmAdminReset, (call, tx) => confirm(deps, call, tx));
  implement(kernel, cancelAdminReset, (call, tx) => cancel(deps, call, tx));
}
