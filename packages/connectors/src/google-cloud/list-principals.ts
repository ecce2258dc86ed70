// Lists the service accounts of Google Cloud and the users with roles in its projects, and what makes them privileged.
import type { ScanCommand } from "@strongroom/contract";
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
import { googleAccessOf } from "./google-access.ts";
import { failureOf, openGoogle } from "./google-session.ts";
import { rightOf } from "./privileged-roles.ts";
import { listProjects, readProject, type Project, type ServiceAccount } from "./projects.ts";

export async function listPrincipals(target: Target, value: string, current: ListAttempt): Promise<ListFinding> {
  const access = googleAccessOf(target, value);
  if ("failure" in access) return access.failure;
  const seen: Seen = { projects: [], areProjectsComplete: false, commands: [] };
  const { projects, commands } = seen;
  let count = 0;
  try {
    current.waitFor("Google to answer");
    const session = await openGoogle(access, current);
    try {
      const onAccounts = (more: number) => current.progress((count += more));
      const reader = { session, access, commands, onAccounts };
      current.keep(() => findingOf(seen));
      current.waitFor("Google to list the projects");
      const { ids, isComplete } = await listProjects(reader);
      seen.areProjectsComplete = isComplete;
      for (const id of ids) {
        const project: Project = { id, accounts: null, bindings: null, secrets: null };
        projects.push(project);
        await readProject(reader, project);
      }
    } finally {
      session.close();
    }
  } catch (error) {
    return failureOf(error, access);
  }
  if (projects.every(({ accounts, bindings }) => accounts === null && bindings === null))
    return {
      outcome: "rejected",
      code: "no-permission",
      message: `Google accepted the key of ${access.key.email}, but it may list neither service accounts nor roles. Grant it the roles Viewer and Security Reviewer.`,
      commands,
    };
  return findingOf(seen);
}

interface Seen {
  projects: Project[];
  areProjectsComplete: boolean;
  commands: ScanCommand[];
}

interface Person {
  name: string;
  privileges: ListedPrivilege[];
}

/** Everybody with a role, by email address in lower case. */
function peopleIn(projects: readonly Project[]): Map<string, Person & { isUser: boolean }> {
  const people = new Map<string, Person & { isUser: boolean }>();
  for (const { id, bindings } of projects) {
    for (const { role, members, isConditional } of bindings ?? []) {
      for (const member of members) {
        const [kind = "", name = ""] = member.split(":");
        if (kind !== "user" && kind !== "serviceAccount") continue;
        const key = name.toLowerCase();
        const known = people.get(key) ?? { name, privileges: [], isUser: kind === "user" };
        const right = rightOf(role);
        const where = `${role.replace(/^roles\//, "")} of ${id}${isConditional ? ", under a condition" : ""}`;
        if (right !== null && known.privileges.length < 20)
          known.privileges.push({ kind: right, path: [where], detail: [], needsPassword: null });
        people.set(key, known);
      }
    }
  }
  for (const { privileges } of people.values()) privileges.sort(strongestFirst);
  return people;
}

function findingOf({ projects, areProjectsComplete, commands }: Seen): ListFinding {
  const people = peopleIn(projects);
  const shown = new Set<string>();
  const accounts: ListedAccount[] = [];
  for (const { id, accounts: own } of projects) {
    for (const account of own?.list ?? []) {
      shown.add(account.email.toLowerCase());
      accounts.push(serviceAccount(account, id, people.get(account.email.toLowerCase())?.privileges ?? []));
    }
  }
  for (const [email, { name, privileges, isUser }] of people) {
    // Service accounts of other projects, and Google's own, only if they are privileged here.
    if (!shown.has(email) && (isUser || privileges.length > 0)) accounts.push(person(name, privileges));
  }
  const finding = listed(accounts, "Google Cloud");
  const unseen = projects.filter(({ bindings }) => bindings === null).length;
  const missing =
    unseen === 0 ? "" : ` The key may not see the roles of ${unseen === 1 ? "a project" : `${unseen} projects`}.`;
  const isAll = projects.every(({ accounts, bindings }) => accounts?.isComplete === true && bindings !== null);
  return {
    ...finding,
    isComplete: finding.isComplete && areProjectsComplete && isAll,
    message: `${finding.message}${missing}`,
    collected: { keys: [], system: {}, cloud: cloudOf(projects, areProjectsComplete, people) },
    commands,
  };
}

function serviceAccount(
  { email, displayName, isEnabled, keys }: ServiceAccount,
  project: string,
  privileges: ListedPrivilege[],
): ListedAccount {
  return {
    name: email,
    isPrivileged: privileges.length > 0,
    isLocked: !isEnabled,
    passwordChangedAt: latestOf((keys ?? []).map(({ createdAt }) => createdAt)),
    expiresAt: null,
    lastLoginAt: latestOf((keys ?? []).map(({ lastUsedAt }) => lastUsedAt)),
    privileges,
    facts: {
      project,
      ...(displayName === "" ? {} : { displayName }),
      accessKeys: (keys ?? []).map(({ id, isActive, createdAt, lastUsedAt }) => ({
        id,
        isActive,
        rotatedAt: createdAt,
        lastUsedAt,
      })),
    },
  };
}

const person = (name: string, privileges: ListedPrivilege[]): ListedAccount => ({
  name,
  isPrivileged: privileges.length > 0,
  isLocked: false,
  passwordChangedAt: null,
  expiresAt: null,
  lastLoginAt: null,
  privileges,
  facts: {},
});

function cloudOf(
  projects: readonly Project[],
  areProjectsComplete: boolean,
  people: ReturnType<typeof peopleIn>,
): CollectedCloud {
  const areAll = (isKnown: (project: Project) => boolean) => areProjectsComplete && projects.every(isKnown);
  const resources: ListedResource[] = [];
  for (const { name, privileges, isUser } of people.values()) {
    if (isUser)
      resources.push({ kind: "iam_user", region: GLOBAL, name, facts: { isAdministrator: privileges.length > 0 } });
  }
  for (const { id, accounts, bindings, secrets } of projects) {
    for (const { email, displayName, isEnabled, keys } of accounts?.list ?? []) {
      resources.push({ kind: "service_account", region: GLOBAL, name: email, facts: { displayName, isEnabled } });
      for (const { id: keyId, ...facts } of keys ?? [])
        resources.push({ kind: "access_key", region: GLOBAL, name: `${email}, key ${keyId}`, facts });
    }
    for (const { role, members, isConditional } of bindings ?? [])
      resources.push({
        kind: "iam_role",
        region: GLOBAL,
        name: `${id}: ${role}${isConditional ? " (conditional)" : ""}`,
        facts: { members: members.slice(0, 50) },
      });
    for (const { name, ...facts } of secrets?.list ?? [])
      resources.push({ kind: "secret", region: GLOBAL, name: `${id}/${name}`, facts });
  }
  const kinds: [ListedResource["kind"], boolean][] = [
    ["iam_user", areAll(({ bindings }) => bindings !== null)],
    ["service_account", areAll(({ accounts }) => accounts?.isComplete === true)],
    [
      "access_key",
      areAll(({ accounts }) => accounts?.isComplete === true && accounts.list.every(({ keys }) => keys !== null)),
    ],
    ["iam_role", areAll(({ bindings }) => bindings !== null)],
    ["secret", areAll(({ secrets }) => secrets?.isComplete === true)],
  ];
  return {
    provider: "gcp",
    account: projects[0]?.id ?? null,
    resources,
    complete: kinds.flatMap(([kind, isComplete]) => (isComplete ? [{ kind, region: GLOBAL }] : [])),
  };
}
