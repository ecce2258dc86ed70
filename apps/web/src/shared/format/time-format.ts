// The user's time zone and date style, stored in this browser.
import { z } from "zod";
import { browserValue } from "#shared/session/browser-value.ts";

const FORMAT_KEY = "strongroom.timeFormat";

const TimeFormat = z.object({
  /** `local` is the zone of the browser. */
  zone: z.enum(["local", "utc"]),
  /** `local` follows the language of the browser; `iso` is "2026-11-26 14:05:00". */
  style: z.enum(["local", "iso"]),
});
export type TimeFormat = z.infer<typeof TimeFormat>;

const DEFAULT: TimeFormat = { zone: "local", style: "local" };

const stored = browserValue(FORMAT_KEY, TimeFormat);

export const timeFormat = (): TimeFormat => stored.read() ?? DEFAULT;
export const storeTimeFormat = stored.store;
export const useTimeFormat = (): TimeFormat => stored.use() ?? DEFAULT;
