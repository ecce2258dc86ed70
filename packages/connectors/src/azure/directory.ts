// Reads a tenant through Microsoft Graph: users, applications with their secrets, and who has which role.
import type { ScanCommand } from "@strongroom/contract";
import { ApiError } from "../cloud-api/api-client.ts";
import { readList, sameOrigin, tryList, type ApiList } from "../cloud-api/api-lists.ts";
import { momentOf, objectOf, objectsIn, textOf, type Json } from "../cloud-api/json.ts";
import type { AzureAccess } from "./azure-access.ts";
import type { AzureSession } from "./azure-session.ts";

interface Principal {
  /** The object's ID, which role assignments name. */
  id: string;
  name: string;
  isEnabled: boolean;
}

export interface User extends Principal {
  createdAt: string | null;
  passwordChangedAt: string | null;
  isGuest: boolean;
  /** Its password is that of an account of Active Directory. */
  isSynchronised: boolean;
}

export interface AppCredential {
  kind: "client-secret" | "certificate";
  name: string;
  keyId: string;
  startsAt: string | null;
  endsAt: string | null;
}

export interface Application {
  clientId: string;
  name: string;
  createdAt: string | null;
  credentials: AppCredential[];
}

export interface ServicePrincipal extends Principal {
  clientId: string;
  /** `Application`, `ManagedIdentity` or similar. */
  type: string;
}

/** A role that a user, group or service principal has. */
export interface Assignment {
  principalId: string;
  /** The ID of the role's template, or of an application permission. */
  roleId: string;
  roleName: string;
  /** False when the role covers a part only, such as an administrative unit. */
  isEverywhere: boolean;
}

export interface GraphReader {
  session: AzureSession;
  access: AzureAccess;
  token: string;
  commands: ScanCommand[];
}

function graphList(
  { session, access, token, commands }: GraphReader,
  { path, command, noun }: { path: string; command: string; noun: string },
  onPage?: (count: number) => void,
): Promise<ApiList | null> {
  const url = `${access.graph}/v1.0/${path}`;
  const next = (answer: Json) => sameOrigin(answer["@odata.nextLink"], url);
  return tryList(commands, { command, noun }, () =>
    readList(session.api, { url, token, field: "value", next, ...(onPage === undefined ? {} : { onPage }) }),
  );
}

const USER_FIELDS =
  "id,userPrincipalName,accountEnabled,createdDateTime,lastPasswordChangeDateTime,userType,onPremisesSyncEnabled";

export const userOf = (entry: Json): User => ({
  id: textOf(entry["id"]),
  name: textOf(entry["userPrincipalName"]),
  isEnabled: entry["accountEnabled"] !== false,
  createdAt: momentOf(entry["createdDateTime"]),
  passwordChangedAt: momentOf(entry["lastPasswordChangeDateTime"]),
  isGuest: entry["userType"] === "Guest",
  isSynchronised: entry["onPremisesSyncEnabled"] === true,
});

export const listUsers = (reader: GraphReader, onPage: (count: number) => void) =>
  graphList(reader, { path: `users?$select=${USER_FIELDS}&$top=999`, command: "graph: users", noun: "user" }, onPage);

/** The last sign-in of each user, by ID; null without a premium licence or the permission. */
export async function lastSignIns(reader: GraphReader): Promise<ReadonlyMap<string, string> | null> {
  const path = "users?$select=id,signInActivity&$top=500";
  const list = await graphList(reader, { path, command: "graph: last sign-ins", noun: "user" });
  if (list === null) return null;
  return new Map(
    list.entries.flatMap((entry) => {
      const at = momentOf(objectOf(entry["signInActivity"])["lastSignInDateTime"]);
      return at === null ? [] : [[textOf(entry["id"]), at] as const];
    }),
  );
}

const credentialsIn = (entries: unknown, kind: AppCredential["kind"]): AppCredential[] =>
  objectsIn(entries).map((entry) => ({
    kind,
    name: textOf(entry["displayName"]),
    keyId: textOf(entry["keyId"]),
    startsAt: momentOf(entry["startDateTime"]),
    endsAt: momentOf(entry["endDateTime"]),
  }));

export const applicationOf = (entry: Json): Application => ({
  clientId: textOf(entry["appId"]).toLowerCase(),
  name: textOf(entry["displayName"]),
  createdAt: momentOf(entry["createdDateTime"]),
  credentials: [
    ...credentialsIn(entry["passwordCredentials"], "client-secret"),
    ...credentialsIn(entry["keyCredentials"], "certificate"),
  ],
});

export const listApplications = (reader: GraphReader) =>
  graphList(reader, {
    path: "applications?$select=appId,displayName,createdDateTime,passwordCredentials,keyCredentials&$top=999",
    command: "graph: applications",
    noun: "application",
  });

const servicePrincipalOf = (entry: Json): ServicePrincipal => ({
  id: textOf(entry["id"]),
  clientId: textOf(entry["appId"]).toLowerCase(),
  name: textOf(entry["displayName"]),
  isEnabled: entry["accountEnabled"] !== false,
  type: textOf(entry["servicePrincipalType"]),
});

export async function listServicePrincipals(reader: GraphReader): Promise<ServicePrincipal[] | null> {
  const list = await graphList(reader, {
    path: "servicePrincipals?$select=id,appId,displayName,accountEnabled,servicePrincipalType&$top=999",
    command: "graph: service principals",
    noun: "service principal",
  });
  return list?.entries.map(servicePrincipalOf) ?? null;
}

/** Roles of the directory. Null when the application may not read them. */
export async function directoryAssignments(reader: GraphReader): Promise<Assignment[] | null> {
  const [roles, assigned] = [
    await graphList(reader, {
      path: "roleManagement/directory/roleDefinitions?$select=id,templateId,displayName",
      command: "graph: directory roles",
      noun: "role",
    }),
    await graphList(reader, {
      path: "roleManagement/directory/roleAssignments",
      command: "graph: assignments of directory roles",
      noun: "assignment",
    }),
  ];
  if (roles === null || assigned === null) return null;
  const known = new Map(roles.entries.map((role) => [textOf(role["id"]), role]));
  return assigned.entries.map((entry) => {
    const id = textOf(entry["roleDefinitionId"]);
    const role = known.get(id);
    return {
      principalId: textOf(entry["principalId"]),
      roleId: textOf(role?.["templateId"]) || id,
      roleName: textOf(role?.["displayName"]) || id,
      isEverywhere: entry["directoryScopeId"] === "/",
    };
  });
}

/** Microsoft Graph's own application ID, the same in every tenant. */
const MICROSOFT_GRAPH = "00000003-0000-0000-c000-000000000000";

/** Permissions of applications in Microsoft Graph. Null when the application may not read them. */
export async function graphPermissions(reader: GraphReader): Promise<Assignment[] | null> {
  const list = await graphList(reader, {
    path: `servicePrincipals(appId='${MICROSOFT_GRAPH}')/appRoleAssignedTo?$top=999`,
    command: "graph: permissions of applications",
    noun: "permission",
  });
  return (
    list?.entries.map((entry) => ({
      principalId: textOf(entry["principalId"]),
      roleId: textOf(entry["appRoleId"]),
      roleName: "",
      isEverywhere: true,
    })) ?? null
  );
}

const MAX_GROUPS = 100;

export interface Group {
  name: string;
  /** IDs of all members, through nested groups too. */
  members: string[];
}

/** The groups among these principals, by ID. A group whose members cannot be read is left out. */
export async function groupsAmong(
  reader: GraphReader,
  ids: readonly string[],
): Promise<{ groups: ReadonlyMap<string, Group>; isComplete: boolean }> {
  const { session, access, token } = reader;
  const groups = new Map<string, Group>();
  const asked = [...new Set(ids)].filter((id) => /^[0-9a-f-]{36}$/i.test(id));
  let isComplete = asked.length <= MAX_GROUPS;
  for (const id of asked.slice(0, MAX_GROUPS)) {
    try {
      const group = await session.api.ask({ url: `${access.graph}/v1.0/groups/${id}?$select=displayName`, token });
      const name = textOf(group["displayName"]) || id;
      const path = `groups/${id}/transitiveMembers?$select=id&$top=999`;
      const members = await graphList(reader, { path, command: `graph: members of ${name}`, noun: "member" });
      if (members?.isComplete !== true) isComplete = false;
      if (members !== null) groups.set(id, { name, members: members.entries.map((member) => textOf(member["id"])) });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      // Status 404: deleted, or not a group.
      if (error.status !== 404) isComplete = false;
    }
  }
  return { groups, isComplete };
}
