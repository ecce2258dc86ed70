// Platforms: for each kind of system, how its accounts are verified, changed and lent.
import type { Kernel } from "#kernel/kernel.ts";
import { defineJobs } from "./platforms.jobs.ts";
import { grants } from "./platforms.policy.ts";
import type { PlatformDeps } from "./platforms.ts";
import { bindPlatforms } from "./platforms.routes.ts";

export function installPlatforms(kernel: Kernel, deps: PlatformDeps): void {
  kernel.authority.grant(grants);
  bindPlatforms(kernel, deps);
  defineJobs(kernel);
}

export { searchablePlatforms } from "./search-platforms.ts";
export { notFound as platformNotFound } from "./platforms.ts";
export { lockPlatform, updatePlatform } from "./platforms.store.ts";
export type { PlatformRow } from "./platforms.store.ts";
