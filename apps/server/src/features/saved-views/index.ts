// Saved views: named filters of lists, for their user or shared with everyone who can open the list.
import { createSavedView, deleteSavedView, listSavedViews } from "@strongroom/contract";
import { implement } from "#kernel/http/implement.ts";
import type { Kernel } from "#kernel/kernel.ts";
import { create, list, remove } from "./saved-views.ts";

export function installSavedViews(kernel: Kernel): void {
  implement(kernel, listSavedViews, (call, db) => list(kernel, call, db));
  implement(kernel, createSavedView, (call, tx) => create(kernel, call, tx));
  implement(kernel, deleteSavedView, (call, tx) => remove(kernel, call, tx));
}

export { findView, keepView } from "./saved-views.store.ts";
