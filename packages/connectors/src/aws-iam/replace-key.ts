// A second access key beside the first, and the end of the first: AWS allows two for each user.
import {
  CreateAccessKeyCommand,
  DeleteAccessKeyCommand,
  ListAccessKeysCommand,
  UpdateAccessKeyCommand,
} from "@aws-sdk/client-iam";
import { GetCallerIdentityCommand } from "@aws-sdk/client-sts";
import { Secret } from "@strongroom/keys";
import type { ChangeAttempt } from "../attempt.ts";
import type { ChangeFinding, Facts, Target } from "../connector.ts";
import { changed, misconfigured, refused, unknown, unsent } from "../finding.ts";
import {
  accessKeyText,
  isKeyId,
  isKeySecret,
  parseAccessKey,
  placeOf,
  type AccessKey,
  type Place,
} from "./access-key.ts";
import { errorOf, failureOf } from "./answer.ts";
import { iamClient, stsClient } from "./session.ts";

/** What both sides of `issue` share with a change. */
type NotIssued = Exclude<ChangeFinding, { outcome: "changed" }>;
type Issued = { outcome: "issued"; secret: Secret; message: string; facts?: Facts };

/** Keys are of the user who signs: no name is sent. */
export async function issueKey(target: Target, value: string, attempt: ChangeAttempt): Promise<Issued | NotIssued> {
  const place = placeOf(target, value);
  if ("failure" in place) return unsent(place.failure);
  const isFull = await othersOf(place, attempt);
  if (isFull !== null) return isFull as NotIssued;
  try {
    attempt.sending();
    const { AccessKey: made } = await iamClient(place, attempt).send(new CreateAccessKeyCommand({}));
    const [id, secret] = [made?.AccessKeyId, made?.SecretAccessKey];
    if (!isKeyId(id) || !isKeySecret(secret)) return lostKey();
    const isUsable = await becomesUsable({ id, secret }, place, attempt);
    const note = isUsable ? "" : " It is not accepted everywhere yet; AWS takes some seconds for that.";
    return {
      outcome: "issued",
      secret: Secret.fromText(accessKeyText({ id, secret })),
      message: `AWS made the access key ${id}.${note}`,
      facts: { accessKeyId: id, isUsable },
    };
  } catch (error) {
    return refusalOf(error, place, lostKey()) as NotIssued;
  }
}

const lostKey = () =>
  unknown(
    "AWS was asked for a new access key and did not answer. There may be one that nobody knows: look at the user's keys.",
  );

/** Null when there is room for one more. */
async function othersOf(place: Place, attempt: ChangeAttempt): Promise<ChangeFinding | null> {
  try {
    const { AccessKeyMetadata = [] } = await iamClient(place, attempt).send(new ListAccessKeysCommand({}));
    const others = AccessKeyMetadata.map(({ AccessKeyId }) => AccessKeyId).filter(
      (id) => isKeyId(id) && id !== place.key.id,
    );
    return others.length === 0 ? null : limitReached(others[0] ?? "");
  } catch (error) {
    return unsent(failureOf(error, place));
  }
}

function limitReached(other: string): ChangeFinding {
  return refused(
    "limit-reached",
    `The user has two access keys already (the other one is ${other}), and AWS allows no third. Delete the one that nothing uses.`,
  );
}

/** INVARIANT: a key that AWS has made is never lost to a clock: waiting for it ends well before the attempt does. */
async function becomesUsable(key: AccessKey, place: Place, attempt: ChangeAttempt): Promise<boolean> {
  const until = Promise.withResolvers<false>();
  const timer = setTimeout(() => until.resolve(false), Math.max(0, attempt.remainingMs() / 2));
  const ask = async (): Promise<boolean> => {
    while (!attempt.signal.aborted) {
      try {
        await stsClient(place, attempt, key).send(new GetCallerIdentityCommand({}));
        return true;
      } catch (error) {
        if (errorOf(error)?.code !== "InvalidClientTokenId") return false;
        await new Promise((resolve) => setTimeout(resolve, 1_000));
      }
    }
    return false;
  };
  return Promise.race([ask(), until.promise]).finally(() => clearTimeout(timer));
}

/** First inactive, then gone: whoever still uses it hears of it while it could be brought back. */
export async function retireKey(
  target: Target,
  value: string,
  retired: string,
  attempt: ChangeAttempt,
): Promise<ChangeFinding> {
  const place = placeOf(target, value);
  if ("failure" in place) return unsent(place.failure);
  const old = parseAccessKey(retired);
  if (old === null) return unsent(misconfigured("bad-input", "The secret to retire is no access key."));
  if (old.id === place.key.id)
    return unsent(misconfigured("bad-input", `The access key ${old.id} is the one in use: it is not retired.`));
  const own = await ownsKey(place, old.id, attempt);
  if (own !== null) return own;
  const iam = iamClient(place, attempt);
  const gone = changed(`AWS deleted the access key ${old.id}.`);
  const unclear = unknown(`AWS did not say whether it deleted the access key ${old.id}.`);
  try {
    attempt.sending();
    await iam.send(new UpdateAccessKeyCommand({ AccessKeyId: old.id, Status: "Inactive" }));
  } catch (error) {
    return isGone(error) ? gone : refusalOf(error, place, unclear);
  }
  try {
    await iam.send(new DeleteAccessKeyCommand({ AccessKeyId: old.id }));
    return gone;
  } catch (error) {
    if (isGone(error)) return gone;
    if (refusalOf(error, place, unclear).outcome === "unknown") return unclear;
    return changed(
      `AWS made the access key ${old.id} inactive, but did not delete it: it still counts towards the two that a user may have.`,
    );
  }
}

/** Null when the user has it; otherwise how the retirement ends. */
async function ownsKey(place: Place, id: string, attempt: ChangeAttempt): Promise<ChangeFinding | null> {
  try {
    const { AccessKeyMetadata = [] } = await iamClient(place, attempt).send(new ListAccessKeysCommand({}));
    const isThere = AccessKeyMetadata.some(({ AccessKeyId }) => AccessKeyId === id);
    return isThere ? null : changed(`The user has no access key ${id} any more.`);
  } catch (error) {
    return unsent(failureOf(error, place));
  }
}

const isGone = (error: unknown) => ["NoSuchEntity", "NoSuchEntityException"].includes(errorOf(error)?.code ?? "");

/** After something was sent: only a clear no is one. */
function refusalOf(error: unknown, place: Place, otherwise: ChangeFinding): ChangeFinding {
  const answer = errorOf(error);
  switch (answer?.code) {
    case "LimitExceeded":
    case "LimitExceededException":
      return refused("limit-reached", "The user has as many access keys as AWS allows. Delete one that nothing uses.");
    case "NoSuchEntity":
    case "NoSuchEntityException":
      return refused("no-such-account", `AWS does not know the user of the access key ${place.key.id}.`);
    case "AccessDenied":
    case "AccessDeniedException":
      return refused(
        "no-permission",
        "The user may not manage its own access keys (iam:CreateAccessKey, UpdateAccessKey, DeleteAccessKey).",
      );
    case "Throttling":
    case "ThrottlingException":
    case "TooManyRequestsException":
    case "InvalidClientTokenId":
    case "SignatureDoesNotMatch":
      return unsent(failureOf(error, place));
    default:
      return otherwise;
  }
}
