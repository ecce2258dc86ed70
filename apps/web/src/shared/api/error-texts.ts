// The error messages of failed requests (ERR-01 to ERR-08).

const NETWORK_ERROR = "Network error: Unable to connect to the server. Please check your connection.";
const CORS_ERROR = "CORS error: Cross-origin request blocked. Please check server configuration.";
const UNAVAILABLE = "Service temporarily unavailable - backend may be starting up. Please try again in a moment.";
export const UNREADABLE = "The server returned an unreadable response.";

export const timeoutText = (limitMs: number): string =>
  `Request timeout after ${limitMs}ms - this may be due to backend cold start.`;

/** ERR-02, ERR-03, OPEN-69. `seconds` is null when the server named no time. */
const rateLimitText = (seconds: number | null): string =>
  seconds === null
    ? "Rate limit exceeded. Please try again later."
    : `Rate limit exceeded. Retry in ${seconds} seconds.`;

/** HTTP/2 has no reason phrases, so the common ones are listed here. */
const STATUS_TEXTS: Record<number, string> = {
  400: "Bad Request",
  401: "Unauthorized",
  403: "Forbidden",
  404: "Not Found",
  405: "Method Not Allowed",
  409: "Conflict",
  413: "Payload Too Large",
  422: "Unprocessable Content",
  500: "Internal Server Error",
  504: "Gateway Timeout",
};

export interface FailedAnswer {
  status: number;
  statusText: string;
  /** The requested path without its query. */
  path: string;
  /** The `message` of a JSON body, else null. */
  message: string | null;
  isJson: boolean;
  /** Seconds, from the header or the body. */
  retryAfter: number | null;
}

/** The message for an unsuccessful response. The server's own message takes precedence over the general texts. */
export function answerText(answer: FailedAnswer): string {
  if (answer.status === 429) return rateLimitText(answer.retryAfter);
  if (answer.message !== null && answer.message !== "") return answer.message;
  if (answer.status === 502 || answer.status === 503) return UNAVAILABLE;
  if (answer.status === 404 && !answer.isJson) {
    return `Endpoint not found: ${answer.path}. This feature may not be implemented yet.`;
  }
  return `${answer.status} ${answer.statusText || STATUS_TEXTS[answer.status] || "Error"}`;
}

/** Browsers hide why a fetch failed; when the error does mention the origin, so does this text (ERR-07). */
export function fetchFailureText(error: unknown): string {
  const text = error instanceof Error ? error.message : "";
  return /cors|cross-origin|access control/i.test(text) ? CORS_ERROR : NETWORK_ERROR;
}
