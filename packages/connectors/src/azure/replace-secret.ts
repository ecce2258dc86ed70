// Adds a client secret to an application, and removes the old one. Both work until then.
import { Secret } from "@strongroom/keys";
import type { ChangeAttempt } from "../attempt.ts";
import { ApiError } from "../cloud-api/api-client.ts";
import { becomesUsable } from "../cloud-api/becomes-usable.ts";
import { momentOf, objectsIn, textOf, type Json } from "../cloud-api/json.ts";
import type { ChangeFinding, IssueFinding, Target } from "../connector.ts";
import { changed, misconfigured, refused, unknown, unsent, type NotChanged } from "../finding.ts";
import { azureAccessOf, type AzureAccess } from "./azure-access.ts";
import { failureOf, openAzure, type AzureSession } from "./azure-session.ts";

const NEEDED = "It needs Application.ReadWrite.OwnedBy and must own itself, or Application.ReadWrite.All.";

/** The new secret has the lifetime of the tenant's policy, or Microsoft's default of two years. */
export async function issueSecret(target: Target, value: string, attempt: ChangeAttempt): Promise<IssueFinding> {
  const access = azureAccessOf(target, value);
  if ("failure" in access) return unsent(access.failure);
  const session = openAzure(access, attempt);
  try {
    const token = await tokenOrFailure(session, access);
    if (typeof token !== "string") return token;
    const label = await labelOf({ session, access, token }, value);
    if (typeof label !== "string") return label;
    attempt.sending();
    const made = await session.api.ask({
      url: `${applicationUrl(access)}/addPassword`,
      method: "POST",
      token,
      body: { passwordCredential: { displayName: label } },
    });
    const { secretText: text, keyId } = made;
    if (typeof text !== "string" || text === "" || !isKeyId(keyId)) return lost();
    const isUsable = await becomesUsable(attempt, () => works({ ...access, clientSecret: text }, attempt));
    const note = isUsable ? "" : " It does not work everywhere yet; this can take a minute.";
    return {
      outcome: "issued",
      secret: Secret.fromText(text),
      message: `Microsoft Entra ID created the client secret ${keyId}.${note}`,
      facts: { keyId, isUsable, expiresAt: momentOf(made["endDateTime"]) },
    };
  } catch (error) {
    return refusalOf(error, access, lost());
  } finally {
    session.close();
  }
}

const lost = () =>
  unknown(
    "Microsoft Entra ID was asked for a new client secret and did not answer. It may have created one: check the application's secrets.",
  );

/**
 * The name of the new secret, which says what it replaces. A secret with this name already exists when an earlier
 * answer was lost: its value is unknown, but it works, so a person must remove it first.
 */
async function labelOf(listing: Listing, current: string): Promise<string | NotChanged> {
  const credentials = await credentialsOf(listing);
  if (!Array.isArray(credentials)) return credentials;
  const like = credentials.filter(({ hint }) => hint === hintOf(current));
  const keyId = like.length === 1 ? like[0]?.["keyId"] : null;
  if (!isKeyId(keyId)) return "Strongroom";
  const label = `Strongroom, replaces ${keyId}`;
  const lostOne = credentials.find(({ displayName }) => displayName === label);
  if (lostOne === undefined) return label;
  return refused(
    "not-changeable",
    `The application has the client secret ${textOf(lostOne["keyId"])} from an earlier rotation whose answer was lost. Remove it in the Entra admin centre, then rotate again.`,
  );
}

/** Null while Entra ID does not know the secret yet. */
async function works(access: AzureAccess, attempt: ChangeAttempt): Promise<boolean | null> {
  const session = openAzure(access, attempt);
  try {
    await session.tokenFor(access.graph);
    return true;
  } catch (error) {
    return error instanceof ApiError && failureOf(error, access).outcome === "rejected" ? null : false;
  } finally {
    session.close();
  }
}

/** Entra ID shows the first three characters of each secret; the old one must be recognisable by them. */
export async function retireSecret(
  target: Target,
  value: string,
  retired: string,
  attempt: ChangeAttempt,
): Promise<ChangeFinding> {
  const access = azureAccessOf(target, value);
  if ("failure" in access) return unsent(access.failure);
  if (retired === value)
    return unsent(misconfigured("bad-input", "This client secret is in use, so it was not removed."));
  const session = openAzure(access, attempt);
  try {
    const token = await tokenOrFailure(session, access);
    if (typeof token !== "string") return token;
    const old = await secretLike(retired, value, { session, access, token });
    if (typeof old !== "string") return old;
    attempt.sending();
    try {
      await session.api.ask({
        url: `${applicationUrl(access)}/removePassword`,
        method: "POST",
        token,
        body: { keyId: old },
      });
    } catch (error) {
      // Another administrator replaced it first.
      const isGone = error instanceof ApiError && error.code === "Request_ResourceNotFound";
      if (!isGone) return refusalOf(error, access, unclear(old));
    }
    return changed(`Microsoft Entra ID removed the client secret ${old}.`);
  } finally {
    session.close();
  }
}

const unclear = (keyId: string) =>
  unknown(
    `Microsoft Entra ID did not confirm that it removed the client secret ${keyId}. Check the application's secrets.`,
  );

interface Listing {
  session: AzureSession;
  access: AzureAccess;
  token: string;
}

/** The ID of the secret to remove, or the result of the call if there is no such secret or several match. */
async function secretLike(retired: string, current: string, listing: Listing) {
  const credentials = await credentialsOf(listing);
  if (!Array.isArray(credentials)) return credentials;
  const like = credentials.filter(({ hint }) => hint === hintOf(retired));
  if (like.length === 0) return changed("The old client secret no longer exists.");
  const [old] = like;
  if (like.length > 1 || hintOf(retired) === hintOf(current) || !isKeyId(old?.["keyId"]))
    return refused(
      "not-changeable",
      `${like.length} client secrets begin like the old one, so none was removed. Remove it in the Entra admin centre.`,
    );
  return old["keyId"];
}

async function credentialsOf({ session, access, token }: Listing): Promise<Json[] | NotChanged> {
  try {
    const answer = await session.api.ask({ url: `${applicationUrl(access)}?$select=passwordCredentials`, token });
    return objectsIn(answer["passwordCredentials"]);
  } catch (error) {
    return unsent(failureOf(error, access));
  }
}

const hintOf = (secret: string) => secret.slice(0, 3);

const isKeyId = (value: unknown): value is string => /^[0-9a-f-]{36}$/i.test(textOf(value));

const applicationUrl = ({ graph, clientId }: AzureAccess) => `${graph}/v1.0/applications(appId='${clientId}')`;

async function tokenOrFailure(session: AzureSession, access: AzureAccess): Promise<string | NotChanged> {
  try {
    return await session.tokenFor(access.graph);
  } catch (error) {
    return unsent(failureOf(error, access));
  }
}

/** After something was sent: only a clear error is a refusal. */
function refusalOf(error: unknown, access: AzureAccess, otherwise: NotChanged): NotChanged {
  if (!(error instanceof ApiError)) return otherwise;
  switch (error.code) {
    case "Authorization_RequestDenied":
      return refused("no-permission", `The application may not change its own client secrets. ${NEEDED}`);
    case "Request_ResourceNotFound":
      return refused("no-such-account", `The tenant does not have the application ${access.clientId}.`);
    case "CredentialLimitExceeded":
    case "Directory_QuotaExceeded":
      return refused("limit-reached", "The application has as many secrets as it may have. Remove an unused one.");
    case "CredentialTypeNotAllowedAsPerAppPolicy":
      return refused("not-changeable", "A policy of the tenant forbids client secrets for this application.");
    default:
      return error.status === 429 ? unsent(failureOf(error, access)) : otherwise;
  }
}
