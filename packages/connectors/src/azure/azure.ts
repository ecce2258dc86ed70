// Client secrets of applications in Microsoft Entra ID (OAuth 2.0 and Microsoft Graph). Tested against a fake, not
// against Microsoft's service.
import type { Secret } from "@strongroom/keys";
import { attempt, attemptChange, attemptList, attemptWith } from "../attempt.ts";
import { connectionParameters } from "../cloud-api/cloud-connection.ts";
import type { Connector, Target, VerifyContext } from "../connector.ts";

/**
 * The secret is the client secret, the user name the application (client) ID. `additional_params`: `tenant` (ID or
 * domain, required), `cloud` (`public`), `endpoint` (https://…, replaces all of Microsoft's addresses), `ca`.
 *
 * Microsoft generates the secrets: `issue` adds one beside the others, `retire` removes the old one.
 */
export const azure: Connector = {
  id: "azure",
  name: "Azure client secret",
  icon: "cloud",
  types: [],
  protocols: [{ value: "azure", label: "Azure client secret", port: 443 }],
  parameters: [
    {
      kind: "text",
      name: "tenant",
      label: "Tenant",
      help: "Its ID or one of its domains",
      placeholder: "example.onmicrosoft.com",
      pattern: { source: "[A-Za-z0-9][A-Za-z0-9.\\-]{0,252}", message: "Enter the tenant's ID or one of its domains" },
    },
    {
      kind: "choice",
      name: "cloud",
      label: "Cloud",
      options: [
        { value: "public", label: "Azure" },
        { value: "us-government", label: "Azure for US Government" },
        { value: "china", label: "Azure in China" },
      ],
      placeholder: "Azure",
      is_advanced: true,
    },
    ...connectionParameters("Microsoft's", "https://login.example.com"),
  ],
  proven: false,
  async verify(target: Target, secret: Secret, context: VerifyContext) {
    const { verifySecret } = await import("./verify-secret.ts");
    return attempt(context, (current) => verifySecret(target, secret.reveal(), current));
  },
  async issue(target: Target, current: Secret, context: VerifyContext) {
    const { issueSecret } = await import("./replace-secret.ts");
    return attemptWith(context, (change) => issueSecret(target, current.reveal(), change));
  },
  async retire(target: Target, current: Secret, retired: Secret, context: VerifyContext) {
    const { retireSecret } = await import("./replace-secret.ts");
    return attemptChange(context, (change) => retireSecret(target, current.reveal(), retired.reveal(), change));
  },
  async listAccounts(target: Target, secret: Secret, context: VerifyContext) {
    const { listPrincipals } = await import("./list-principals.ts");
    return attemptList(context, (current) => listPrincipals(target, secret.reveal(), current));
  },
};
