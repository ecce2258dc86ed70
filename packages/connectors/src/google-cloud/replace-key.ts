// Adds a key to a service account, and deletes the old one. Both work until then.
import { Secret } from "@strongroom/keys";
import type { ChangeAttempt } from "../attempt.ts";
import { ApiError } from "../cloud-api/api-client.ts";
import { becomesUsable } from "../cloud-api/becomes-usable.ts";
import { momentOf, objectsIn, textOf } from "../cloud-api/json.ts";
import type { ChangeFinding, IssueFinding, Target } from "../connector.ts";
import { changed, misconfigured, refused, unknown, unsent, type NotChanged } from "../finding.ts";
import { googleAccessOf, isKeyId, parseKeyFile, type GoogleAccess, type ServiceAccountKey } from "./google-access.ts";
import { failureOf, openGoogle, type GoogleSession } from "./google-session.ts";

export async function issueKey(target: Target, value: string, attempt: ChangeAttempt): Promise<IssueFinding> {
  const access = googleAccessOf(target, value);
  if ("failure" in access) return unsent(access.failure);
  const session = await sessionOf(access, attempt);
  if ("outcome" in session) return session;
  try {
    const newer = await newerKeys(session, access);
    attempt.sending();
    const made = await session.api.ask({ url: keysUrl(access), method: "POST", token: session.token, body: {} });
    const { privateKeyData: encoded } = made;
    const text = typeof encoded === "string" ? Buffer.from(encoded, "base64").toString("utf8") : "";
    const key = parseKeyFile(text);
    if (key === null || key.email !== access.key.email) return lost();
    const isUsable = await becomesUsable(attempt, () => works(key, access, attempt));
    const note = isUsable ? "" : " It does not work everywhere yet; this can take a minute.";
    return {
      outcome: "issued",
      secret: Secret.fromText(text),
      message: `Google created the key ${key.id} for ${key.email}.${note}${newer}`,
      facts: { keyId: key.id, isUsable },
    };
  } catch (error) {
    return attempt.isSent() ? refusalOf(error, access, lost()) : unsent(failureOf(error, access));
  } finally {
    session.close();
  }
}

const lost = () =>
  unknown("Google was asked for a new key and did not answer. It may have created one: check the account's keys.");

/**
 * A sentence about keys that are newer than the stored one: one of them may be from a rotation whose answer was lost.
 * Empty without such keys, or if the account has no permission to list its keys.
 */
async function newerKeys(session: GoogleSession, access: GoogleAccess): Promise<string> {
  try {
    const url = `${keysUrl(access)}?keyTypes=USER_MANAGED`;
    const keys = objectsIn((await session.api.ask({ url, token: session.token }))["keys"]).map((key) => ({
      id: textOf(key["name"]).split("/").at(-1) ?? "",
      createdAt: momentOf(key["validAfterTime"]) ?? "",
    }));
    const stored = keys.find(({ id }) => id === access.key.id);
    const newer = keys.filter(
      ({ id, createdAt }) => isKeyId(id) && stored !== undefined && createdAt > stored.createdAt,
    );
    if (newer.length === 0) return "";
    const names = newer.slice(0, 10).map(({ id }) => id);
    return ` The account also has newer keys than the stored one: ${names.join(", ")}. Delete those that nothing uses.`;
  } catch (error) {
    if (error instanceof ApiError) return "";
    throw error;
  }
}

/** Null while Google does not know the key yet. */
async function works(key: ServiceAccountKey, access: GoogleAccess, attempt: ChangeAttempt): Promise<boolean | null> {
  try {
    const session = await openGoogle(access, attempt, key);
    session.close();
    return true;
  } catch (error) {
    return error instanceof ApiError && failureOf(error, access).outcome === "rejected" ? null : false;
  }
}

export async function retireKey(
  target: Target,
  value: string,
  retired: string,
  attempt: ChangeAttempt,
): Promise<ChangeFinding> {
  const access = googleAccessOf(target, value);
  if ("failure" in access) return unsent(access.failure);
  const old = parseKeyFile(retired);
  if (old === null) return unsent(misconfigured("bad-input", "The secret to retire is not a key file."));
  if (old.id === access.key.id)
    return unsent(misconfigured("bad-input", `The key ${old.id} is in use, so it was not deleted.`));
  if (old.email !== access.key.email)
    return unsent(misconfigured("name-mismatch", `The key ${old.id} belongs to ${old.email}, another account.`));
  const session = await sessionOf(access, attempt);
  if ("outcome" in session) return session;
  try {
    attempt.sending();
    await session.api.ask({ url: `${keysUrl(access)}/${old.id}`, method: "DELETE", token: session.token });
  } catch (error) {
    if (error instanceof ApiError && error.code === "NOT_FOUND") return changed(`The key ${old.id} no longer exists.`);
    const unclear = unknown(`Google did not confirm that it deleted the key ${old.id}. Check the account's keys.`);
    return refusalOf(error, access, unclear);
  } finally {
    session.close();
  }
  return changed(`Google deleted the key ${old.id} of ${old.email}.`);
}

const keysUrl = ({ iam, key }: GoogleAccess) =>
  `${iam}/v1/projects/-/serviceAccounts/${encodeURIComponent(key.email)}/keys`;

async function sessionOf(access: GoogleAccess, attempt: ChangeAttempt): Promise<GoogleSession | NotChanged> {
  try {
    return await openGoogle(access, attempt);
  } catch (error) {
    return unsent(failureOf(error, access));
  }
}

/** After something was sent: only a clear error is a refusal. */
function refusalOf(error: unknown, access: GoogleAccess, otherwise: NotChanged): NotChanged {
  if (!(error instanceof ApiError)) return otherwise;
  switch (error.code) {
    case "PERMISSION_DENIED":
      return refused(
        "no-permission",
        `${access.key.email} may not manage its own keys. Grant it the role Service Account Key Admin on itself.`,
      );
    case "NOT_FOUND":
      return refused("no-such-account", `The service account ${access.key.email} does not exist.`);
    case "FAILED_PRECONDITION":
      return refused(
        "limit-reached",
        "Google refused another key: the account has ten, which is the limit, or a policy forbids new ones.",
      );
    case "RESOURCE_EXHAUSTED":
      return unsent(failureOf(error, access));
    default:
      return otherwise;
  }
}
