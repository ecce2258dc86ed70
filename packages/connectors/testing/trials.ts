// Constructors for rows of the shared suite.
import type { Target } from "../src/connector.ts";
import type { Trial } from "./suite.ts";

export const trial = (target: Partial<Target>, secret: string, expect: Trial["expect"]): Trial => ({
  target,
  secret,
  expect,
});

export const VERIFIED = { outcome: "verified" } as const;
export const WRONG_PASSWORD = { outcome: "rejected", code: "wrong-password" } as const;
export const NOT_CHECKED = { outcome: "misconfigured", code: "password-not-checked" } as const;
export const BAD_INPUT = { outcome: "misconfigured", code: "bad-input" } as const;
const INSECURE = { outcome: "misconfigured", code: "insecure-authentication" } as const;

/**
 * The rows for every protocol over TLS that sends passwords in clear text inside it. `own` is the good target with
 * these additional parameters.
 */
export function clearTextOverTls(
  own: (more: Record<string, unknown>) => Partial<Target>,
  secret: string,
): (Trial & { name: string })[] {
  const failed = (reason: string) => ({ outcome: "misconfigured", code: "tls-failure", reason }) as const;
  return [
    { name: "no TLS", ...trial(own({ sslmode: "disable" }), secret, INSECURE) },
    { name: "not checked", ...trial(own({ sslmode: "require" }), secret, INSECURE) },
    { name: "unknown issuer", ...trial(own({ ca: undefined }), secret, failed("unknown-issuer")) },
    { name: "other name", ...trial(own({ servername: "other.example" }), secret, failed("name-mismatch")) },
  ];
}
