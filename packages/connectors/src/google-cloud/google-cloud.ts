// Keys of service accounts in Google Cloud (OAuth 2.0 with signed assertions, IAM). Tested against a fake, not against
// Google's service.
import { connectionParameters } from "../cloud-api/cloud-connection.ts";
import { issuedCapabilities } from "../cloud-api/issued-capabilities.ts";
import type { Connector } from "../connector.ts";

/**
 * The secret is the JSON of a key file, as Google issues it. The entry's user name is the service account's email
 * address, or empty. `additional_params`: `endpoint` (https://…, replaces all of Google's addresses), `ca`.
 *
 * Google generates the keys: `issue` adds one, `retire` deletes the old one.
 */
export const googleCloud: Connector = {
  id: "google-cloud",
  name: "Google Cloud service account key",
  icon: "cloud",
  types: [],
  protocols: [{ value: "google-cloud", label: "Google Cloud service account key", port: 443 }],
  parameters: connectionParameters("Google's", "https://iam.example.com"),
  proven: false,
  ...issuedCapabilities({
    verify: async () => (await import("./verify-key.ts")).verifyKey,
    issue: async () => (await import("./replace-key.ts")).issueKey,
    retire: async () => (await import("./replace-key.ts")).retireKey,
    list: async () => (await import("./list-principals.ts")).listPrincipals,
  }),
};
