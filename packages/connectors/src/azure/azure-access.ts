// The application that logs in to a tenant, and the addresses of the tenant's cloud.
import { badInput, cloudConnection } from "../cloud-api/cloud-connection.ts";
import type { Failure, Target } from "../connector.ts";
import type { TlsSettings } from "../tls-settings.ts";

/** The origins of the services of a cloud. */
interface Cloud {
  login: string;
  graph: string;
  management: string;
  /** Tokens for key vaults are requested for it. */
  vault: string;
  /** The domain of key vaults; null when they have the same origin as everything else. */
  vaultDomain: string | null;
}

export interface AzureAccess extends Cloud {
  tenant: string;
  clientId: string;
  clientSecret: string;
  tls: TlsSettings;
}

const CLOUDS: ReadonlyMap<string, Cloud> = new Map([
  [
    "public",
    {
      login: "https://login.microsoftonline.com",
      graph: "https://graph.microsoft.com",
      management: "https://management.azure.com",
      vault: "https://vault.azure.net",
      vaultDomain: ".vault.azure.net",
    },
  ],
  [
    "us-government",
    {
      login: "https://login.microsoftonline.us",
      graph: "https://graph.microsoft.us",
      management: "https://management.usgovcloudapi.net",
      vault: "https://vault.usgovcloudapi.net",
      vaultDomain: ".vault.usgovcloudapi.net",
    },
  ],
  [
    "china",
    {
      login: "https://login.partner.microsoftonline.cn",
      graph: "https://microsoftgraph.chinacloudapi.cn",
      management: "https://management.chinacloudapi.cn",
      vault: "https://vault.azure.cn",
      vaultDomain: ".vault.azure.cn",
    },
  ],
]);

/** The host that receives client secrets; null for an unknown cloud. */
export function loginHost({ cloud = "public" }: Target["additionalParams"]): string | null {
  const known = typeof cloud === "string" ? CLOUDS.get(cloud) : undefined;
  return known === undefined ? null : new URL(known.login).hostname;
}

const GUID = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}";
const CLIENT_ID = new RegExp(`^${GUID}$`, "i");
const NAMED = new RegExp(`^.* \\((${GUID})\\)$`, "i");

/** How discovery names an application: with its ID, because several can have the same name. */
export const applicationName = (name: string, id: string): string => (name === "" ? id : `${name} (${id})`);

/** The ID in a name from `applicationName`; null for a name of something else. */
export const applicationId = (name: string): string | null => NAMED.exec(name)?.[1]?.toLowerCase() ?? null;

export function azureAccessOf(target: Target, clientSecret: string): AzureAccess | { failure: Failure } {
  const { tenant = null, cloud: cloudName = "public" } = target.additionalParams;
  const clientId = target.username?.toLowerCase() ?? "";
  if (!CLIENT_ID.test(clientId))
    return badInput("The user name must be the application (client) ID, such as 1b2c3d4e-5f60-7182-93a4-b5c6d7e8f901.");
  if (typeof tenant !== "string" || !/^[A-Za-z0-9][A-Za-z0-9.-]{0,252}$/.test(tenant))
    return badInput('The additional parameter "tenant" must be the ID or a domain of the tenant.');
  if (!/^[\x21-\x7e]{8,512}$/.test(clientSecret))
    return badInput("The secret is not a client secret: it is too short or too long, or has characters that none has.");
  const cloud = typeof cloudName === "string" ? CLOUDS.get(cloudName) : undefined;
  if (cloud === undefined)
    return badInput(`The additional parameter "cloud" must be one of ${[...CLOUDS.keys()].join(", ")}.`);
  const connection = cloudConnection(target, "Azure");
  if ("failure" in connection) return connection;
  const { tls, endpoint } = connection;
  const login = { tenant, clientId, clientSecret, tls };
  if (endpoint === null) return { ...login, ...cloud };
  return { ...login, login: endpoint, graph: endpoint, management: endpoint, vault: endpoint, vaultDomain: null };
}

/** INVARIANT: tokens for key vaults go only to the cloud's own key vaults, whatever a subscription names as theirs. */
export function vaultOrigin({ vault, vaultDomain }: AzureAccess, address: unknown): string | null {
  const url = typeof address === "string" ? URL.parse(address) : null;
  if (url === null || url.protocol !== "https:") return null;
  if (vaultDomain === null) return url.origin === vault ? url.origin : null;
  return url.hostname.endsWith(vaultDomain) && url.port === "" ? url.origin : null;
}
