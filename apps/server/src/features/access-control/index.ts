// Access control: who has what and through what, what would change, and reviews of who still needs it.
import { grants } from "./access-control.policy.ts";
import { bindAccessControl } from "./access-control.routes.ts";
import type { Rehearsed } from "./rehearse.ts";

export function installAccessControl(site: Rehearsed): void {
  site.kernel.authority.grant(grants);
  bindAccessControl(site);
}
