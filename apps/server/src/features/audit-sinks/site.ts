// What every delivery of this process needs.
import type { NetworkPolicy, VerifyContext } from "@strongroom/connectors";
import type { Notify } from "#features/notifications/index.ts";
import type { Outlet } from "#features/audit/index.ts";
import type { Kernel } from "#kernel/kernel.ts";
import type { Sender } from "./lines.ts";

export interface Site {
  kernel: Kernel;
  outlet: Outlet;
  network: NetworkPolicy;
  notify: Notify;
  sender: Sender;
  /** Where sinks of the kind `file` write. */
  folder: string;
}

/** How a delivery ended: taken for good as far as the kind of sink can say so, or why not, as a sentence for people. */
export type Outcome = { isTaken: true; message: string } | { isTaken: false; message: string };

/** What one attempt may take; well within a lease. */
const TIMEOUT_MS = 20_000;

export const contextOf = ({ network, kernel }: Site, signal: AbortSignal): VerifyContext => ({
  timeoutMs: TIMEOUT_MS,
  signal,
  network,
  now: () => kernel.clock.now(),
});
