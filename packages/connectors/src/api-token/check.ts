// The request that checks an API token, read from the entry's additional parameters.
import type { Failure, Target } from "../connector.ts";
import { misconfigured } from "../finding.ts";

/** Matches a status, or a range of them. */
export const STATUS_PATTERN = {
  source: "\\d{3}(-\\d{3})?",
  message: "Enter a status such as 200, or a range such as 200-299",
};

const METHODS = ["GET", "HEAD", "POST"] as const;
type Method = (typeof METHODS)[number];

export interface TokenCheck {
  url: URL;
  method: Method;
  /** Lower case. */
  header: string;
  /** The word before the token, or empty for no word. `Basic` sends the user name and the token (RFC 7617). */
  scheme: string;
  /** Inclusive. */
  expectStatus: { from: number; to: number };
}

/**
 * Reads `check_url`, `method` (GET), `header` (Authorization), `scheme` (Bearer in Authorization, else none) and
 * `expect_status` (a number, or a text such as `200-299`, which is the default).
 */
export function tokenCheck({ additionalParams, username }: Target): TokenCheck | { failure: Failure } {
  const { check_url, method = "GET", header = "Authorization", expect_status = "200-299" } = additionalParams;
  const url = typeof check_url === "string" ? URL.parse(check_url) : null;
  if (url === null || !["https:", "http:"].includes(url.protocol))
    return refuse("check_url must be a URL that begins with https://.");
  if (url.username !== "" || url.password !== "")
    return refuse("check_url must not contain a user name or password: it is stored unencrypted.");
  const chosen = METHODS.find((each) => each === String(method).toUpperCase());
  if (chosen === undefined) return refuse(`method must be ${METHODS.join(", ")}.`);
  if (typeof header !== "string" || !/^[a-z0-9!#$%&'*+.^_`|~-]{1,100}$/i.test(header))
    return refuse("header must be the name of an HTTP header.");
  const name = header.toLowerCase();
  if (FORBIDDEN_HEADERS.has(name)) return refuse(`The header ${header} cannot carry the token. Choose another header.`);
  const { scheme = name === "authorization" ? "Bearer" : "" } = additionalParams;
  if (typeof scheme !== "string" || !/^[a-z0-9_.+-]{0,50}$/i.test(scheme))
    return refuse("scheme must be one word, such as Bearer, or empty.");
  if (/^basic$/i.test(scheme) && !username) return refuse("scheme Basic needs a user name.");
  const expectStatus = statusRange(expect_status);
  if (expectStatus === null)
    return refuse("expect_status must be a status from 100 to 599, or two with a hyphen, such as 200-299.");
  return { url, method: chosen, header: name, scheme, expectStatus };
}

/** Headers that frame the message or name the host; only the HTTP client sets them. */
const FORBIDDEN_HEADERS = new Set([
  "host",
  "connection",
  "content-length",
  "content-type",
  "transfer-encoding",
  "te",
  "trailer",
  "upgrade",
  "expect",
  "keep-alive",
  "proxy-connection",
]);

/** Null when the value is not a status or a range of statuses. */
export function statusRange(value: unknown): TokenCheck["expectStatus"] | null {
  const [, first, last = first] = /^([1-5]\d\d)(?:-([1-5]\d\d))?$/.exec(String(value)) ?? [];
  if (first === undefined || Number(first) > Number(last)) return null;
  return { from: Number(first), to: Number(last) };
}

function refuse(message: string): { failure: Failure } {
  return { failure: misconfigured("bad-input", message) };
}
