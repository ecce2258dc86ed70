// The context of enhanced scans and their refusals.
import type { NetworkPolicy } from "@strongroom/connectors";
import { refuse } from "#kernel/http/refuse.ts";
import type { Refusal } from "#kernel/http/refuse.ts";
import type { Kernel } from "#kernel/kernel.ts";
import type { FindingsFeature } from "#features/findings/index.ts";

export interface ScansContext {
  kernel: Kernel;
  network: NetworkPolicy;
  findings: FindingsFeature;
}

export const SCAN_JOB = "scans.scan";

/** The same refusal for a scan that does not exist and one that this user cannot see. */
export const scanNotFound = (): Refusal => refuse(404, "scan.not-found", "Enhanced scan not found");

export const scheduleNotFound = (): Refusal => refuse(404, "scan.schedule-not-found", "Schedule not found");

export const configNotFound = (): Refusal => refuse(404, "scan.config-not-found", "Scan configuration not found");
