// Structured logs on standard output. Every field that could contain a secret is redacted.
import { pino } from "pino";
import type { Logger } from "pino";

export type Log = Logger;

/** Field names whose values are never logged, at any depth that we log. */
const SECRET_NAMES = [
  "value",
  "password",
  "current_password",
  "new_password",
  "passphrase",
  "secret",
  "token",
  "setup_token",
  "authorization",
  "cookie",
  "connection_string",
  "link",
];

const paths = SECRET_NAMES.flatMap((name) => [name, `*.${name}`, `*.*.${name}`, `req.headers.${name}`]);

/** JSON lines that contain level names instead of numbers. */
export function openLog(level: string): Log {
  return pino({
    level,
    base: undefined,
    redact: { paths, censor: "[secret]" },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
  });
}
