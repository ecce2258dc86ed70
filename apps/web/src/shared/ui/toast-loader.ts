// Loads the list of toasts when it is first needed, and queues toasts until then, so that the sign-in page starts without it.
import type { notifications } from "@mantine/notifications";
import type * as ToastListModule from "./toast-list.tsx";

type List = typeof ToastListModule;
type Action = (list: typeof notifications) => void;

const LONGEST_RETRY_MS = 60_000;

let list: List | null = null;
let loading: Promise<void> | null = null;
let retryMs = 1000;
const waiting: Action[] = [];
const listeners = new Set<() => void>();

/** Runs `action` with the list of toasts: immediately if it has loaded, else as soon as it has, in the order of the calls. */
export function withToastList(action: Action): void {
  if (list !== null) {
    action(list.notifications);
    return;
  }
  waiting.push(action);
  void loadToastList();
}

/** Resolves after one attempt to load. A failed attempt is repeated later: the network may be down. */
export function loadToastList(): Promise<void> {
  if (list !== null) return Promise.resolve();
  loading ??= import("./toast-list.tsx")
    .then(
      (loaded) => {
        list = loaded;
        for (const action of waiting.splice(0)) action(loaded.notifications);
        for (const listener of listeners) listener();
      },
      () => {
        setTimeout(() => void loadToastList(), retryMs);
        retryMs = Math.min(retryMs * 2, LONGEST_RETRY_MS);
      },
    )
    .finally(() => {
      loading = null;
    });
  return loading;
}

/** Calls `listener` when the list has loaded. Returns a function that unsubscribes. */
export function onToastListLoaded(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The element that draws the toasts; null until it has loaded. */
export const loadedToastList = () => list?.toastList ?? null;
