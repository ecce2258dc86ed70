// The CPM dashboard: how many secrets are known to work, and which need a person.
import type { Kernel } from "#kernel/kernel.ts";
import { grants } from "./cpm.policy.ts";
import { bindCpm } from "./cpm.routes.ts";
import type { CpmDeps } from "./cpm.routes.ts";

export function installCpm(kernel: Kernel, deps: CpmDeps): void {
  kernel.authority.grant(grants);
  bindCpm(kernel, deps);
}
