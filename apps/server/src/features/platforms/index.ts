// Platforms: the verification, rotation and access rules for accounts of one kind of system.
import type { Kernel } from "#kernel/kernel.ts";
import { defineJobs } from "./platforms.jobs.ts";
import { rolePermissions } from "./platforms.policy.ts";
import type { PlatformDeps } from "./platforms.ts";
import { bindPlatforms } from "./platforms.routes.ts";

export function installPlatforms(kernel: Kernel, deps: PlatformDeps): void {
  kernel.authority.grant(rolePermissions);
  bindPlatforms(kernel, deps);
  defineJobs(kernel);
}

export { searchablePlatforms } from "./platforms.ts";
export { notFound as platformNotFound } from "./platforms.ts";
export { lockPlatform, updatePlatform } from "./platforms.store.ts";
export type { PlatformRow } from "./platforms.store.ts";
