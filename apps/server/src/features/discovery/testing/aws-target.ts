// A discovery target for the fake of AWS, whose credential is the access key of a new user there.
import type { DiscoveryTarget } from "@strongroom/contract";
import type { FakeAws } from "@strongroom/connectors/testing";
import { anAccount } from "#testing/accounts.ts";
import type { DiscoveryWorld } from "./discovery-world.ts";

export async function anAwsTarget(
  { app, owner, safe, linuxTarget, aTarget }: DiscoveryWorld,
  aws: FakeAws,
): Promise<DiscoveryTarget> {
  const account = await anAccount(app, owner, safe, {
    system_type: "AWS",
    connection_method: "HTTPS",
    hostname: "iam.amazonaws.com",
    username: "scanner",
    password: aws.addUser("scanner").secret,
    additional_params: aws.params,
  });
  return aTarget({ ...linuxTarget(account, aws), targetType: "aws", connectionMethod: "aws_api" });
}
