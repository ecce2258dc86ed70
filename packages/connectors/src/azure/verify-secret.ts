// Verifies a client secret: Entra ID issues a token for Microsoft Graph, which needs no permission.
import type { Attempt } from "../attempt.ts";
import type { Finding, Target } from "../connector.ts";
import { verified } from "../finding.ts";
import { azureAccessOf } from "./azure-access.ts";
import { failureOf, openAzure } from "./azure-session.ts";

export async function verifySecret(target: Target, value: string, current: Attempt): Promise<Finding> {
  const access = azureAccessOf(target, value);
  if ("failure" in access) return access.failure;
  const { clientId, tenant } = access;
  const session = openAzure(access, current);
  try {
    current.waitFor("Microsoft Entra ID to answer");
    await session.tokenFor(access.graph);
    return verified(`Microsoft Entra ID accepted the client secret of the application ${clientId}.`, {
      tenant,
      clientId,
    });
  } catch (error) {
    return failureOf(error, access);
  } finally {
    session.close();
  }
}
