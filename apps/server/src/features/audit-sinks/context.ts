// The dependencies of deliveries.
import type { NetworkPolicy, VerifyContext } from "@strongroom/connectors";
import type { Notify } from "#features/notifications/index.ts";
import type { EntryFeed } from "#features/audit/index.ts";
import type { Kernel } from "#kernel/kernel.ts";
import type { Sender } from "./delivery/lines.ts";

export interface AuditSinkContext {
  kernel: Kernel;
  outlet: EntryFeed;
  network: NetworkPolicy;
  notify: Notify;
  sender: Sender;
  /** The folder that sinks of the kind `file` write to. */
  folder: string;
}

/** The result of a delivery: stored, as far as this kind of sink can confirm, or an error message for users. */
export type Outcome = { isTaken: true; message: string } | { isTaken: false; message: string };

/** The timeout of one attempt, well within a lease. */
const TIMEOUT_MS = 20_000;

export const envelopeContextOf = ({ network, kernel }: AuditSinkContext, signal: AbortSignal): VerifyContext => ({
  timeoutMs: TIMEOUT_MS,
  signal,
  network,
  now: () => kernel.clock.now(),
});
