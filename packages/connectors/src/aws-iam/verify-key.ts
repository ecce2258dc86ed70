// Whether an access key works: AWS says whose it is, which every key may ask.
import { GetCallerIdentityCommand } from "@aws-sdk/client-sts";
import type { Attempt } from "../attempt.ts";
import type { Finding, Target } from "../connector.ts";
import { misconfigured, verified } from "../finding.ts";
import { placeOf } from "./access-key.ts";
import { failureOf } from "./answer.ts";
import { stsClient } from "./session.ts";

export async function verifyKey(target: Target, value: string, current: Attempt): Promise<Finding> {
  const place = placeOf(target, value);
  if ("failure" in place) return place.failure;
  try {
    const { Account, Arn } = await stsClient(place, current).send(new GetCallerIdentityCommand({}));
    const account = /^\d{12}$/.exec(Account ?? "")?.[0];
    const arn = /^arn:aws[a-z-]*:(iam|sts)::\d{12}:[\w+=,.@/-]{1,600}$/.exec(Arn ?? "")?.[0];
    if (account === undefined || arn === undefined)
      return misconfigured("protocol-error", "AWS did not say whose the access key is.");
    const owner = arn.split("/").at(-1) ?? "";
    const { username } = target;
    if (username && username !== owner && username !== place.key.id && arn.includes(":user/"))
      return misconfigured("name-mismatch", `The access key works, but belongs to ${owner}, not to ${username}.`);
    return verified(`AWS accepted the access key ${place.key.id} (${arn}).`, { account, arn });
  } catch (error) {
    return failureOf(error, place);
  }
}
