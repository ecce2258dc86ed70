// Tokens of an application (OAuth 2.0 client credentials), and what Microsoft's errors mean.
import type { Attempt } from "../attempt.ts";
import { ApiError, askToken, openApi, type ApiClient } from "../cloud-api/api-client.ts";
import type { Failure } from "../connector.ts";
import { misconfigured, rejected, unreachable } from "../finding.ts";
import { NoAnswer } from "../http-over-stream.ts";
import type { AzureAccess } from "./azure-access.ts";

export interface AzureSession {
  api: ApiClient;
  /** A token for one of the cloud's services, requested once. Throws `ApiError` or `NoAnswer`. */
  tokenFor(service: string): Promise<string>;
  close(): void;
}

export function openAzure(access: AzureAccess, attempt: Attempt): AzureSession {
  const api = openApi(attempt, access.tls);
  const tokens = new Map<string, Promise<string>>();
  return {
    api,
    tokenFor: (service) => {
      const known = tokens.get(service) ?? requestToken(api, access, service);
      tokens.set(service, known);
      return known;
    },
    close: () => api.close(),
  };
}

async function requestToken(api: ApiClient, access: AzureAccess, service: string): Promise<string> {
  return askToken(api, `${access.login}/${access.tenant}/oauth2/v2.0/token`, {
    grant_type: "client_credentials",
    client_id: access.clientId,
    client_secret: access.clientSecret,
    scope: `${service}/.default`,
  });
}

/** The failure of a call that changes nothing. Codes: Microsoft's "Entra authentication and authorization error codes". */
export function failureOf(error: unknown, { clientId, tenant }: AzureAccess): Failure {
  if (error instanceof NoAnswer) return error.failure;
  if (!(error instanceof ApiError)) throw error;
  const app = `the application ${clientId}`;
  for (const code of numbersIn(error.body["error_codes"])) {
    switch (code) {
      case 7000215:
        return rejected("wrong-password", `Microsoft Entra ID rejected the client secret of ${app}.`);
      case 7000222:
        return rejected("password-expired", `The client secret of ${app} has expired.`);
      case 7000112:
        return rejected("account-locked", `Microsoft Entra ID has disabled ${app}.`);
      case 700016:
        return rejected("wrong-password", `The tenant ${tenant} does not have ${app}.`);
      case 90002:
      case 900023:
        return misconfigured("bad-input", `Microsoft Entra ID does not know the tenant ${tenant}.`);
      case 53003:
      case 530035:
        return rejected("no-permission", `A Conditional Access policy of the tenant blocks ${app}.`);
    }
  }
  if (error.status === 429) return unreachable("rate-limited", "Microsoft is throttling requests. Try again later.");
  if (error.status >= 500)
    return unreachable("server-error", `Microsoft failed with a server error (status ${error.status}).`);
  if (error.code === "invalid_client" || error.code === "unauthorized_client")
    return rejected("wrong-password", `Microsoft Entra ID rejected the login of ${app}.`);
  if (error.status === 403 && error.code !== "")
    return rejected("no-permission", `Microsoft accepted the login of ${app}, but it has no permission for this.`);
  return misconfigured("protocol-error", "The response is not from Microsoft. Check the additional parameters.");
}

const numbersIn = (value: unknown): number[] =>
  Array.isArray(value) ? value.filter((each): each is number => typeof each === "number") : [];
