// Platforms: the verification, rotation and access rules for accounts of one kind of system.
import type { Kernel } from "#kernel/kernel.ts";
import { defineJobs } from "./platforms.jobs.ts";
import type { PlatformDeps } from "./platforms.ts";
import { ROLES } from "@strongroom/contract";
import type { RolePermissions } from "#kernel/authz/authorise.ts";
import { bindPlatforms } from "./platforms.routes.ts";

const rolePermissions: RolePermissions = { "platform.read": ROLES, "platform.manage": ["admin"] };

export function installPlatforms(kernel: Kernel, deps: PlatformDeps): void {
  kernel.authority.grant(rolePermissions);
  bindPlatforms(kernel, deps);
  defineJobs(kernel);
}

export { searchablePlatforms } from "./platforms.ts";
export { notFound as platformNotFound } from "./platforms.ts";
export { lockPlatform, updatePlatform } from "./platforms.store.ts";
export type { PlatformRow } from "./platforms.store.ts";
