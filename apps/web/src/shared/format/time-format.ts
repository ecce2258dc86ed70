// The user's time zone and date style, stored in this browser.
import { useSyncExternalStore } from "react";
import { z } from "zod";

const FORMAT_KEY = "strongroom.timeFormat";

const TimeFormat = z.object({
  /** `local` is the zone of the browser. */
  zone: z.enum(["local", "utc"]),
  /** `local` follows the language of the browser; `iso` is "2026-11-26 14:05:00". */
  style: z.enum(["local", "iso"]),
});
export type TimeFormat = z.infer<typeof TimeFormat>;

const DEFAULT: TimeFormat = { zone: "local", style: "local" };

let known: { text: string | null; format: TimeFormat } = { text: null, format: DEFAULT };

function read(text: string): TimeFormat {
  try {
    return TimeFormat.safeParse(JSON.parse(text)).data ?? DEFAULT;
  } catch {
    // Not JSON, so not written by this app.
    return DEFAULT;
  }
}

/** The chosen format; parsed again only after a change. */
export function timeFormat(): TimeFormat {
  const text = localStorage.getItem(FORMAT_KEY);
  if (text !== known.text) known = { text, format: text === null ? DEFAULT : read(text) };
  return known.format;
}

const listeners = new Set<() => void>();

export function storeTimeFormat(format: TimeFormat): void {
  localStorage.setItem(FORMAT_KEY, JSON.stringify(format));
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  window.addEventListener("storage", listener);
  return () => {
    listeners.delete(listener);
    window.removeEventListener("storage", listener);
  };
}

export const useTimeFormat = (): TimeFormat => useSyncExternalStore(subscribe, timeFormat);
