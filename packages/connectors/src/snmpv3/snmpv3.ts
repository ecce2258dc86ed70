// SNMPv3 users with an authentication password and usually a privacy password (net-snmp). Verification only: agents
// keep their users in files.
import type { Secret } from "@strongroom/keys";
import { attempt } from "../attempt.ts";
import type { Connector, Target, VerifyContext } from "../connector.ts";

const inCapitals = (value: string) => ({ value, label: value.toUpperCase() });

/**
 * The secret is one password for both, or JSON: `{"auth": "…", "priv": "…"}`. `additional_params`: `auth_protocol` (`sha`),
 * `priv_protocol` (`aes`, or `none`), `context`. Facts of `verified`: `isEncrypted`.
 */
export const snmpv3: Connector = {
  id: "snmpv3",
  name: "SNMPv3",
  icon: "network",
  types: [],
  protocols: [{ value: "snmpv3", label: "SNMPv3", port: 161 }],
  parameters: [
    {
      kind: "choice",
      name: "auth_protocol",
      label: "Authentication",
      placeholder: "SHA (default)",
      options: ["sha", "sha224", "sha256", "sha384", "sha512", "md5"].map(inCapitals),
    },
    {
      kind: "choice",
      name: "priv_protocol",
      label: "Encryption",
      placeholder: "AES (default)",
      options: [...["aes", "aes256b", "aes256r"].map(inCapitals), { value: "none", label: "None" }],
    },
    { kind: "text", name: "context", label: "Context", max_length: 32, is_advanced: true },
  ],
  proven: true,
  async verify(target: Target, secret: Secret, context: VerifyContext) {
    const { verifyUser } = await import("./verify-user.ts");
    return attempt(context, (current) => verifyUser(target, secret.reveal(), current));
  },
};
