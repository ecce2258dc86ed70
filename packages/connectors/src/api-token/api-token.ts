// API tokens, checked with the request described by the entry's additional parameters (undici).
import type { Secret } from "@strongroom/keys";
import { attempt } from "../attempt.ts";
import type { Connector, Target, VerifyContext } from "../connector.ts";

/** Facts of `verified`: `status`. */
export const apiToken: Connector = {
  id: "api-token",
  name: "API token over HTTPS",
  types: ["api_token"],
  proven: true,
  async verify(target: Target, secret: Secret, context: VerifyContext) {
    const token = secret.reveal();
    // Loaded on first use, outside the attempt's time.
    const { verifyToken } = await import("./verify-token.ts");
    return attempt(context, (current) => verifyToken(target, token, current));
  },
};
