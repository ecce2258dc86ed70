// Passwords that a RADIUS server checks (PAP); it can only verify them.
import type { Secret } from "@strongroom/keys";
import { attempt } from "../attempt.ts";
import type { Connector, Target, VerifyContext } from "../connector.ts";
import { verifyLogin } from "./verify-login.ts";

/**
 * The secret is JSON with `password` and `shared_secret`. RADIUS hides passwords by MD5 and the shared secret, not by TLS:
 * it belongs into a network of its own. Facts of `verified`: `isProtected` (the answer had a Message-Authenticator).
 */
export const radius: Connector = {
  id: "radius",
  name: "RADIUS",
  types: ["password", "server", "application"],
  proven: true,
  verify(target: Target, secret: Secret, context: VerifyContext) {
    const text = secret.reveal();
    return attempt(context, (current) => verifyLogin(target, text, current));
  },
};
