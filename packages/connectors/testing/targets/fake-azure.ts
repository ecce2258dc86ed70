// A fake of Entra ID's token endpoint, Microsoft Graph, Azure's management API and key vaults, on one origin. Does not
// prove: Microsoft's services, their delays, permissions and throttling.
import { randomBytes, randomUUID } from "node:crypto";
import { startFakeApi, type ApiReply, type ApiRequest, type FakeApi } from "./fake-json-api.ts";

interface StoredSecret {
  keyId: string;
  /** Its display name. */
  label?: string;
  text: string;
  isExpired: boolean;
  /** How many more logins are refused until the secret is known everywhere. */
  refusals?: number;
}

interface FakeApplication {
  clientId: string;
  /** The ID of its service principal. */
  principalId: string;
  name: string;
  secrets: StoredSecret[];
  isEnabled: boolean;
}

interface FakeUser {
  id: string;
  name: string;
  isEnabled: boolean;
}

export interface FakeAzure extends FakeApi {
  /** How many logins with the next new secrets are refused first. */
  refusalsOfNew: number;
  /** How many of them are left for the newest secret. */
  lastRefusals(): number;
  tenant: string;
  /** An application with one client secret. */
  addApplication(name: string): FakeApplication;
  addUser(name: string): FakeUser;
  /** A group with these members, by ID. Its ID. */
  addGroup(name: string, members: readonly string[]): string;
  /** Gives a role of the directory by the ID of its template; `scope` is `/` for all of it. */
  assignRole(principalId: string, roleId: string, scope?: string): void;
  /** Permissions of applications in Microsoft Graph. */
  permissions: { principalId: string; appRoleId: string }[];
  /** Roles on the subscription "Production". */
  subscriptionRoles: { principalId: string; roleId: string; scope: string }[];
  /** Names of secrets by vault; the fake has no values. */
  vaults: Map<string, { uri: string; location: string; secrets: string[] }>;
  /** Paths that begin like one of these answer with status 403. */
  denied: Set<string>;
}

export const AZURE_ROLES = {
  globalAdministrator: "62e90394-69f5-4237-9190-012177145e10",
  applicationAdministrator: "9b895d92-2cd3-44c7-9d02-a6ac2d5ea5c3",
  directoryReaders: "88d8e3e3-8f55-4a1e-953a-9b9898b8876b",
  owner: "8e3af657-a8ff-443c-a75c-2fe8c4bcb635",
  reader: "acdd72a7-3385-48ef-bd42-f606fba81ae7",
};

const ROLE_NAMES: Record<string, string> = {
  [AZURE_ROLES.globalAdministrator]: "Global Administrator",
  [AZURE_ROLES.applicationAdministrator]: "Application Administrator",
  [AZURE_ROLES.directoryReaders]: "Directory Readers",
};
export const AZURE_SUBSCRIPTION = "5a5a5a5a-0000-4000-8000-000000000001";
const TENANT = "0f0f0f0f-0000-4000-8000-00000000000a";
const STARTED = "2026-02-03T04:05:06Z";
const ENDS = "2028-02-03T04:05:06Z";
const PAGE = 2;

/** `addresses`: additional addresses for the fake's certificate. */
export async function startFakeAzure(addresses: readonly string[] = []): Promise<FakeAzure> {
  const applications = new Map<string, FakeApplication>();
  const users: FakeUser[] = [];
  const groups = new Map<string, { name: string; members: readonly string[] }>();
  const roles: { principalId: string; roleId: string; scope: string }[] = [];
  const permissions: FakeAzure["permissions"] = [];
  const subscriptionRoles: FakeAzure["subscriptionRoles"] = [];
  const vaults: FakeAzure["vaults"] = new Map();
  const denied = new Set<string>();
  const tokens = new Map<string, { application: FakeApplication; scope: string }>();

  let newest: StoredSecret | null = null;
  const newSecret = (application: FakeApplication): StoredSecret => {
    // As Entra ID's own: three random characters, a fixed mark, and more random ones.
    const random = randomBytes(40).toString("base64url");
    const secret: StoredSecret = {
      refusals: fake.refusalsOfNew,
      keyId: randomUUID(),
      text: `${random.slice(0, 3)}8Q~${random.slice(3, 37)}`,
      isExpired: false,
    };
    application.secrets.push(secret);
    newest = secret;
    return secret;
  };

  const tokenFor = ({ url, form }: ApiRequest): ApiReply => {
    if (!url.pathname.startsWith(`/${TENANT}/`)) return loginError("invalid_request", 90002);
    const application = applications.get(form.get("client_id") ?? "");
    if (application === undefined) return loginError("unauthorized_client", 700016);
    if (!application.isEnabled) return loginError("unauthorized_client", 7000112);
    const secret = application.secrets.find(({ text }) => text === form.get("client_secret"));
    if (secret === undefined) return loginError("invalid_client", 7000215);
    if ((secret.refusals ?? 0) > 0) {
      secret.refusals! -= 1;
      return loginError("invalid_client", 7000215);
    }
    if (secret.isExpired) return loginError("invalid_client", 7000222);
    const token = randomBytes(24).toString("base64url");
    tokens.set(token, { application, scope: form.get("scope") ?? "" });
    return { body: { token_type: "Bearer", expires_in: 3599, access_token: token } };
  };

  const page = (url: URL, entries: readonly object[], link: string): ApiReply => {
    const at = Number(url.searchParams.get("$skiptoken") ?? "0");
    const next = new URL(url);
    next.searchParams.set("$skiptoken", String(at + PAGE));
    const more = at + PAGE < entries.length ? { [link]: next.href } : {};
    return { body: { value: entries.slice(at, at + PAGE), ...more } };
  };

  const credential = ({ keyId, text, label = "deploy" }: StoredSecret) => ({
    keyId,
    displayName: label,
    hint: text.slice(0, 3),
    startDateTime: STARTED,
    endDateTime: ENDS,
    secretText: null,
  });

  const graph = ({ url, method, body }: ApiRequest, path: string, caller: FakeApplication): ApiReply => {
    const own = /^applications\(appId='([^']+)'\)(?:\/(addPassword|removePassword))?$/.exec(path);
    if (own !== null) {
      const application = applications.get(own[1]!);
      if (application !== caller) return apiError(403, "Authorization_RequestDenied");
      if (method === "GET") return { body: { passwordCredentials: application.secrets.map(credential) } };
      if (own[2] === "addPassword") {
        const made = newSecret(application);
        made.label = String((body["passwordCredential"] as { displayName?: unknown } | undefined)?.displayName);
        return { body: { ...credential(made), secretText: made.text } };
      }
      const at = application.secrets.findIndex(({ keyId }) => keyId === body["keyId"]);
      if (at < 0) return apiError(404, "Request_ResourceNotFound");
      application.secrets.splice(at, 1);
      return { status: 204, body: {} };
    }
    const group = /^groups\/([^/]+)(\/transitiveMembers)?$/.exec(path);
    if (group !== null) {
      const found = groups.get(group[1]!);
      if (found === undefined) return apiError(404, "Request_ResourceNotFound");
      if (group[2] === undefined) return { body: { displayName: found.name } };
      return page(
        url,
        found.members.map((id) => ({ id })),
        "@odata.nextLink",
      );
    }
    switch (path) {
      case "users":
        return page(
          url,
          users.map((user) => shownUser(user, url)),
          "@odata.nextLink",
        );
      case "applications":
        return page(
          url,
          [...applications.values()].map(({ clientId, name, secrets }) => ({
            appId: clientId,
            displayName: name,
            createdDateTime: STARTED,
            passwordCredentials: secrets.map(credential),
            keyCredentials: [],
          })),
          "@odata.nextLink",
        );
      case "servicePrincipals":
        return page(
          url,
          [...applications.values()].map(({ clientId, principalId, name, isEnabled }) => ({
            id: principalId,
            appId: clientId,
            displayName: name,
            accountEnabled: isEnabled,
            servicePrincipalType: "Application",
          })),
          "@odata.nextLink",
        );
      case "roleManagement/directory/roleDefinitions":
        return page(
          url,
          Object.entries(ROLE_NAMES).map(([id, displayName]) => ({ id, templateId: id, displayName })),
          "@odata.nextLink",
        );
      case "roleManagement/directory/roleAssignments":
        return page(
          url,
          roles.map(({ principalId, roleId, scope }) => ({
            principalId,
            roleDefinitionId: roleId,
            directoryScopeId: scope,
          })),
          "@odata.nextLink",
        );
      case "servicePrincipals(appId='00000003-0000-0000-c000-000000000000')/appRoleAssignedTo":
        return page(url, permissions, "@odata.nextLink");
      default:
        return apiError(404, "Request_ResourceNotFound");
    }
  };

  const management = (url: URL): ApiReply => {
    const path = url.pathname;
    if (path === "/subscriptions")
      return page(url, [{ subscriptionId: AZURE_SUBSCRIPTION, displayName: "Production" }], "nextLink");
    const below = path.replace(`/subscriptions/${AZURE_SUBSCRIPTION}/providers/`, "");
    if (below === "Microsoft.Authorization/roleAssignments")
      return page(
        url,
        subscriptionRoles.map(({ principalId, roleId, scope }) => ({
          properties: {
            principalId,
            scope,
            roleDefinitionId: `/subscriptions/${AZURE_SUBSCRIPTION}/providers/Microsoft.Authorization/roleDefinitions/${roleId}`,
          },
        })),
        "nextLink",
      );
    if (below === "Microsoft.KeyVault/vaults")
      return page(
        url,
        [...vaults].map(([name, { uri, location }]) => ({ name, location, properties: { vaultUri: uri } })),
        "nextLink",
      );
    return apiError(404, "NotFound");
  };

  const answer = (request: ApiRequest): ApiReply => {
    const { url, token } = request;
    const path = decodeURIComponent(url.pathname);
    if (path.endsWith("/oauth2/v2.0/token")) return tokenFor(request);
    const login = tokens.get(token ?? "");
    // The fake has one origin for all services, so it tells them apart by the path.
    if (login === undefined) return apiError(401, "InvalidAuthenticationToken");
    if ([...denied].some((beginning) => path.startsWith(beginning)))
      return apiError(403, "Authorization_RequestDenied");
    if (path.startsWith("/v1.0/")) return graph(request, path.slice("/v1.0/".length), login.application);
    if (path !== "/secrets") return management(url);
    const [vault] = vaults.values();
    const entries = (vault?.secrets ?? []).map((name) => ({
      id: `${vault!.uri}secrets/${name}`,
      attributes: { enabled: true, created: 1_760_000_000, updated: 1_764_000_000 },
    }));
    return page(url, entries, "nextLink");
  };

  const api = await startFakeApi(addresses, answer);
  const fake: FakeAzure = {
    ...api,
    refusalsOfNew: 0,
    lastRefusals: () => newest?.refusals ?? 0,
    tenant: TENANT,
    permissions,
    subscriptionRoles,
    vaults,
    denied,
    addApplication: (name) => {
      const application = { clientId: randomUUID(), principalId: randomUUID(), name, secrets: [], isEnabled: true };
      applications.set(application.clientId, application);
      newSecret(application);
      return application;
    },
    addUser: (name) => {
      const user = { id: randomUUID(), name, isEnabled: true };
      users.push(user);
      return user;
    },
    addGroup: (name, members) => {
      const id = randomUUID();
      groups.set(id, { name, members });
      return id;
    },
    assignRole: (principalId, roleId, scope = "/") => void roles.push({ principalId, roleId, scope }),
  };
  return fake;
}

const shownUser = ({ id, name, isEnabled }: FakeUser, url: URL) =>
  url.searchParams.get("$select") === "id,signInActivity"
    ? { id, signInActivity: { lastSignInDateTime: "2026-11-01T00:00:00Z" } }
    : {
        id,
        userPrincipalName: name,
        accountEnabled: isEnabled,
        createdDateTime: "2026-01-02T03:04:05Z",
        lastPasswordChangeDateTime: STARTED,
        userType: "Member",
        onPremisesSyncEnabled: null,
      };

const apiError = (status: number, code: string): ApiReply => ({ status, body: { error: { code, message: "no" } } });

const loginError = (error: string, code: number): ApiReply => ({
  status: error === "invalid_request" ? 400 : 401,
  body: { error, error_description: `AADSTS${code}: no`, error_codes: [code] },
});
