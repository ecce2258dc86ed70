// Lists the users and applications of a tenant with their privileges, and the names of secrets in key vaults.
import type { ListAttempt } from "../attempt.ts";
import {
  GLOBAL,
  strongestFirst,
  type CollectedCloud,
  type ListedPrivilege,
  type ListedResource,
} from "../collected.ts";
import type { ListedAccount, ListFinding, Target } from "../connector.ts";
import { latestOf } from "../cloud-api/json.ts";
import { listed } from "../finding.ts";
import type { ScanCommand } from "@strongroom/contract";
import { applicationName, azureAccessOf } from "./azure-access.ts";
import { failureOf, openAzure } from "./azure-session.ts";
import {
  applicationOf,
  directoryAssignments,
  graphPermissions,
  groupsAmong,
  lastSignIns,
  listApplications,
  listServicePrincipals,
  listUsers,
  userOf,
  type Application,
  type Assignment,
  type Group,
  type ServicePrincipal,
  type User,
} from "./directory.ts";
import { rightOf } from "./privileged-roles.ts";
import { readSubscriptions, type Subscriptions } from "./subscriptions.ts";

export async function listPrincipals(target: Target, value: string, current: ListAttempt): Promise<ListFinding> {
  const access = azureAccessOf(target, value);
  if ("failure" in access) return access.failure;
  const session = openAzure(access, current);
  const seen: Seen = {
    tenant: access.tenant,
    users: null,
    signIns: null,
    applications: null,
    principals: null,
    assignments: [],
    areRolesComplete: false,
    groups: new Map(),
    areGroupsComplete: true,
    subscriptions: { assignments: [], secrets: [], completeRegions: [] },
    commands: [],
  };
  const { commands } = seen;
  try {
    current.waitFor("Microsoft Entra ID to answer");
    const token = await session.tokenFor(access.graph);
    current.keep(() => findingOf(seen));
    const reader = { session, access, token, commands };
    current.waitFor("Microsoft Graph to list the tenant");
    const users = await listUsers(reader, current.progress);
    seen.users = users && { list: users.entries.map(userOf), isComplete: users.isComplete };
    seen.signIns = await lastSignIns(reader);
    const applications = await listApplications(reader);
    seen.applications = applications && {
      list: applications.entries.map(applicationOf),
      isComplete: applications.isComplete,
    };
    seen.principals = await listServicePrincipals(reader);
    const [roles, permissions] = [await directoryAssignments(reader), await graphPermissions(reader)];
    seen.assignments = [...(roles ?? []), ...(permissions ?? [])];
    seen.areRolesComplete = roles !== null && permissions !== null;
    current.waitFor("Azure to list subscriptions and key vaults");
    await readSubscriptions({ session, access, commands }, seen.subscriptions);
    current.waitFor("Microsoft Graph to list the members of groups");
    const { groups, isComplete } = await groupsAmong(reader, unknownPrincipals(seen));
    seen.groups = groups;
    seen.areGroupsComplete = isComplete;
    if (seen.users === null && seen.applications === null) return nothingListed(commands, access.clientId);
    return findingOf(seen);
  } catch (error) {
    return failureOf(error, access);
  } finally {
    session.close();
  }
}

interface Listed<T> {
  list: T[];
  isComplete: boolean;
}

/** The answers so far; null if Microsoft has not answered or refused. */
interface Seen {
  tenant: string;
  users: Listed<User> | null;
  signIns: ReadonlyMap<string, string> | null;
  applications: Listed<Application> | null;
  principals: ServicePrincipal[] | null;
  /** Of the directory. */
  assignments: Assignment[];
  areRolesComplete: boolean;
  groups: ReadonlyMap<string, Group>;
  areGroupsComplete: boolean;
  subscriptions: Subscriptions;
  commands: ScanCommand[];
}

function nothingListed(commands: readonly ScanCommand[], clientId: string): ListFinding {
  return {
    outcome: "rejected",
    code: "no-permission",
    message: `Microsoft accepted the login of the application ${clientId}, but it may list neither users nor applications. Grant it Directory.Read.All in Microsoft Graph.`,
    commands,
  };
}

const assignmentsOf = ({ assignments, subscriptions }: Seen) => [...assignments, ...subscriptions.assignments];

/** Privileged principals that are neither users nor service principals: groups, and deleted objects. */
function unknownPrincipals(seen: Seen): string[] {
  const known = new Set([...(seen.users?.list ?? []), ...(seen.principals ?? [])].map(({ id }) => id));
  return assignmentsOf(seen)
    .filter((assignment) => rightOf(assignment) !== null && !known.has(assignment.principalId))
    .map(({ principalId }) => principalId);
}

/** The privileges of each user and service principal, by ID. */
function privilegesIn(seen: Seen): ReadonlyMap<string, ListedPrivilege[]> {
  const found = new Map<string, ListedPrivilege[]>();
  const add = (id: string, privilege: ListedPrivilege) => {
    const known = found.get(id) ?? [];
    const isKnown = known.some(({ path }) => path.join() === privilege.path.join());
    if (!isKnown) found.set(id, [...known, privilege].slice(0, 20));
  };
  for (const assignment of assignmentsOf(seen)) {
    const right = rightOf(assignment);
    if (right === null) continue;
    const group = seen.groups.get(assignment.principalId);
    const direct = { kind: right.kind, path: [right.name], detail: [], needsPassword: null };
    if (group === undefined) add(assignment.principalId, direct);
    else for (const member of group.members) add(member, { ...direct, path: [group.name, right.name] });
  }
  for (const privileges of found.values()) privileges.sort(strongestFirst);
  return found;
}

function findingOf(seen: Seen): ListFinding {
  const privileges = privilegesIn(seen);
  const accounts = [...usersShown(seen, privileges), ...applicationsShown(seen, privileges)];
  const finding = listed(accounts, "Microsoft Entra ID");
  // Applications of other tenants are accounts only if they have a role.
  const isAll =
    seen.users?.isComplete === true &&
    seen.applications?.isComplete === true &&
    seen.principals !== null &&
    seen.areRolesComplete;
  const isUnsure = !seen.areRolesComplete || !seen.areGroupsComplete;
  const missing = isUnsure ? " The application may not see all roles, so some of them may be privileged." : "";
  return {
    ...finding,
    isComplete: finding.isComplete && isAll,
    message: `${finding.message}${missing}`,
    collected: { keys: [], system: {}, cloud: cloudOf(seen, privileges) },
    commands: seen.commands,
  };
}

function usersShown({ users, signIns }: Seen, all: ReadonlyMap<string, ListedPrivilege[]>): ListedAccount[] {
  return (users?.list ?? []).flatMap((user) => {
    if (user.name === "") return [];
    const privileges = all.get(user.id) ?? [];
    return [
      {
        name: user.name,
        isPrivileged: privileges.length > 0,
        isLocked: !user.isEnabled,
        passwordChangedAt: user.passwordChangedAt,
        expiresAt: null,
        lastLoginAt: signIns?.get(user.id) ?? null,
        privileges,
        facts: { createdAt: user.createdAt, isGuest: user.isGuest, isSynchronised: user.isSynchronised },
      },
    ];
  });
}

/** The tenant's own applications, and privileged applications of other tenants and managed identities. */
function applicationsShown(seen: Seen, all: ReadonlyMap<string, ListedPrivilege[]>): ListedAccount[] {
  const own = new Map((seen.applications?.list ?? []).map((application) => [application.clientId, application]));
  const shown: ListedAccount[] = [];
  for (const principal of seen.principals ?? []) {
    const application = own.get(principal.clientId);
    const privileges = all.get(principal.id) ?? [];
    if (application === undefined && privileges.length === 0) continue;
    own.delete(principal.clientId);
    shown.push(applicationShown(application ?? foreign(principal), principal, privileges));
  }
  return [...shown, ...[...own.values()].map((application) => applicationShown(application, null, []))];
}

const foreign = ({ clientId, name }: ServicePrincipal): Application => ({
  clientId,
  name,
  createdAt: null,
  credentials: [],
});

function applicationShown(
  { clientId, name, createdAt, credentials }: Application,
  principal: ServicePrincipal | null,
  privileges: ListedPrivilege[],
): ListedAccount {
  const secrets = credentials.filter(({ kind }) => kind === "client-secret");
  return {
    name: applicationName(name, clientId),
    login: clientId,
    isPrivileged: privileges.length > 0,
    isLocked: principal?.isEnabled === false,
    passwordChangedAt: latestOf(secrets.map(({ startsAt }) => startsAt)),
    // It can log in until its last credential ends.
    expiresAt: latestOf(credentials.map(({ endsAt }) => endsAt)),
    lastLoginAt: null,
    privileges,
    facts: {
      createdAt,
      type: principal?.type ?? "Application",
      clientSecrets: secrets.length,
      certificates: credentials.length - secrets.length,
    },
  };
}

function cloudOf(seen: Seen, privileges: ReadonlyMap<string, ListedPrivilege[]>): CollectedCloud {
  const { users, applications, subscriptions } = seen;
  return {
    provider: "azure",
    account: seen.tenant,
    resources: [
      ...(users?.list ?? []).flatMap(({ id, name }): ListedResource[] =>
        name === "" ? [] : [{ kind: "iam_user", region: GLOBAL, name, facts: { isAdministrator: privileges.has(id) } }],
      ),
      ...(applications?.list ?? []).flatMap(resourcesOf),
      ...rolesIn(seen),
      ...subscriptions.secrets,
    ],
    complete: [
      ...(users?.isComplete === true ? [{ kind: "iam_user", region: GLOBAL } as const] : []),
      ...(applications?.isComplete === true
        ? ([
            { kind: "service_account", region: GLOBAL },
            { kind: "access_key", region: GLOBAL },
          ] as const)
        : []),
      ...(seen.areRolesComplete && seen.areGroupsComplete ? [{ kind: "iam_role", region: GLOBAL } as const] : []),
      ...subscriptions.completeRegions.map((region) => ({ kind: "secret", region }) as const),
    ],
  };
}

function resourcesOf({ clientId, name, createdAt, credentials }: Application): ListedResource[] {
  const application = applicationName(name, clientId);
  return [
    { kind: "service_account", region: GLOBAL, name: application, facts: { createdAt } },
    ...credentials.map((credential): ListedResource => {
      const { kind, keyId, name: label, startsAt, endsAt } = credential;
      const facts = { user: application, label, createdAt: startsAt, expiresAt: endsAt };
      const words = kind === "client-secret" ? "client secret" : "certificate";
      return { kind: "access_key", region: GLOBAL, name: `${application}, ${words} ${keyId}`, facts };
    }),
  ];
}

/** Privileged roles with the users, applications and groups that have them. */
function rolesIn(seen: Seen): ListedResource[] {
  const names = new Map<string, string>([
    ...(seen.users?.list ?? []).map(({ id, name }) => [id, name] as const),
    ...(seen.principals ?? []).map(({ id, name, clientId }) => [id, applicationName(name, clientId)] as const),
    ...[...seen.groups].map(([id, { name }]) => [id, `group ${name}`] as const),
  ]);
  const roles = new Map<string, string[]>();
  for (const assignment of assignmentsOf(seen)) {
    const right = rightOf(assignment);
    if (right === null) continue;
    const { principalId } = assignment;
    roles.set(right.name, [...(roles.get(right.name) ?? []), names.get(principalId) ?? principalId]);
  }
  return [...roles].map(([name, members]) => ({
    kind: "iam_role",
    region: GLOBAL,
    name,
    facts: { members: members.slice(0, 50) },
  }));
}
