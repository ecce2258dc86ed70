// Verifies an access key: AWS returns its owner, which every key may ask for.
import { GetCallerIdentityCommand } from "@aws-sdk/client-sts";
import type { Attempt } from "../attempt.ts";
import type { Finding, Target } from "../connector.ts";
import { misconfigured, verified } from "../finding.ts";
import { awsAccessOf } from "./access-key.ts";
import { failureOf } from "./answer.ts";
import { stsClient } from "./session.ts";

export async function verifyKey(target: Target, value: string, current: Attempt): Promise<Finding> {
  const access = awsAccessOf(target, value);
  if ("failure" in access) return access.failure;
  try {
    const { Account, Arn } = await stsClient(access, current).send(new GetCallerIdentityCommand({}));
    const account = /^\d{12}$/.exec(Account ?? "")?.[0];
    const arn = /^arn:aws[a-z-]*:(iam|sts)::\d{12}:[\w+=,.@/-]{1,600}$/.exec(Arn ?? "")?.[0];
    if (account === undefined || arn === undefined)
      return misconfigured("protocol-error", "AWS did not return the owner of the access key.");
    const owner = arn.split("/").at(-1) ?? "";
    const { username } = target;
    if (username && username !== owner && username !== access.key.id && arn.includes(":user/"))
      return misconfigured("name-mismatch", `The access key works, but belongs to ${owner}, not to ${username}.`);
    return verified(`AWS accepted the access key ${access.key.id} (${arn}).`, { account, arn });
  } catch (error) {
    return failureOf(error, access);
  }
}
