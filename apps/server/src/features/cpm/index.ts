// The CPM dashboard: the number of working secrets, and the secrets that need attention.
import type { Kernel } from "#kernel/kernel.ts";
import { rolePermissions } from "./cpm.policy.ts";
import { bindCpm } from "./cpm.routes.ts";
import type { CpmDeps } from "./cpm.routes.ts";

export function installCpm(kernel: Kernel, deps: CpmDeps): void {
  kernel.authority.grant(rolePermissions);
  bindCpm(kernel, deps);
}
