// Whether the server responds, derived from this page's calls.
import { useSyncExternalStore } from "react";

/** Milliseconds after which a call without a response is reported to users. */
export const REPORT_AFTER_MS = 3000;

/**
 * `slow`: a call is waiting for a response. `lost`: a call got no response. `overdue`: one of these for three
 * seconds.
 */
export type ServerContact = "answering" | "slow" | "lost" | "overdue";

let contact: ServerContact = "answering";
let timer: ReturnType<typeof setTimeout> | undefined;
const listeners = new Set<() => void>();
let waiting: (() => void)[] = [];

function set(next: ServerContact): void {
  if (next === contact) return;
  contact = next;
  for (const listener of listeners) listener();
}

export function recordSlowCall(): void {
  if (contact === "answering") set("slow");
}

export function recordNoResponse(): void {
  if (contact === "slow") set("overdue");
  if (contact !== "answering") return;
  set("lost");
  timer = setTimeout(() => set("overdue"), REPORT_AFTER_MS);
}

/** Records a response, whatever its status. */
export function recordResponse(): void {
  clearTimeout(timer);
  const isBack = contact === "overdue";
  set("answering");
  if (!isBack) return;
  const resolves = waiting;
  waiting = [];
  for (const resolve of resolves) resolve();
}

/** Resolves when the server responds after a reported outage. */
export const recovery = (): Promise<void> => new Promise((resolve) => waiting.push(resolve));

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export const useServerContact = (): ServerContact => useSyncExternalStore(subscribe, () => contact);
