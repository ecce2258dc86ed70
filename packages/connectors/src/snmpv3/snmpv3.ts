// SNMPv3 users with an authentication password and usually a privacy password (net-snmp). Verification only: agents
// keep their users in files.
import type { Secret } from "@strongroom/keys";
import { attempt } from "../attempt.ts";
import type { Connector, Target, VerifyContext } from "../connector.ts";

/**
 * The secret is one password for both, or JSON: `{"auth": "…", "priv": "…"}`. `additional_params`: `auth_protocol` (`sha`),
 * `priv_protocol` (`aes`, or `none`), `context`. Facts of `verified`: `isEncrypted`.
 */
export const snmpv3: Connector = {
  id: "snmpv3",
  name: "SNMPv3",
  types: ["password", "server", "application"],
  proven: true,
  async verify(target: Target, secret: Secret, context: VerifyContext) {
    const { verifyUser } = await import("./verify-user.ts");
    return attempt(context, (current) => verifyUser(target, secret.reveal(), current));
  },
};
