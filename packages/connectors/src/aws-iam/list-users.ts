// Lists the IAM users of an AWS account, and which of them are administrators if the key can see that.
import {
  GetGroupCommand,
  ListEntitiesForPolicyCommand,
  ListUsersCommand,
  type IAMClient,
  type ListUsersCommandOutput,
  type User,
} from "@aws-sdk/client-iam";
import type { ListAttempt } from "../attempt.ts";
import { MAX_LISTED_ACCOUNTS, type ListedAccount, type ListFinding, type Target } from "../connector.ts";
import { listCommand, listed } from "../finding.ts";
import { GLOBAL, type CollectedCloud, type ListedPrivilege, type ListedResource } from "../collected.ts";
import { awsAccessOf } from "./access-key.ts";
import { failureOf } from "./answer.ts";
import { credentialReport, ROOT, type ReportedUser } from "./credential-report.ts";
import { listRegions, type RegionalLists } from "./resources.ts";
import { assumableRoles, type AssumableRole } from "./roles.ts";
import { iamClient } from "./session.ts";

const ADMINISTRATOR = "arn:aws:iam::aws:policy/AdministratorAccess";
const MAX_PAGES = 100;
const MAX_GROUPS = 20;

export async function listUsers(target: Target, value: string, current: ListAttempt): Promise<ListFinding> {
  const access = awsAccessOf(target, value);
  if ("failure" in access) return access.failure;
  const iam = iamClient(access, current);
  try {
    const regional = { resources: [], complete: [], commands: [] };
    const seen: Seen = {
      users: [],
      areUsersComplete: false,
      administrators: null,
      report: null,
      roles: null,
      regional,
    };
    current.keep(() => findingOf(seen));
    seen.areUsersComplete = await allUsers(iam, (page) => {
      seen.users.push(...page);
      current.progress(seen.users.length);
    });
    seen.administrators = await administratorsOf(iam);
    seen.report = await credentialReport(iam, current);
    seen.roles = await assumableRoles(iam);
    await listRegions(access, current, current.context.regions ?? [access.region], seen.regional);
    return findingOf(seen);
  } catch (error) {
    return failureOf(error, access);
  }
}

/** The answers of AWS so far; null if it has not answered or refused. */
interface Seen {
  users: User[];
  areUsersComplete: boolean;
  administrators: ReadonlySet<string> | null;
  report: ReportedUser[] | null;
  roles: AssumableRole[] | null;
  regional: RegionalLists;
}

function findingOf(seen: Seen): ListFinding {
  const { users, administrators, report, roles, regional } = seen;
  const reported = new Map((report ?? []).map((user) => [user.name, user]));
  const root = reported.get(ROOT);
  const accounts = [
    ...(root === undefined ? [] : [rootAccount(root)]),
    ...users.flatMap((user) => shown(user, administrators, reported, roles ?? [])),
  ];
  const finding = listed(accounts, "AWS IAM");
  const missing = administrators === null ? " The key has no permission to see which of them are administrators." : "";
  return {
    ...finding,
    message: `${finding.message}${missing}`,
    collected: { keys: [], system: { roles: (roles ?? []).slice(0, 200) }, cloud: cloudOf(seen) },
    commands: [
      listCommand("iam:ListUsers", users.length, "user"),
      listCommand("iam:ListEntitiesForPolicy AdministratorAccess", administrators?.size ?? null, "administrator"),
      listCommand("iam:GetCredentialReport", report?.length ?? null, "row"),
      listCommand("iam:ListRoles", roles?.length ?? null, "role"),
      ...regional.commands,
    ],
  };
}

function cloudOf({ users, areUsersComplete, administrators, report, roles, regional }: Seen): CollectedCloud {
  const account = /^arn:aws[\w-]*:iam::(\d{12}):/.exec(users[0]?.Arn ?? "")?.[1] ?? null;
  const keys = (report ?? []).flatMap(({ name, accessKeys }) =>
    accessKeys.map(({ number, ...facts }): ListedResource => {
      const user = name === ROOT ? "root account" : name;
      return { kind: "access_key", region: GLOBAL, name: `${user}, key ${number}`, facts: { user, ...facts } };
    }),
  );
  return {
    provider: "aws",
    account,
    resources: [
      ...users.flatMap(({ UserName: name = "" }): ListedResource[] => {
        if (!isUserName(name)) return [];
        const isAdministrator = administrators === null ? null : administrators.has(name);
        return [{ kind: "iam_user", region: GLOBAL, name, facts: { isAdministrator } }];
      }),
      ...keys,
      ...(roles ?? []).map(({ name, ...facts }): ListedResource => {
        return { kind: "iam_role", region: GLOBAL, name, facts };
      }),
      ...regional.resources,
    ],
    complete: [
      ...(areUsersComplete ? [{ kind: "iam_user", region: GLOBAL } as const] : []),
      ...(report === null ? [] : [{ kind: "access_key", region: GLOBAL } as const]),
      ...(roles === null ? [] : [{ kind: "iam_role", region: GLOBAL } as const]),
      ...regional.complete,
    ],
  };
}

const isUserName = (name: string) => /^[\w+=,.@-]{1,64}$/.test(name);

/** Whether these were all users. */
async function allUsers(iam: IAMClient, onPage: (users: readonly User[]) => void): Promise<boolean> {
  let marker: string | undefined;
  let count = 0;
  for (let page = 0; page < MAX_PAGES && count <= MAX_LISTED_ACCOUNTS; page += 1) {
    const answer: ListUsersCommandOutput = await iam.send(
      new ListUsersCommand({ MaxItems: 1000, ...(marker === undefined ? {} : { Marker: marker }) }),
    );
    const users = answer.Users ?? [];
    count += users.length;
    onPage(users);
    if (answer.IsTruncated !== true || answer.Marker === undefined) return true;
    marker = answer.Marker;
  }
  return false;
}

/** Users with AWS's administrator policy, directly or through a group. Null when the key may not read policies. */
async function administratorsOf(iam: IAMClient): Promise<ReadonlySet<string> | null> {
  try {
    const { PolicyUsers = [], PolicyGroups = [] } = await iam.send(
      new ListEntitiesForPolicyCommand({ PolicyArn: ADMINISTRATOR, MaxItems: 1000 }),
    );
    const names = PolicyUsers.map(({ UserName = "" }) => UserName);
    for (const { GroupName } of PolicyGroups.slice(0, MAX_GROUPS)) {
      const { Users = [] } = await iam.send(new GetGroupCommand({ GroupName, MaxItems: 1000 }));
      names.push(...Users.map(({ UserName = "" }) => UserName));
    }
    return new Set(names);
  } catch {
    // A key that can list users often cannot read policies.
    return null;
  }
}

const factsOf = ({ hasPassword, hasMfa, accessKeys }: ReportedUser) => ({
  hasPassword,
  hasMfa,
  accessKeys: accessKeys.map(({ isActive, rotatedAt, lastUsedAt }) => ({ isActive, rotatedAt, lastUsedAt })),
});

/** The account itself: its email address and password, or its access keys, can do everything. */
function rootAccount(report: ReportedUser): ListedAccount {
  return {
    name: "root account",
    isPrivileged: true,
    isLocked: false,
    passwordChangedAt: report.passwordChangedAt,
    expiresAt: null,
    lastLoginAt: report.passwordUsedAt,
    privileges: [{ kind: "cloud-admin", path: ["root of the AWS account"], detail: [], needsPassword: null }],
    facts: factsOf(report),
  };
}

function shown(
  user: User,
  administrators: ReadonlySet<string> | null,
  reported: ReadonlyMap<string, ReportedUser>,
  roles: readonly AssumableRole[],
): ListedAccount[] {
  const { UserName: name = "", Path: path = "/" } = user;
  if (!isUserName(name)) return [];
  const report = reported.get(name);
  const assumed = roles.filter(({ users }) => users.includes(name)).map((role) => role.name);
  const privileges: ListedPrivilege[] = [
    ...(administrators?.has(name) === true
      ? [{ kind: "cloud-admin", path: ["AdministratorAccess"], detail: [], needsPassword: null } as const]
      : []),
    ...(assumed.length > 0
      ? [{ kind: "impersonation", path: [], detail: assumed.slice(0, 20), needsPassword: null } as const]
      : []),
  ];
  return [
    {
      name,
      isPrivileged: privileges.length > 0,
      isLocked: false,
      passwordChangedAt: report?.passwordChangedAt ?? null,
      expiresAt: null,
      lastLoginAt: timeOf(user.PasswordLastUsed),
      privileges,
      facts: {
        createdAt: timeOf(user.CreateDate),
        ...(/^[\w/+=,.@-]{1,512}$/.test(path) ? { path } : {}),
        ...(report === undefined ? {} : factsOf(report)),
      },
    },
  ];
}

function timeOf(date: Date | undefined): string | null {
  return date === undefined || Number.isNaN(date.getTime()) ? null : date.toISOString();
}
