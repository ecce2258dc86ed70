// API tokens, checked by the request that the entry's additional parameters describe (undici).
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
    // The driver stays out of memory until somebody verifies, and loading it takes nothing of the attempt's time.
    const { verifyToken } = await import("./verify-token.ts");
    return attempt(context, (current) => verifyToken(target, token, current));
  },
};
