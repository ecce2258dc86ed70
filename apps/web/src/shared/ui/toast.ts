// Toasts: top-right, 4 s by default, 3 s for success, 5 s for errors, no expiry while loading, 20 at most (OPEN-32 to
// OPEN-34).
import { IconCheck, IconExclamationMark, IconInfoSmall, type Icon } from "@tabler/icons-react";
import { createElement, type ReactNode } from "react";
import { MAX_TOASTS, placeToasts } from "./place-toasts.ts";
import { withToastList } from "./toast-loader.ts";
import classes from "./toast.module.css";

type ToastList = Parameters<Parameters<typeof withToastList>[0]>[0];

export const DURATIONS = { success: 3000, error: 5000, custom: 4000, loading: false } as const;
type ToastKind = keyof typeof DURATIONS;

export interface ToastOptions {
  /** Milliseconds; `false` stays until dismissed. */
  duration?: number | false;
  /** Replaces the toast with the same id. */
  id?: string;
  title?: string;
  /** Shown on a filled red ground, for alarms that must not be missed. */
  isCritical?: boolean;
}

/** Null shows Mantine's loader. */
const LOOKS: Record<ToastKind, { color: string; icon: Icon | null }> = {
  success: { color: "green", icon: IconCheck },
  error: { color: "red", icon: IconExclamationMark },
  custom: { color: "petrol", icon: IconInfoSmall },
  loading: { color: "petrol", icon: null },
};

/** Milliseconds. A mouse over a toast delays its expiry by at most this, because it may rest there by accident. */
export const HOVER_MS = 10_000;

interface Shown {
  id: string;
  isExpiring: boolean;
}
const lastTimers = new Map<string, ReturnType<typeof setTimeout>>();

function hideAtLatest(id: string, autoClose: number | false): void {
  clearTimeout(lastTimers.get(id));
  lastTimers.delete(id);
  if (autoClose !== false)
    lastTimers.set(
      id,
      setTimeout(() => dismiss(id), autoClose + HOVER_MS),
    );
}

let shown: Shown[] = [];
let count = 0;

/** The toast to drop for a new one: the oldest expiring one, else the oldest. */
export function toastToDrop(all: readonly Shown[]): Shown | undefined {
  if (all.length < MAX_TOASTS) return undefined;
  return all.find((toast) => toast.isExpiring) ?? all[0];
}

function forget(id: string): void {
  hideAtLatest(id, false);
  shown = shown.filter((toast) => toast.id !== id);
}

function show(kind: ToastKind, message: ReactNode, options: ToastOptions = {}): string {
  const id = options.id ?? `toast-${(count += 1)}`;
  placeToasts();
  withToastList((list) => draw(list, id, kind, message, options));
  return id;
}

function draw(list: ToastList, id: string, kind: ToastKind, message: ReactNode, options: ToastOptions): void {
  const autoClose = options.duration ?? DURATIONS[kind];
  const { color, icon: KindIcon } = LOOKS[kind];
  const data = {
    id,
    message,
    title: options.title,
    autoClose,
    color,
    icon: KindIcon === null ? undefined : createElement(KindIcon, { size: 17, "aria-hidden": true }),
    loading: kind === "loading",
    classNames: options.isCritical === true ? { root: classes.critical, description: classes.criticalText } : {},
    // An error interrupts a screen reader; other toasts wait.
    role: kind === "error" ? "alert" : "status",
    onClose: () => forget(id),
  };
  hideAtLatest(id, autoClose);
  const known = shown.find((toast) => toast.id === id);
  if (known) {
    known.isExpiring = autoClose !== false;
    list.update(data);
    return;
  }
  const dropped = toastToDrop(shown);
  if (dropped) dismiss(dropped.id);
  shown.push({ id, isExpiring: autoClose !== false });
  list.show(data);
}

function dismiss(id?: string): void {
  withToastList((list) => {
    if (id === undefined) {
      for (const { id: each } of shown) forget(each);
      list.clean();
      return;
    }
    forget(id);
    list.hide(id);
  });
}

/** Each returns the toast's id, for `dismiss` or for a toast that replaces it. */
export const toast = {
  success: (message: ReactNode, options?: ToastOptions) => show("success", message, options),
  error: (message: ReactNode, options?: ToastOptions) => show("error", message, options),
  loading: (message: ReactNode, options?: ToastOptions) => show("loading", message, options),
  custom: (message: ReactNode, options?: ToastOptions) => show("custom", message, options),
  dismiss,
};
