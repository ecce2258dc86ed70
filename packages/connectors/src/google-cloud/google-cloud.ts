// Keys of service accounts in Google Cloud (OAuth 2.0 with signed assertions, IAM). Tested against a fake, not against
// Google's service.
import type { Secret } from "@strongroom/keys";
import { attempt, attemptChange, attemptList, attemptWith } from "../attempt.ts";
import { connectionParameters } from "../cloud-api/cloud-connection.ts";
import type { Connector, Target, VerifyContext } from "../connector.ts";

/**
 * The secret is the JSON of a key file, as Google issues it. The entry's user name is the service account's email
 * address, or empty. `additional_params`: `endpoint` (https://…, replaces all of Google's addresses), `ca`.
 *
 * Google generates the keys: `issue` adds one beside the others, `retire` deletes the old one.
 */
export const googleCloud: Connector = {
  id: "google-cloud",
  name: "Google Cloud service account key",
  icon: "cloud",
  types: [],
  protocols: [{ value: "google-cloud", label: "Google Cloud service account key", port: 443 }],
  parameters: connectionParameters("Google's", "https://iam.example.com"),
  proven: false,
  async verify(target: Target, secret: Secret, context: VerifyContext) {
    const { verifyKey } = await import("./verify-key.ts");
    return attempt(context, (current) => verifyKey(target, secret.reveal(), current));
  },
  async issue(target: Target, current: Secret, context: VerifyContext) {
    const { issueKey } = await import("./replace-key.ts");
    return attemptWith(context, (change) => issueKey(target, current.reveal(), change));
  },
  async retire(target: Target, current: Secret, retired: Secret, context: VerifyContext) {
    const { retireKey } = await import("./replace-key.ts");
    return attemptChange(context, (change) => retireKey(target, current.reveal(), retired.reveal(), change));
  },
  async listAccounts(target: Target, secret: Secret, context: VerifyContext) {
    const { listPrincipals } = await import("./list-principals.ts");
    return attemptList(context, (current) => listPrincipals(target, secret.reveal(), current));
  },
};
