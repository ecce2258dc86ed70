// The messages between a browser and the gateway: control messages as JSON text, terminal bytes as binary messages.
import { z } from "zod";
import type { SessionEndReason } from "@strongroom/contract";

const size = { cols: z.number().int().min(1).max(1000), rows: z.number().int().min(1).max(1000) };

/** The first message of the user's own terminal. */
export const OpenFrame = z.discriminatedUnion("t", [
  z.strictObject({
    t: z.literal("ticket"),
    ticket: z.string().min(1).max(200),
    /** With `sftp`, binary messages carry SFTP packets (version 3), and the session ends with its connection. */
    program: z.enum(["shell", "sftp"]).default("shell"),
    ...size,
  }),
  z.strictObject({ t: z.literal("resume"), secret: z.string().min(1).max(200), ...size }),
]);

/** The first message of a watcher. */
export const WatchFrame = z.strictObject({ t: z.literal("ticket"), ticket: z.string().min(1).max(200) });

export const ResizeFrame = z.strictObject({ t: z.literal("resize"), ...size });

export type ServerFrame =
  /**
   * The session begins or continues. `secret` resumes it within 60 s after a lost connection; the secret changes each
   * time.
   */
  | { t: "ready"; session: string; recorded: true; input: boolean; watchers: number; secret: string }
  /** A watcher sees the session from now on. */
  | { t: "watching"; session: string; user: string }
  | { t: "notice"; text: string }
  /** Nothing is shown or sent until `resumed`. */
  | { t: "paused"; reason: string }
  | { t: "resumed" }
  | { t: "watchers"; n: number }
  /** For watchers. */
  | { t: "size"; cols: number; rows: number }
  /** `reason` is null when the session did not begin. */
  | { t: "end"; reason: SessionEndReason | null; detail: string | null; exit: number | null };

/** Returns null for anything except a valid message of this kind. */
export function parseFrame<T>(schema: z.ZodType<T>, text: string): T | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
  const parsed = schema.safeParse(value);
  return parsed.success ? parsed.data : null;
}
