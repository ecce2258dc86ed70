// Client secrets of applications in Microsoft Entra ID (OAuth 2.0 and Microsoft Graph). Tested against a fake, not
// against Microsoft's service.
import { connectionParameters } from "../cloud-api/cloud-connection.ts";
import { issuedCapabilities } from "../cloud-api/issued-capabilities.ts";
import type { Connector } from "../connector.ts";

/**
 * The secret is the client secret, the user name the application (client) ID. `additional_params`: `tenant` (ID or
 * domain, required), `cloud` (`public`), `endpoint` (https://…, replaces all of Microsoft's addresses), `ca`.
 *
 * Microsoft generates the secrets: `issue` adds one, `retire` removes the old one.
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
  ...issuedCapabilities({
    verify: async () => (await import("./verify-secret.ts")).verifySecret,
    issue: async () => (await import("./replace-secret.ts")).issueSecret,
    retire: async () => (await import("./replace-secret.ts")).retireSecret,
    list: async () => (await import("./list-principals.ts")).listPrincipals,
  }),
};
