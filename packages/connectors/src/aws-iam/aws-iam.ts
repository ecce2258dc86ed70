// Access keys of AWS IAM users (AWS SDK over our own connections). Tested against a fake, not against AWS.
import type { Secret } from "@strongroom/keys";
import { inTime, type Attempt } from "../attempt.ts";
import { connectionParameters } from "../cloud-api/cloud-connection.ts";
import { issuedCapabilities } from "../cloud-api/issued-capabilities.ts";
import type { Connector, ReadFilesFinding, Target, VerifyContext } from "../connector.ts";
import type { FileReader, FileSearch } from "../file-search.ts";

/**
 * The secret is JSON: `{"access_key_id": "AKIA…", "secret_access_key": "…"}`. The entry's user name is the IAM user's,
 * or empty. `additional_params`: `region` (us-east-1), `endpoint` (https://…, replaces AWS's own for all services),
 * `buckets` (names, separated by commas; without it, scans ask S3), `ca`.
 *
 * AWS generates the secrets: `issue` adds a second key, `retire` deletes the first. Facts of
 * `verified`: `account`, `arn`. Of `issued`: `accessKeyId`, `isUsable` (a new key takes seconds until it works).
 */
export const awsIam: Connector = {
  id: "aws-iam",
  name: "AWS IAM access key",
  icon: "cloud",
  types: [],
  protocols: [{ value: "aws-iam", label: "AWS IAM access key", port: 443 }],
  parameters: [
    {
      kind: "text",
      name: "region",
      label: "Region",
      placeholder: "us-east-1",
      pattern: {
        source: "[a-z]{2}(-[a-z]{2,10}){1,2}-\\d",
        message: "Enter the name of an AWS region, such as eu-central-1",
      },
    },
    {
      kind: "text",
      name: "buckets",
      label: "S3 buckets",
      help: "Names, separated by commas, for scans with a key that may not list buckets",
      placeholder: "backups, build-artifacts",
      is_advanced: true,
    },
    ...connectionParameters("AWS's", "https://sts.example.com"),
  ],
  proven: false,
  ...issuedCapabilities({
    verify: async () => (await import("./verify-key.ts")).verifyKey,
    issue: async () => (await import("./replace-key.ts")).issueKey,
    retire: async () => (await import("./replace-key.ts")).retireKey,
    list: async () => (await import("./list-users.ts")).listUsers,
  }),
  filesBegin: "s3://",
  async readFiles(target: Target, secret: Secret, search: FileSearch, reader: FileReader, context: VerifyContext) {
    const { readBuckets } = await import("./read-buckets.ts");
    const read = (current: Attempt) => readBuckets(target, secret.reveal(), search, reader, current);
    return inTime<ReadFilesFinding>(context, read, (failure) => failure);
  },
};
