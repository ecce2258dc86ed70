// API tokens, checked with the request described by the entry's additional parameters (undici).
import type { Secret } from "@strongroom/keys";
import { attempt } from "../attempt.ts";
import type { Connector, Target, VerifyContext } from "../connector.ts";
import { TLS_PARAMETERS } from "../tls-settings.ts";
import { STATUS_PATTERN } from "./check.ts";

/** Facts of `verified`: `status`. */
export const apiToken: Connector = {
  id: "api-token",
  name: "API token over HTTPS",
  icon: "key",
  types: ["api_token"],
  parameters: [
    {
      kind: "text",
      name: "check_url",
      label: "Check URL",
      help: "A URL that requires the token",
      placeholder: "https://api.example.com/me",
      pattern: { source: "https?://.+", message: "Enter a URL that begins with https://" },
    },
    {
      kind: "text",
      name: "header",
      label: "Header",
      placeholder: "Authorization",
      max_length: 100,
      is_advanced: true,
    },
    {
      kind: "text",
      name: "scheme",
      label: "Scheme",
      help: "The word before the token",
      placeholder: "Bearer",
      max_length: 50,
      is_advanced: true,
    },
    {
      kind: "choice",
      name: "method",
      label: "Method",
      placeholder: "GET (default)",
      options: ["GET", "HEAD", "POST"].map((value) => ({ value, label: value })),
      is_advanced: true,
    },
    {
      kind: "text",
      name: "expect_status",
      label: "Expected status",
      placeholder: "200-299",
      pattern: STATUS_PATTERN,
      is_advanced: true,
    },
    ...TLS_PARAMETERS,
  ],
  proven: true,
  async verify(target: Target, secret: Secret, context: VerifyContext) {
    const token = secret.reveal();
    // Loaded on first use, so that loading does not count towards the attempt's time limit.
    const { verifyToken } = await import("./verify-token.ts");
    return attempt(context, (current) => verifyToken(target, token, current));
  },
};
