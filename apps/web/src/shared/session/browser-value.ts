// A value that this browser stores as JSON, shared by all tabs.
import { useSyncExternalStore } from "react";
import type { z } from "zod";

export interface BrowserValue<T> {
  /** Null when nothing is stored, or something that the schema refuses. */
  read(): T | null;
  store(value: T): void;
  /** Renders again when the value changes, here or in another tab. */
  use(): T | null;
}

export function browserValue<T>(key: string, schema: z.ZodType<T>): BrowserValue<T> {
  const listeners = new Set<() => void>();
  let known: { text: string | null; value: T | null } = { text: null, value: null };

  const read = (): T | null => {
    const text = localStorage.getItem(key);
    if (text !== known.text) known = { text, value: text === null ? null : parsed(text, schema) };
    return known.value;
  };
  const subscribe = (listener: () => void): (() => void) => {
    listeners.add(listener);
    window.addEventListener("storage", listener);
    return () => {
      listeners.delete(listener);
      window.removeEventListener("storage", listener);
    };
  };
  return {
    read,
    store(value) {
      localStorage.setItem(key, JSON.stringify(value));
      for (const listener of listeners) listener();
    },
    use: () => useSyncExternalStore(subscribe, read),
  };
}

function parsed<T>(text: string, schema: z.ZodType<T>): T | null {
  try {
    return schema.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    // Not JSON, so not written by this app.
    return null;
  }
}
