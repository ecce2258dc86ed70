// Toasts: top-right, 4 s by default, 3 s for success, 5 s for errors, no expiry while loading, 20 at most (OPEN-32 to OPEN-34).
import { notifications } from "@mantine/notifications";
import { IconCheck, IconExclamationMark, IconInfoSmall, type Icon } from "@tabler/icons-react";
import { createElement, type ReactNode } from "react";

export const MOST_TOASTS = 20;
export const DURATIONS = { success: 3000, error: 5000, custom: 4000, loading: false } as const;
type ToastKind = keyof typeof DURATIONS;

export interface ToastOptions {
  /** Milliseconds; `false` stays until dismissed. */
  duration?: number | false;
  /** Shows in place of the toast with the same id. */
  id?: string;
  title?: string;
}

/** Without an icon Mantine shows its loader. */
const LOOKS: Record<ToastKind, { color: string; icon: Icon | null }> = {
  success: { color: "green", icon: IconCheck },
  error: { color: "red", icon: IconExclamationMark },
  custom: { color: "petrol", icon: IconInfoSmall },
  loading: { color: "petrol", icon: null },
};

interface Shown {
  id: string;
  isExpiring: boolean;
}
let shown: Shown[] = [];
let count = 0;

/** Which toast makes room for another: the oldest that would expire anyway, else the oldest. */
export function toastToDrop(all: readonly Shown[]): Shown | undefined {
  if (all.length < MOST_TOASTS) return undefined;
  return all.find((toast) => toast.isExpiring) ?? all[0];
}

function forget(id: string): void {
  shown = shown.filter((toast) => toast.id !== id);
}

function show(kind: ToastKind, message: ReactNode, options: ToastOptions = {}): string {
  const id = options.id ?? `toast-${(count += 1)}`;
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
    // An error interrupts a screen reader, the rest waits its turn.
    role: kind === "error" ? "alert" : "status",
    onClose: () => forget(id),
  };
  const known = shown.find((toast) => toast.id === id);
  if (known) {
    known.isExpiring = autoClose !== false;
    notifications.update(data);
    return id;
  }
  const dropped = toastToDrop(shown);
  if (dropped) dismiss(dropped.id);
  shown.push({ id, isExpiring: autoClose !== false });
  notifications.show(data);
  return id;
}

function dismiss(id?: string): void {
  if (id === undefined) {
    shown = [];
    notifications.clean();
    return;
  }
  forget(id);
  notifications.hide(id);
}

/** Each returns the toast's id, for `dismiss` or for replacing it by passing the id again. */
export const toast = {
  success: (message: ReactNode, options?: ToastOptions) => show("success", message, options),
  error: (message: ReactNode, options?: ToastOptions) => show("error", message, options),
  loading: (message: ReactNode, options?: ToastOptions) => show("loading", message, options),
  custom: (message: ReactNode, options?: ToastOptions) => show("custom", message, options),
  dismiss,
};
