// Passwords checked by a RADIUS server (PAP), which can only be verified.
import type { Secret } from "@strongroom/keys";
import { attempt } from "../attempt.ts";
import type { Connector, Target, VerifyContext } from "../connector.ts";
import { verifyLogin } from "./verify-login.ts";

/**
 * The secret is JSON with `password` and `shared_secret`. RADIUS hides passwords with MD5 and the shared secret, not
 * with TLS: it needs a separate network. Facts of `verified`: `isProtected` (the answer had a Message-Authenticator).
 */
export const radius: Connector = {
  id: "radius",
  name: "RADIUS",
  icon: "network",
  types: [],
  protocols: [{ value: "radius", label: "RADIUS", port: 1812 }],
  parameters: [
    {
      kind: "switch",
      name: "require_message_authenticator",
      label: "Require Message-Authenticator",
      help: "Off accepts answers that could be forged in transit (CVE-2024-3596)",
      default: true,
      is_advanced: true,
    },
  ],
  proven: true,
  verify(target: Target, secret: Secret, context: VerifyContext) {
    const text = secret.reveal();
    return attempt(context, (current) => verifyLogin(target, text, current));
  },
};
