// Explains why a provider could not be reached or trusted: in detail for the administrator, briefly for the person signing in.
import { FetchFailed } from "@strongroom/connectors";
import { AuthorizationResponseError, ClientError, ResponseBodyError } from "openid-client";
import { Refusal, refuse } from "#kernel/http/refuse.ts";
import type { IdentityProviderContext } from "./context.ts";
import { UnusableProvider } from "./oidc/oidc-client.ts";

export interface ProviderFailure {
  kind: "unreachable" | "refused" | "untrusted";
  text: string;
}

/** Passes on error codes of RFC 6749 and OpenID Connect only, never a provider's other text. */
const codeIn = (text: string): string => (/^[a-z_]{1,60}$/.test(text) ? text : "an error");

/** Null for an error that is not a failure of the provider. */
export function failureOf(error: unknown): ProviderFailure | null {
  const fetched = causeOf(error);
  if (fetched !== null) return { kind: "unreachable", text: fetched.message };
  if (error instanceof UnusableProvider) return { kind: "unreachable", text: error.message };
  if (error instanceof AuthorizationResponseError) {
    return { kind: "refused", text: `The provider answered with ${codeIn(error.error)}.` };
  }
  if (error instanceof ResponseBodyError) {
    const text =
      error.error === "invalid_client"
        ? "The provider rejected the stored client ID or client secret."
        : `The provider rejected the code with ${codeIn(error.error)}.`;
    return { kind: "untrusted", text };
  }
  if (error instanceof ClientError) return { kind: "untrusted", text: WORDS[error.code ?? ""] ?? UNTRUSTED };
  return error instanceof Error ? { kind: "untrusted", text: UNTRUSTED } : null;
}

const UNTRUSTED = "The provider's response is invalid.";

const WORDS: Record<string, string> = {
  OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED: "The address does not match the provider's issuer.",
  OAUTH_RESPONSE_IS_NOT_CONFORM: "There is no OpenID Connect provider at this address.",
  OAUTH_RESPONSE_IS_NOT_JSON: "The server at this address is not an OpenID Connect provider.",
  OAUTH_JWT_TIMESTAMP_CHECK_FAILED: "The ID token has expired or is not valid yet. Compare the clocks of both systems.",
  OAUTH_JWT_CLAIM_COMPARISON_FAILED: "The ID token has another issuer or audience, or belongs to another sign-in.",
  OAUTH_KEY_SELECTION_FAILED: "The ID token is not signed with any of the provider's keys.",
};

function causeOf(error: unknown): FetchFailed | null {
  for (let each = error, depth = 0; each instanceof Error && depth < 5; each = each.cause, depth += 1) {
    if (each instanceof FetchFailed) return each;
  }
  return null;
}

/** The refusal for the person signing in. The reason goes to the log, because they cannot fix it. */
export function asRefusal(
  { kernel }: IdentityProviderContext,
  { id, name }: { id: string; name: string },
  error: unknown,
): Error {
  if (error instanceof Refusal) return error;
  const failure = failureOf(error);
  if (failure === null) return new Error("a provider failed for an unknown reason", { cause: error });
  const code = error instanceof ClientError ? error.code : undefined;
  kernel.log.warn({ provider: id, reason: failure.text, code }, "a sign-in with an identity provider failed");
  switch (failure.kind) {
    case "unreachable":
      return refuse(503, "sign-in.provider-unreachable", `${name} cannot be reached. Try again later.`);
    case "refused":
      return refuse(403, "sign-in.provider-refused", `${name} refused the sign-in.`);
    case "untrusted":
      return refuse(
        403,
        "sign-in.provider-untrusted",
        `The answer from ${name} could not be verified, so you were not signed in.`,
      );
  }
}
