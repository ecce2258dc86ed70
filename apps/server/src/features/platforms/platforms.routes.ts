// Binds the platform endpoints to their handlers.
import {
  createPlatform,
  deletePlatform,
  listPlatformCapabilities,
  listPlatforms,
  readPlatform,
  updatePlatform,
} from "@strongroom/contract";
import { implement } from "#kernel/http/implement.ts";
import type { Kernel } from "#kernel/kernel.ts";
import { changePlatform, findPlatforms, makePlatform, readOne, removePlatform } from "./platforms.ts";
import type { PlatformDeps } from "./platforms.ts";

export function bindPlatforms(kernel: Kernel, deps: PlatformDeps): void {
  implement(kernel, listPlatforms, findPlatforms);
  implement(kernel, listPlatformCapabilities, async () => ({ capabilities: [...deps.capabilities] }));
  implement(kernel, readPlatform, readOne);
  implement(kernel, createPlatform, (call, tx) => makePlatform(kernel, deps, call, tx));
  implement(kernel, updatePlatform, (call, tx) => changePlatform(kernel, deps, call, tx));
  implement(kernel, deletePlatform, (call, tx) => removePlatform(kernel, call, tx));
}
