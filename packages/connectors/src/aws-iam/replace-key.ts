// Adds a second access key and retires the first: AWS allows two for each user.
import {
  CreateAccessKeyCommand,
  DeleteAccessKeyCommand,
  ListAccessKeysCommand,
  UpdateAccessKeyCommand,
} from "@aws-sdk/client-iam";
import { GetCallerIdentityCommand } from "@aws-sdk/client-sts";
import { Secret } from "@strongroom/keys";
import type { ChangeAttempt } from "../attempt.ts";
import { becomesUsable } from "../cloud-api/becomes-usable.ts";
import type { ChangeFinding, IssueFinding, Target } from "../connector.ts";
import { changed, misconfigured, refused, unknown, unsent, type NotChanged } from "../finding.ts";
import {
  accessKeyText,
  isKeyId,
  isKeySecret,
  parseAccessKey,
  awsAccessOf,
  type AccessKey,
  type AwsAccess,
} from "./access-key.ts";
import { errorOf, failureOf } from "./answer.ts";
import { iamClient, stsClient } from "./session.ts";

/** AWS applies a request without a user name to the user who signed the request. */
export async function issueKey(target: Target, value: string, attempt: ChangeAttempt): Promise<IssueFinding> {
  const access = awsAccessOf(target, value);
  if ("failure" in access) return unsent(access.failure);
  const isFull = await othersOf(access, attempt);
  if (isFull !== null) return isFull as NotChanged;
  try {
    attempt.sending();
    const { AccessKey: made } = await iamClient(access, attempt).send(new CreateAccessKeyCommand({}));
    const [id, secret] = [made?.AccessKeyId, made?.SecretAccessKey];
    if (!isKeyId(id) || !isKeySecret(secret)) return lostKey();
    const isUsable = await becomesUsable(attempt, () => works({ id, secret }, access, attempt));
    const note = isUsable ? "" : " AWS does not accept it everywhere yet; this takes a few seconds.";
    return {
      outcome: "issued",
      secret: Secret.fromText(accessKeyText({ id, secret })),
      message: `AWS created the access key ${id}.${note}`,
      facts: { accessKeyId: id, isUsable },
    };
  } catch (error) {
    return refusalOf(error, access, lostKey()) as NotChanged;
  }
}

const lostKey = () =>
  unknown("AWS was asked for a new access key and did not answer. It may have created one: check the user's keys.");

/** Null when AWS allows the user another key. */
async function othersOf(access: AwsAccess, attempt: ChangeAttempt): Promise<ChangeFinding | null> {
  try {
    const { AccessKeyMetadata = [] } = await iamClient(access, attempt).send(new ListAccessKeysCommand({}));
    const others = AccessKeyMetadata.map(({ AccessKeyId }) => AccessKeyId).filter(
      (id) => isKeyId(id) && id !== access.key.id,
    );
    return others.length === 0 ? null : limitReached(others[0] ?? "");
  } catch (error) {
    return unsent(failureOf(error, access));
  }
}

function limitReached(other: string): ChangeFinding {
  return refused(
    "limit-reached",
    `The user already has two access keys (the other one is ${other}), which is AWS's limit. Delete the unused one.`,
  );
}

/** Null while AWS does not know the key yet. */
async function works(key: AccessKey, access: AwsAccess, attempt: ChangeAttempt): Promise<boolean | null> {
  try {
    await stsClient(access, attempt, key).send(new GetCallerIdentityCommand({}));
    return true;
  } catch (error) {
    return errorOf(error)?.code === "InvalidClientTokenId" ? null : false;
  }
}

/** Deactivates before deleting, so that a remaining user of the key fails while it can still be reactivated. */
export async function retireKey(
  target: Target,
  value: string,
  retired: string,
  attempt: ChangeAttempt,
): Promise<ChangeFinding> {
  const access = awsAccessOf(target, value);
  if ("failure" in access) return unsent(access.failure);
  const old = parseAccessKey(retired);
  if (old === null) return unsent(misconfigured("bad-input", "The secret to retire is not an access key."));
  if (old.id === access.key.id)
    return unsent(misconfigured("bad-input", `The access key ${old.id} is in use, so it was not retired.`));
  const own = await ownsKey(access, old.id, attempt);
  if (own !== null) return own;
  const iam = iamClient(access, attempt);
  const gone = changed(`AWS deleted the access key ${old.id}.`);
  const unclear = unknown(`AWS did not confirm that it deleted the access key ${old.id}. Check the user's keys.`);
  try {
    attempt.sending();
    await iam.send(new UpdateAccessKeyCommand({ AccessKeyId: old.id, Status: "Inactive" }));
  } catch (error) {
    return isGone(error) ? gone : refusalOf(error, access, unclear);
  }
  try {
    await iam.send(new DeleteAccessKeyCommand({ AccessKeyId: old.id }));
    return gone;
  } catch (error) {
    if (isGone(error)) return gone;
    if (refusalOf(error, access, unclear).outcome === "unknown") return unclear;
    return changed(
      `AWS deactivated the access key ${old.id} but did not delete it: it still counts towards the limit of two.`,
    );
  }
}

/** Null when the user has the key; otherwise the result of the retirement. */
async function ownsKey(access: AwsAccess, id: string, attempt: ChangeAttempt): Promise<ChangeFinding | null> {
  try {
    const { AccessKeyMetadata = [] } = await iamClient(access, attempt).send(new ListAccessKeysCommand({}));
    const isThere = AccessKeyMetadata.some(({ AccessKeyId }) => AccessKeyId === id);
    return isThere ? null : changed(`The access key ${id} no longer exists.`);
  } catch (error) {
    return unsent(failureOf(error, access));
  }
}

const isGone = (error: unknown) => ["NoSuchEntity", "NoSuchEntityException"].includes(errorOf(error)?.code ?? "");

/** After something was sent: only a clear error is a refusal. */
function refusalOf(error: unknown, access: AwsAccess, otherwise: ChangeFinding): ChangeFinding {
  const answer = errorOf(error);
  switch (answer?.code) {
    case "LimitExceeded":
    case "LimitExceededException":
      return refused("limit-reached", "The user has as many access keys as AWS allows. Delete an unused one.");
    case "NoSuchEntity":
    case "NoSuchEntityException":
      return refused("no-such-account", `The IAM user of the access key ${access.key.id} does not exist.`);
    case "AccessDenied":
    case "AccessDeniedException":
      return refused(
        "no-permission",
        "The user has no permission to manage its own access keys (iam:CreateAccessKey, UpdateAccessKey, DeleteAccessKey).",
      );
    case "Throttling":
    case "ThrottlingException":
    case "TooManyRequestsException":
    case "InvalidClientTokenId":
    case "SignatureDoesNotMatch":
      return unsent(failureOf(error, access));
    default:
      return otherwise;
  }
}
