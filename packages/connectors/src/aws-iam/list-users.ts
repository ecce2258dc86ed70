// Lists the IAM users of an AWS account, and which of them are administrators if the key can see that.
import {
  GetGroupCommand,
  ListEntitiesForPolicyCommand,
  ListUsersCommand,
  type IAMClient,
  type User,
} from "@aws-sdk/client-iam";
import type { Attempt } from "../attempt.ts";
import { MAX_LISTED_ACCOUNTS, type ListedAccount, type ListFinding, type Target } from "../connector.ts";
import { listed } from "../finding.ts";
import { awsAccessOf } from "./access-key.ts";
import { failureOf } from "./answer.ts";
import { iamClient } from "./session.ts";

const ADMINISTRATOR = "arn:aws:iam::aws:policy/AdministratorAccess";
const MAX_PAGES = 100;
const MAX_GROUPS = 20;

export async function listUsers(target: Target, value: string, current: Attempt): Promise<ListFinding> {
  const access = awsAccessOf(target, value);
  if ("failure" in access) return access.failure;
  const iam = iamClient(access, current);
  try {
    const users = await allUsers(iam);
    const administrators = await administratorsOf(iam);
    const finding = listed(
      users.flatMap((user) => shown(user, administrators)),
      "AWS IAM",
    );
    if (finding.outcome !== "listed" || administrators !== null) return finding;
    return {
      ...finding,
      message: `${finding.message} The key has no permission to see which of them are administrators.`,
    };
  } catch (error) {
    return failureOf(error, access);
  }
}

async function allUsers(iam: IAMClient): Promise<User[]> {
  const users: User[] = [];
  let marker: string | undefined;
  for (let page = 0; page < MAX_PAGES && users.length <= MAX_LISTED_ACCOUNTS; page += 1) {
    const answer = await iam.send(
      new ListUsersCommand({ MaxItems: 1000, ...(marker === undefined ? {} : { Marker: marker }) }),
    );
    users.push(...(answer.Users ?? []));
    if (answer.IsTruncated !== true || answer.Marker === undefined) break;
    marker = answer.Marker;
  }
  return users;
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

function shown(user: User, administrators: ReadonlySet<string> | null): ListedAccount[] {
  const { UserName: name = "", Path: path = "/" } = user;
  if (!/^[\w+=,.@-]{1,64}$/.test(name)) return [];
  return [
    {
      name,
      isPrivileged: administrators?.has(name) === true,
      isLocked: false,
      passwordChangedAt: null,
      expiresAt: null,
      lastLoginAt: timeOf(user.PasswordLastUsed),
      privileges:
        administrators?.has(name) === true
          ? [{ kind: "cloud-admin", path: ["AdministratorAccess"], detail: [], needsPassword: null }]
          : [],
      facts: { createdAt: timeOf(user.CreateDate), ...(/^[\w/+=,.@-]{1,512}$/.test(path) ? { path } : {}) },
    },
  ];
}

function timeOf(date: Date | undefined): string | null {
  return date === undefined || Number.isNaN(date.getTime()) ? null : date.toISOString();
}
